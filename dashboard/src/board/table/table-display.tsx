/** Which columns the table shows, in which order, and by what it is grouped. */
import { t } from '../../texts/texts.ts';
import { Checkbox } from '../../ui/controls/checkbox.tsx';
import { Field } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { SortableList } from '../../ui/lists/sortable-list.tsx';
import type { DisplayProps } from '../data/layout-props.ts';
import { nameOfField } from '../filters/filter-words.ts';
import { possibleColumns, possibleGroups, tableLook, withTable } from './table-look.ts';

const none = 'none';

export default function TableDisplay({ board, look, onLook, sort }: DisplayProps) {
  const table = tableLook(board, look);
  const set = (next: Partial<typeof table>) => onLook(withTable(look, { ...table, ...next }));
  const hidden = possibleColumns(board).filter((id) => !table.columns.includes(id));
  const column = (id: string) => (
    <Checkbox
      showLabel
      label={nameOfField(board, id)}
      checked={table.columns.includes(id)}
      onChange={(on) =>
        set({ columns: on ? [...table.columns, id] : table.columns.filter((one) => one !== id) })
      }
    />
  );
  return (
    <div className="flex flex-col gap-3 p-3">
      {sort}
      <Field label={t('table.group')}>
        {(ids) => (
          <Select
            {...ids}
            value={table.group ?? none}
            onChange={(id) => set({ group: id === none ? null : id })}
            options={[
              { value: none, label: t('table.noGroup') },
              ...possibleGroups(board).map((id) => ({ value: id, label: nameOfField(board, id) })),
            ]}
          />
        )}
      </Field>
      <fieldset>
        <legend className="mb-1.5 font-medium">{t('table.columns')}</legend>
        <div className="max-h-72 overflow-y-auto">
          <SortableList
            items={table.columns}
            itemKey={(id) => id}
            itemName={(id) => nameOfField(board, id)}
            onReorder={(order) => set({ columns: order })}
            render={column}
          />
          <div className="flex flex-col gap-2 py-1 pl-7">
            {hidden.map((id) => (
              <div key={id}>{column(id)}</div>
            ))}
          </div>
        </div>
      </fieldset>
    </div>
  );
}
