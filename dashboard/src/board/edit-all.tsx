/** One value for every selected card. */
import { useState } from 'react';
import type { Kanban } from '../../../contract/kanbans.ts';
import type { RecordUpdate } from '../../../contract/records.ts';
import { FieldEditor } from '../fields/field-editor.tsx';
import { FieldIcon } from '../fields/field-icon.tsx';
import { fieldLabel } from '../fields/field-label.ts';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/input.tsx';
import { Select } from '../ui/select.tsx';

export default function EditAll({
  board,
  onClose,
  onApply,
}: {
  board: Kanban;
  onClose(): void;
  onApply(change: RecordUpdate): void;
}) {
  const [fieldId, setFieldId] = useState(board.fields[0]?.id);
  const [value, setValue] = useState<unknown>(null);
  const field = board.fields.find(({ id }) => id === fieldId);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('board.bulk.edit')}
      description={t('board.bulk.editText')}
      footer={
        <>
          <Button onClick={onClose}>{t('ui.cancel')}</Button>
          <Button
            tone="primary"
            disabled={!field}
            onClick={() => {
              onApply({ customFields: { [field!.id]: value } });
              onClose();
            }}
          >
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
              <FieldEditor key={field.id} {...ids} field={field} value={value} onCommit={setValue} framed />
            )}
          </Field>
        )}
      </div>
    </Dialog>
  );
}
