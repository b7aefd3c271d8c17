/** Behind the filter button; loaded when it is first opened. */
import { useState } from 'react';
import type { Kanban, KanbanField } from '../../../../contract/kanbans.ts';
import { useUsers } from '../../data/queries.ts';
import { useSignedIn } from '../../data/session.ts';
import { FieldIcon } from '../../fields/field-icon.tsx';
import { fieldLabel } from '../../fields/field-label.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, Input } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Avatar } from '../../ui/display/avatar.tsx';
import type { BoardFilters } from '../data/board-look.ts';

export interface FilterProps {
  board: Kanban;
  filters: BoardFilters;
  onChange(filters: BoardFilters): void;
}

const anyone = 'anyone';

export default function FilterForm({ board, filters, onChange }: FilterProps) {
  const users = useUsers();
  const { user } = useSignedIn();
  const [fieldId, setFieldId] = useState<string | undefined>();
  const chosen = board.fields.find((field) => field.id === (fieldId ?? filters.field));
  const people = [...users].sort((a, b) => Number(b.id === user.id) - Number(a.id === user.id));
  return (
    <div className="flex flex-col gap-3 p-3">
      <Field label={t('board.filter.assignee')}>
        {(ids) => (
          <Select
            {...ids}
            value={filters.assignee ?? anyone}
            onChange={(assignee) =>
              onChange({ ...filters, assignee: assignee === anyone ? undefined : assignee })
            }
            options={[
              { value: anyone, label: '–' },
              ...people.map(({ id, name }) => ({
                value: id,
                label: id === user.id ? t('board.filter.me', { name }) : name,
                mark: <Avatar id={id} name={name} tip={false} />,
              })),
            ]}
          />
        )}
      </Field>
      <Field label={t('board.filter.field')}>
        {(ids) => (
          <Select
            {...ids}
            value={chosen?.id}
            placeholder={t('board.filter.anyField')}
            onChange={setFieldId}
            options={board.fields.map((one) => ({
              value: one.id,
              label: fieldLabel(one),
              mark: <FieldIcon type={one.type} className="size-3.5 text-faint" />,
            }))}
          />
        )}
      </Field>
      {chosen && (
        <Field label={t('board.filter.value')}>
          {(ids) => (
            <ValueChoice
              key={chosen.id}
              ids={ids}
              field={chosen}
              value={filters.field === chosen.id ? (filters.value ?? '') : ''}
              onChange={(value) =>
                onChange({ ...filters, field: value ? chosen.id : undefined, value: value || undefined })
              }
            />
          )}
        </Field>
      )}
      {(filters.assignee || filters.field) && (
        <Button tone="quiet" className="self-start" onClick={() => onChange({ q: filters.q })}>
          {t('board.filter.clear')}
        </Button>
      )}
    </div>
  );
}

function ValueChoice({
  field,
  value,
  onChange,
  ids,
}: {
  field: KanbanField;
  value: string;
  onChange(value: string): void;
  ids: { id: string };
}) {
  const [text, setText] = useState(value);
  if (field.options || field.type === 'boolean') {
    const options = field.options
      ? field.options.map((one) => ({ value: one, label: one }))
      : [
          { value: 'true', label: t('fields.yes') },
          { value: 'false', label: t('fields.no') },
        ];
    return (
      <Select
        {...ids}
        value={value || undefined}
        placeholder={t('fields.choose')}
        onChange={onChange}
        options={options}
      />
    );
  }
  return (
    <Input
      {...ids}
      type={field.type === 'date' ? 'date' : 'text'}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => onChange(text.trim())}
      onKeyDown={(event) => event.key === 'Enter' && onChange(text.trim())}
    />
  );
}
