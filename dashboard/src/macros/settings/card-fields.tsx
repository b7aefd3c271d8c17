/** Steps about the card of the conversation: the board that it must be on, and its fields or its status. */
import { Plus, X } from 'lucide-react';
import type { Kanban, KanbanField } from '../../../../contract/crm/kanbans.ts';
import { useKanbans } from '../../data/queries.ts';
import { FieldEditor } from '../../fields/field-editor.tsx';
import { FieldIcon } from '../../fields/field-icon.tsx';
import { fieldLabel } from '../../fields/field-label.ts';
import { t } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Dot } from '../../ui/display/badge.tsx';
import { Menu, MenuItem } from '../../ui/overlays/menu.tsx';
import type { StepFieldsProps } from './edited-steps.ts';

function BoardSelect({
  boards,
  value,
  isNew,
  onChange,
}: {
  boards: readonly Kanban[];
  value: string | undefined;
  isNew?: boolean;
  onChange(kanbanId: string): void;
}) {
  return (
    <Field label={t('macros.field.board')} hint={isNew ? undefined : t('macros.field.boardHint')}>
      {(ids) => (
        <Select
          {...ids}
          value={value}
          onChange={onChange}
          options={boards.map(({ id, name }) => ({ value: id, label: name }))}
        />
      )}
    </Field>
  );
}

export function CardStatus({ step, onChange }: StepFieldsProps) {
  const boards = useKanbans();
  const board = boards.find(({ id }) => id === step.kanbanId);
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <BoardSelect
        boards={boards}
        value={step.kanbanId}
        onChange={(kanbanId) => onChange({ type: step.type, kanbanId })}
      />
      <Field label={t('macros.field.status')}>
        {(ids) => (
          <Select
            {...ids}
            value={step.status}
            onChange={(status) => onChange({ ...step, status })}
            placeholder={t('macros.field.chooseStatus')}
            options={(board?.statuses ?? []).map(({ value, label, color }) => ({
              value,
              label,
              mark: <Dot color={color} />,
            }))}
          />
        )}
      </Field>
    </div>
  );
}

/** `isNew`: the step creates the card. */
export function CardFields({ step, onChange, isNew }: StepFieldsProps & { isNew?: boolean }) {
  const boards = useKanbans();
  const { kanbanId, customFields = {} } = step;
  const fields = boards.find(({ id }) => id === kanbanId)?.fields ?? [];
  const set = (id: string, value: unknown) =>
    onChange({ ...step, customFields: { ...customFields, [id]: value } });
  const remove = (id: string) => {
    const { [id]: _, ...rest } = customFields;
    onChange({ ...step, customFields: rest });
  };
  return (
    <>
      <BoardSelect
        boards={boards}
        value={kanbanId}
        isNew={isNew}
        onChange={(id) => onChange({ type: step.type, kanbanId: id, customFields: {} })}
      />
      {Object.entries(customFields).map(([id, value]) => {
        const field = fields.find((one) => one.id === id);
        return (
          <FieldRow
            key={id}
            field={field}
            value={value}
            onCommit={(next) => set(id, next)}
            onRemove={() => remove(id)}
          />
        );
      })}
      <AddField fields={fields.filter(({ id }) => !(id in customFields))} onAdd={(id) => set(id, null)} />
    </>
  );
}

interface FieldRowProps {
  /** Undefined: it was deleted. */
  field: KanbanField | undefined;
  value: unknown;
  onCommit(value: unknown): void;
  onRemove(): void;
}

function FieldRow({ field, value, onCommit, onRemove }: FieldRowProps) {
  const name = field ? fieldLabel(field) : t('macros.gone');
  return (
    <div className="flex items-end gap-1">
      <div className="min-w-0 flex-1">
        <Field label={name} hint={value === null ? t('macros.field.empty') : undefined}>
          {({ id }) =>
            field && (
              <FieldEditor id={id} label={name} field={field} value={value} onCommit={onCommit} framed />
            )
          }
        </Field>
      </div>
      <IconButton tip={false} label={t('macros.removeField', { name })} onClick={onRemove}>
        <X className="size-4" />
      </IconButton>
    </div>
  );
}

function AddField({ fields, onAdd }: { fields: readonly KanbanField[]; onAdd(id: string): void }) {
  if (fields.length === 0) return null;
  return (
    <span>
      <Menu
        trigger={
          <Button size="small" icon={<Plus className="size-3.5" />}>
            {t('macros.addField')}
          </Button>
        }
      >
        {fields.map((field) => (
          <MenuItem key={field.id} icon={<FieldIcon type={field.type} />} onSelect={() => onAdd(field.id)}>
            {fieldLabel(field)}
          </MenuItem>
        ))}
      </Menu>
    </span>
  );
}
