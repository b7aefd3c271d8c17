import { type FormEvent, lazy, Suspense, useState } from 'react';
import type {
  Field as BoardField,
  FieldGroup,
  Kanban,
  KanbanField,
} from '../../../../contract/crm/kanbans.ts';
import { type FieldType, fieldTypes } from '../../../../contract/limits.ts';
import { api } from '../../data/api.ts';
import { describeError } from '../../data/errors.ts';
import { FieldIcon, fieldTypeName } from '../../fields/field-icon.tsx';
import { fieldLabel } from '../../fields/field-label.ts';
import { t, withTexts } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Switch } from '../../ui/controls/switch.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { CurrencyChoice } from './currency-choice.tsx';

const FieldChannels = lazy(withTexts('settings', () => import('./field-channels.tsx')));
const noGroup = 'none';
/** What can hold the identifier of a customer. */
const boundTypes: readonly FieldType[] = ['text', 'textarea', 'email', 'phone', 'url'];
const hasOptions = (type: FieldType) => type === 'select' || type === 'multiselect';

export interface FieldDialogProps {
  board: Kanban;
  groups: readonly FieldGroup[];
  /** null: a new one. */
  field: KanbanField | null;
  /** Whether AI agents may see the field. */
  isAiVisible?: boolean;
  /** The channels that fill the field, as stored. */
  channelBindings?: readonly string[];
  /** What a new one begins with. */
  suggested?: { name: string; type: FieldType };
  onClose(): void;
  onSaved(saved: BoardField): Promise<unknown>;
}

export function FieldDialog({
  board,
  groups,
  field,
  isAiVisible = true,
  channelBindings = [],
  suggested,
  onClose,
  onSaved,
}: FieldDialogProps) {
  const [name, setName] = useState(field?.name ?? suggested?.name ?? '');
  const [type, setType] = useState<FieldType>(field?.type ?? suggested?.type ?? 'text');
  const [options, setOptions] = useState((field?.options ?? []).join('\n'));
  const [currency, setCurrency] = useState(field?.currency ?? null);
  const [description, setDescription] = useState(field?.description ?? '');
  const [groupId, setGroupId] = useState(field?.groupId ?? noGroup);
  // null: not changed here.
  const [bindings, setBindings] = useState<string[] | null>(null);
  const [aiVisible, setAiVisible] = useState(isAiVisible);
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError('');
    const listed = [
      ...new Set(
        options
          .split('\n')
          .map((one) => one.trim())
          .filter(Boolean),
      ),
    ];
    const body = {
      name: name.trim(),
      ...(type !== field?.type && { type }),
      description,
      groupId: groupId === noGroup ? null : groupId,
      ...(hasOptions(type) && { options: listed }),
      ...(type === 'currency' && { currency }),
      ...(bindings && { boundToChannels: bindings }),
      ...(aiVisible !== isAiVisible && { aiVisible }),
    };
    try {
      const saved = field
        ? await api<BoardField>('PATCH', `/crm/fields/${field.id}`, { body })
        : await api<BoardField>('POST', '/crm/fields', {
            query: { kanbanId: board.id },
            body: { ...body, order: board.fields.length },
          });
      await onSaved(saved);
      onClose();
    } catch (failure) {
      setError(describeError(failure).text);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={field ? t('boardSettings.editField', { name: fieldLabel(field) }) : t('boardSettings.addField')}
    >
      <form onSubmit={submit} className="flex flex-col gap-4 pb-2">
        <TextField
          label={t('boardSettings.fieldName')}
          autoFocus
          required
          maxLength={255}
          value={name}
          onChange={setName}
        />
        <Field
          label={t('boardSettings.fieldType')}
          hint={field ? t('boardSettings.fieldTypeHint') : undefined}
        >
          {(ids) => (
            <Select<FieldType>
              {...ids}
              value={type}
              disabled={field?.isSystem}
              onChange={setType}
              options={fieldTypes.map((one) => ({
                value: one,
                label: fieldTypeName(one),
                mark: <FieldIcon type={one} className="size-4 text-faint" />,
              }))}
            />
          )}
        </Field>
        {hasOptions(type) && (
          <TextField
            label={t('boardSettings.options')}
            hint={t('boardSettings.optionsHint')}
            lines={{ min: 4, max: 12 }}
            value={options}
            onChange={setOptions}
          />
        )}
        {type === 'currency' && <CurrencyChoice value={currency} onChange={setCurrency} />}
        <TextField
          label={t('boardSettings.fieldDescription')}
          hint={t('boardSettings.fieldDescriptionHint')}
          value={description}
          onChange={setDescription}
        />
        {groups.length > 0 && (
          <Field label={t('boardSettings.group')}>
            {(ids) => (
              <Select
                {...ids}
                value={groupId}
                onChange={setGroupId}
                options={[
                  { value: noGroup, label: t('boardSettings.noGroup') },
                  ...groups.map((one) => ({ value: one.id, label: one.name })),
                ]}
              />
            )}
          </Field>
        )}
        {boundTypes.includes(type) && (
          <Suspense fallback={null}>
            <FieldChannels chosen={bindings ?? channelBindings} onChange={setBindings} />
          </Suspense>
        )}
        <Switch
          label={t('boardSettings.aiVisible')}
          hint={t('boardSettings.aiVisibleHint')}
          checked={aiVisible}
          onChange={setAiVisible}
        />
        {error && (
          <p role="alert" className="text-danger">
            {error}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{t('ui.cancel')}</Button>
          <Button type="submit" tone="primary" busy={busy} disabled={!name.trim()}>
            {field ? t('ui.save') : t('ui.create')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
