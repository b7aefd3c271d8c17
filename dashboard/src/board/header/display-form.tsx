/** Behind the display button; loaded when it is first opened. */
import type { Kanban } from '../../../../contract/kanbans.ts';
import { fieldLabel } from '../../fields/field-label.ts';
import { t } from '../../texts/texts.ts';
import { Field } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Checkbox } from '../../ui/controls/switch.tsx';
import { type BoardLook, maxFaceFields } from '../data/board-look.ts';

const none = 'none';

export interface DisplayOptionsProps {
  board: Kanban;
  look: BoardLook;
  onLook(look: BoardLook): void;
}

export default function DisplayForm({ board, look, onLook }: DisplayOptionsProps) {
  const summable = board.fields.filter(({ type }) => type === 'currency' || type === 'number');
  const toggle = (id: string, on: boolean) =>
    onLook({
      ...look,
      face: on ? [...look.face, id].slice(-maxFaceFields) : look.face.filter((one) => one !== id),
    });
  return (
    <div className="flex flex-col gap-3 p-3">
      <fieldset>
        <legend className="mb-1.5 font-medium">{t('board.display.face')}</legend>
        <div className="flex max-h-60 flex-col gap-1.5 overflow-y-auto">
          {board.fields.map((field) => (
            <Checkbox
              key={field.id}
              showLabel
              label={fieldLabel(field)}
              checked={look.face.includes(field.id)}
              onChange={(on) => toggle(field.id, on)}
            />
          ))}
        </div>
      </fieldset>
      {summable.length > 0 && (
        <Field label={t('board.display.sum')}>
          {(ids) => (
            <Select
              {...ids}
              value={look.sum ?? none}
              onChange={(id) => onLook({ ...look, sum: id === none ? null : id })}
              options={[
                { value: none, label: t('board.display.noSum') },
                ...summable.map((field) => ({ value: field.id, label: fieldLabel(field) })),
              ]}
            />
          )}
        </Field>
      )}
    </div>
  );
}
