/** Sets a field on every selected card, raises its number, or clears it. */
import { Eraser } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import type { RecordUpdate } from '../../../../contract/crm/records.ts';
import type { Card } from '../../../../contract/dashboard.ts';
import { FieldEditor } from '../../fields/field-editor.tsx';
import { FieldIcon } from '../../fields/field-icon.tsx';
import { fieldLabel } from '../../fields/field-label.ts';
import { isEmptyValue } from '../../fields/field-value.tsx';
import { t, tn } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/input.tsx';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { type HowToChange, howsToChange, raised } from './raise.ts';

export default function EditAll({
  board,
  cards,
  onClose,
  onApply,
}: {
  board: Kanban;
  cards: readonly Card[];
  onClose(): void;
  /** `changeOf` is asked of each card as it is then; null: it stays as it is. `done` is shown with Undo. */
  onApply(changeOf: (card: Card) => RecordUpdate | null, done: (count: number) => string): void;
}) {
  const [fieldId, setFieldId] = useState(board.fields[0]?.id);
  const [value, setValue] = useState<unknown>(null);
  // A text is committed on blur. Until then, only this shows that there is one.
  const [isTyped, setIsTyped] = useState(false);
  const field = board.fields.find(({ id }) => id === fieldId);
  const isNumber = field?.type === 'number' || field?.type === 'currency';
  const [chosen, setHow] = useState<HowToChange>('set');
  const how = isNumber ? chosen : 'set';
  const filled = field ? cards.filter(({ customFields }) => !isEmptyValue(customFields[field.id])) : [];
  const apply = () => {
    if (!field || isEmptyValue(value)) return;
    const nextOf = (current: unknown) =>
      how === 'set' ? value : isEmptyValue(current) ? null : raised(field.type, how, current, Number(value));
    onApply(
      ({ customFields }) => {
        const next = nextOf(customFields[field.id]);
        return next === null ? null : { customFields: { [field.id]: next } };
      },
      (count) => tn('board.bulk.done', count),
    );
    onClose();
  };
  const clear = () => {
    if (!field) return;
    onApply(
      ({ customFields }) =>
        isEmptyValue(customFields[field.id]) ? null : { customFields: { [field.id]: null } },
      (count) => tn('board.bulk.cleared', count, { field: fieldLabel(field) }),
    );
    onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('board.bulk.edit')}
      description={t(how === 'set' ? 'board.bulk.editText' : 'board.bulk.raiseText')}
      footer={
        <>
          <Button onClick={onClose}>{t('ui.cancel')}</Button>
          <Button tone="primary" disabled={isEmptyValue(value) && !isTyped} onClick={apply}>
            {t('board.bulk.apply')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label={t('board.filter.field')}>
          {(ids) => (
            <Select
              {...ids}
              value={fieldId}
              onChange={(id) => {
                setFieldId(id);
                setValue(null);
                setIsTyped(false);
              }}
              options={board.fields.map((one) => ({
                value: one.id,
                label: fieldLabel(one),
                mark: <FieldIcon type={one.type} className="size-3.5 text-faint" />,
              }))}
            />
          )}
        </Field>
        {isNumber && (
          <Segmented<HowToChange>
            label={t('board.bulk.how')}
            value={how}
            onChange={(next) => {
              setHow(next);
              setValue(null);
              setIsTyped(false);
            }}
            segments={howsToChange.map((one) => ({ value: one, label: t(`board.bulk.how.${one}`) }))}
          />
        )}
        {field && (
          <Field label={fieldLabel(field)}>
            {(ids) => (
              <fieldset
                className="min-w-0"
                onChange={(event: FormEvent) => {
                  // The search box of an open picker is outside this element.
                  if (!event.currentTarget.contains(event.target as Node)) return;
                  setValue(null);
                  setIsTyped((event.target as HTMLInputElement).value.trim() !== '');
                }}
                // The editor has committed all valid input by now.
                onBlur={() => setIsTyped(false)}
              >
                <FieldEditor
                  key={`${field.id} ${how}`}
                  {...ids}
                  field={how === 'percent' ? { ...field, type: 'number' } : field}
                  value={value}
                  onCommit={setValue}
                  framed
                />
              </fieldset>
            )}
          </Field>
        )}
        {field && filled.length > 0 && (
          <Button tone="quiet" className="self-start" icon={<Eraser className="size-3.5" />} onClick={clear}>
            {tn('board.bulk.clearField', filled.length, { field: fieldLabel(field) })}
          </Button>
        )}
      </div>
    </Dialog>
  );
}
