import { SlidersHorizontal } from 'lucide-react';
import type { Kanban } from '../../../contract/kanbans.ts';
import { t } from '../texts/texts.ts';
import { IconButton } from '../ui/button.tsx';
import { Field } from '../ui/input.tsx';
import { Popover } from '../ui/popover.tsx';
import { Select } from '../ui/select.tsx';
import { Checkbox } from '../ui/switch.tsx';
import { type BoardLook, mostFaceFields } from './board-look.ts';

const none = 'none';

/** What a card shows, and what the columns add up. */
export function DisplayOptions({
  board,
  look,
  onLook,
}: {
  board: Kanban;
  look: BoardLook;
  onLook(look: BoardLook): void;
}) {
  const summable = board.fields.filter(({ type }) => type === 'currency' || type === 'number');
  const toggle = (id: string, on: boolean) =>
    onLook({
      ...look,
      face: on ? [...look.face, id].slice(-mostFaceFields) : look.face.filter((one) => one !== id),
    });
  return (
    <Popover
      align="end"
      label={t('board.display')}
      className="w-64"
      trigger={
        <IconButton label={t('board.display')}>
          <SlidersHorizontal className="size-4" />
        </IconButton>
      }
    >
      <div className="flex flex-col gap-3 p-3">
        <fieldset>
          <legend className="mb-1.5 font-medium">{t('board.display.face')}</legend>
          <div className="flex max-h-60 flex-col gap-1.5 overflow-y-auto">
            {board.fields.map(({ id, name }) => (
              <Checkbox
                key={id}
                showLabel
                label={name}
                checked={look.face.includes(id)}
                onChange={(on) => toggle(id, on)}
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
                  ...summable.map(({ id, name }) => ({ value: id, label: name })),
                ]}
              />
            )}
          </Field>
        )}
      </div>
    </Popover>
  );
}
