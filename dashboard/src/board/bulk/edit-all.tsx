/** Sets a field on every selected card, or clears it. */
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
import { Select } from '../../ui/controls/select.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';

export default function EditAll({
  board,
  cards,
  onClose,
  onApply,
}: {
  board: Kanban;
  cards: readonly Card[];
  onClose(): void;
  /** `done` is shown with Undo. */
  onApply(cards: readonly Card[], change: RecordUpdate, done: string): void;
}) {
  const [fieldId, setFieldId] = useState(board.fields[0]?.id);
  const [value, setValue] = useState<unknown>(null);
  // A text is committed on blur. Until then, only this shows that there is one.
  const [isTyped, setIsTyped] = useState(false);
  const field = board.fields.find(({ id }) => id === fieldId);
  const filled = field ? cards.filter(({ customFields }) => !isEmptyValue(customFields[field.id])) : [];
  const apply = () => {
    if (!field || isEmptyValue(value)) return;
    onApply(cards, { customFields: { [field.id]: value } }, tn('board.bulk.done', cards.length));
    onClose();
  };
  const clear = () => {
    if (!field) return;
    const done = tn('board.bulk.cleared', filled.length, { field: fieldLabel(field) });
    onApply(filled, { customFields: { [field.id]: null } }, done);
    onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('board.bulk.edit')}
      description={t('board.bulk.editText')}
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
                <FieldEditor key={field.id} {...ids} field={field} value={value} onCommit={setValue} framed />
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
