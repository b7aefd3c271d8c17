import { ListFilter, X } from 'lucide-react';
import { useState } from 'react';
import type { Kanban, KanbanField } from '../../../contract/kanbans.ts';
import { useUsers } from '../data/queries.ts';
import { useSignedIn } from '../data/session.ts';
import { FieldIcon } from '../fields/field-icon.tsx';
import { t } from '../texts/texts.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Button } from '../ui/button.tsx';
import { Field, Input } from '../ui/input.tsx';
import { Popover } from '../ui/popover.tsx';
import { Select } from '../ui/select.tsx';
import type { BoardFilters } from './board-look.ts';

interface FilterProps {
  board: Kanban;
  filters: BoardFilters;
  onChange(filters: BoardFilters): void;
}

const anyone = 'anyone';

export function FilterButton({ board, filters, onChange }: FilterProps) {
  const users = useUsers();
  const { user } = useSignedIn();
  const [fieldId, setFieldId] = useState<string | undefined>();
  const chosen = board.fields.find((field) => field.id === (fieldId ?? filters.field));
  const count = [filters.assignee, filters.field && filters.value].filter(Boolean).length;
  const people = [...users].sort((a, b) => Number(b.id === user.id) - Number(a.id === user.id));
  return (
    <Popover
      align="end"
      label={t('board.filter')}
      className="w-72"
      trigger={
        <Button
          tone="quiet"
          icon={<ListFilter className="size-3.5" />}
          aria-label={t('board.filter')}
          className={count > 0 ? 'text-accent-ink!' : ''}
        >
          <span className="max-md:hidden">{t('board.filter')}</span>
          {count > 0 && <span className="tabular">{count}</span>}
        </Button>
      }
    >
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
              options={board.fields.map(({ id, name, type }) => ({
                value: id,
                label: name,
                mark: <FieldIcon type={type} className="size-3.5 text-faint" />,
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
        {count > 0 && (
          <Button tone="quiet" className="self-start" onClick={() => onChange({ q: filters.q })}>
            {t('board.filter.clear')}
          </Button>
        )}
      </div>
    </Popover>
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

export function FilterChips({ board, filters, onChange }: FilterProps) {
  const users = useUsers();
  const field = board.fields.find(({ id }) => id === filters.field);
  const chips = [
    filters.assignee && {
      name: t('board.filter.assignee'),
      value: users.find(({ id }) => id === filters.assignee)?.name ?? '…',
      without: { ...filters, assignee: undefined },
    },
    field &&
      filters.value && {
        name: field.name,
        value: filters.value,
        without: { ...filters, field: undefined, value: undefined },
      },
  ].filter((chip) => typeof chip === 'object');
  if (chips.length === 0) return null;
  return (
    <div className="flex shrink-0 flex-wrap gap-1.5 border-b border-line px-4 py-1.5">
      {chips.map((chip) => (
        <span
          key={chip.name}
          className="flex h-6 items-center rounded-control border border-line bg-sunken text-sm"
        >
          <span className="pl-2 text-muted">{chip.name}</span>
          <span className="max-w-48 truncate px-1.5 font-medium">{chip.value}</span>
          <button
            type="button"
            aria-label={t('board.filter.remove', { name: chip.name })}
            onClick={() => onChange(chip.without)}
            className="flex h-full items-center rounded-r-control border-l border-line px-1 text-faint hover:bg-hover hover:text-ink"
          >
            <X className="size-3" />
          </button>
        </span>
      ))}
    </div>
  );
}
