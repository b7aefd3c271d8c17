/** Behind the display button; loaded when it is first opened. */
import { Suspense } from 'react';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import { fieldLabel } from '../../fields/field-label.ts';
import { t } from '../../texts/texts.ts';
import { Checkbox } from '../../ui/controls/checkbox.tsx';
import { Field } from '../../ui/controls/input.tsx';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { manualOrder, maxFaceFields, sortableFields } from '../data/board-look.ts';
import type { DisplayOptionsProps, DisplayProps } from '../data/layout-props.ts';
import { nameOfField } from '../filters/filter-words.ts';
import { layouts } from '../layouts.tsx';

const none = 'none';

export default function DisplayForm(props: DisplayOptionsProps) {
  const { board, filters, onFilters } = props;
  const { Display } = layouts[props.layout];
  const sort = (
    <SortChoice board={board} sort={filters.sort} onSort={(next) => onFilters({ ...filters, sort: next })} />
  );
  return (
    <Suspense fallback={<div className="h-64" />}>
      {Display ? <Display {...props} sort={sort} /> : <CardDisplay {...props} sort={sort} />}
    </Suspense>
  );
}

function CardDisplay({ board, look, onLook, sort }: DisplayProps) {
  const summable = board.fields.filter(({ type }) => type === 'currency' || type === 'number');
  const toggle = (id: string, on: boolean) =>
    onLook({
      ...look,
      face: on ? [...look.face, id].slice(-maxFaceFields) : look.face.filter((one) => one !== id),
    });
  return (
    <div className="flex flex-col gap-3 p-3">
      {sort}
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

function SortChoice({
  board,
  sort,
  onSort,
}: {
  board: Kanban;
  sort: string | undefined;
  onSort(sort: string | undefined): void;
}) {
  const isDescending = sort?.startsWith('-') ?? false;
  const field = sort?.replace(/^-/, '');
  const write = (name: string, descending: boolean) => onSort(descending ? `-${name}` : name);
  return (
    <div className="flex flex-col gap-1.5">
      <Field label={t('board.sort')}>
        {(ids) => (
          <Select
            {...ids}
            value={field ?? none}
            onChange={(name) => {
              if (name === none) onSort(undefined);
              else write(name, isDescending && name !== manualOrder);
            }}
            options={[
              { value: none, label: t('board.sort.newest') },
              { value: manualOrder, label: t('board.sort.manual') },
              ...sortableFields(board).map((name) => ({ value: name, label: nameOfField(board, name) })),
            ]}
          />
        )}
      </Field>
      {field && field !== manualOrder && (
        <div className="flex">
          <Segmented
            label={t('board.sort.direction')}
            value={isDescending ? 'descending' : 'ascending'}
            onChange={(direction) => write(field, direction === 'descending')}
            segments={[
              { value: 'ascending', label: t('board.sort.ascending') },
              { value: 'descending', label: t('board.sort.descending') },
            ]}
          />
        </div>
      )}
    </div>
  );
}
