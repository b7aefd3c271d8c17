/** Creates or changes a macro: its name, who may use it, and its steps in order. */
import { Plus, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { limits } from '../../../../contract/limits.ts';
import type { Macro, MacroStep, MacroStepType } from '../../../../contract/macros.ts';
import { api } from '../../data/api.ts';
import { useKanbans } from '../../data/queries.ts';
import { refresh } from '../../data/refresh.ts';
import { FormDialog } from '../../settings/parts/form-dialog.tsx';
import { t } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Switch } from '../../ui/controls/switch.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { SortableList } from '../../ui/lists/sortable-list.tsx';
import { Menu, MenuItem } from '../../ui/overlays/menu.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { macrosQuery } from '../macro-data.ts';
import { stepIcons, stepNames, stepTypes } from '../step-words.ts';
import { checkComplete, explained, newStep } from './edited-steps.ts';
import { StepFields } from './step-fields.tsx';

/** Steps have no id of their own, and must keep their fields while they are moved. */
interface EditedStep {
  key: number;
  step: MacroStep;
}

const reloadMacros = () => refresh(macrosQuery.queryKey);

export function MacroEditor({ macro, onClose }: { macro: Macro | null; onClose(): void }) {
  const boards = useKanbans();
  const nextKey = useRef(macro?.steps.length ?? 0);
  const [name, setName] = useState(macro?.name ?? '');
  const [shared, setShared] = useState(macro?.shared ?? true);
  const [steps, setSteps] = useState<readonly EditedStep[]>(
    () => macro?.steps.map((step, key) => ({ key, step })) ?? [],
  );
  const submit = async () => {
    const body = { name: name.trim(), shared, steps: steps.map(({ step }) => step) };
    checkComplete(body.steps);
    try {
      if (macro) await api('PATCH', `/macros/${macro.id}`, { body });
      else await api('POST', '/macros', { body });
    } catch (error) {
      throw explained(error);
    }
    await reloadMacros();
  };
  const add = (type: MacroStepType) => {
    const key = nextKey.current++;
    setSteps([...steps, { key, step: newStep(type, boards[0]?.id) }]);
  };
  return (
    <FormDialog
      title={macro ? t('macros.edit') : t('macros.new')}
      action={macro ? t('ui.save') : t('ui.create')}
      ready={name.trim() !== '' && steps.length > 0}
      onSubmit={submit}
      onClose={onClose}
      wide
      onDelete={
        macro === null
          ? undefined
          : () => {
              onClose();
              void remove(macro);
            }
      }
    >
      <TextField
        label={t('macros.name')}
        hint={t('macros.nameHint')}
        autoFocus
        value={name}
        maxLength={limits.nameLength}
        onChange={setName}
      />
      <section aria-label={t('macros.steps')} className="flex flex-col gap-1">
        <h3 className="font-medium">{t('macros.steps')}</h3>
        <SortableList
          items={steps}
          itemKey={({ key }) => String(key)}
          itemName={({ step }) => stepNames[step.type]()}
          onReorder={setSteps}
          render={({ key, step }) => (
            <StepCard
              step={step}
              onChange={(next) => setSteps(steps.map((one) => (one.key === key ? { key, step: next } : one)))}
              onRemove={() => setSteps(steps.filter((one) => one.key !== key))}
            />
          )}
        />
        <AddStep isFull={steps.length >= limits.macroSteps} onAdd={add} />
      </section>
      <Switch label={t('macros.share')} hint={t('macros.shareHint')} checked={shared} onChange={setShared} />
    </FormDialog>
  );
}

function AddStep({ isFull, onAdd }: { isFull: boolean; onAdd(type: MacroStepType): void }) {
  if (isFull) return <p className="text-sm text-muted">{t('macros.full', { count: limits.macroSteps })}</p>;
  return (
    <span className="pt-1">
      <Menu
        trigger={
          <Button size="small" icon={<Plus className="size-3.5" />}>
            {t('macros.addStep')}
          </Button>
        }
      >
        {stepTypes.map((type) => {
          const Icon = stepIcons[type];
          return (
            <MenuItem key={type} icon={<Icon className="size-4" />} onSelect={() => onAdd(type)}>
              {stepNames[type]()}
            </MenuItem>
          );
        })}
      </Menu>
    </span>
  );
}

interface StepCardProps {
  step: MacroStep;
  onChange(step: MacroStep): void;
  onRemove(): void;
}

function StepCard({ step, onChange, onRemove }: StepCardProps) {
  const Icon = stepIcons[step.type];
  const name = stepNames[step.type]();
  return (
    <fieldset className="flex min-w-0 flex-1 flex-col gap-2 rounded-panel border border-line px-3 py-2">
      <legend className="sr-only">{name}</legend>
      <div className="flex items-center gap-2">
        <Icon aria-hidden className="size-4 shrink-0 text-muted" />
        <span className="min-w-0 flex-1 truncate font-medium">{name}</span>
        <IconButton size="small" tip={false} label={t('macros.removeStep', { name })} onClick={onRemove}>
          <Trash2 className="size-3.5" />
        </IconButton>
      </div>
      <StepFields step={step} onChange={onChange} />
    </fieldset>
  );
}

async function remove({ id, name, shared, steps }: Macro): Promise<void> {
  try {
    await api('DELETE', `/macros/${id}`);
    await reloadMacros();
    toast.undo(t('macros.deleted', { name }), () => {
      void api('POST', '/macros', { body: { name, shared, steps } })
        .then(reloadMacros)
        .catch((error) => toast.failed(t('settings.undoFailed'), error));
    });
  } catch (error) {
    toast.failed(t('macros.deleteFailed'), error);
  }
}
