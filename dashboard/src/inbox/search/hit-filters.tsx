/** By whom and when: the filters of message search beside the inbox's own. */
import { useState } from 'react';
import { useUsers } from '../../data/queries.ts';
import { useSignedIn } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { Input } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import type { HitFilter } from './hit-data.ts';

const dayMs = 86_400_000;
const presets = { week: 7, month: 30, year: 365 } as const;
type Period = 'any' | keyof typeof presets | 'custom';

interface HitFiltersProps {
  filter: HitFilter;
  onChange(filter: HitFilter): void;
}

export function HitFilters({ filter, onChange }: HitFiltersProps) {
  const { user } = useSignedIn();
  const colleagues = useUsers().filter(({ id }) => id !== user.id);
  const [period, setPeriod] = useState<Period>('any');
  const authors = [
    { value: 'any', label: t('inbox.hits.anyone') },
    { value: 'customer', label: t('inbox.hits.customers') },
    { value: 'ai', label: t('inbox.hits.ai') },
    { value: 'operator', label: t('inbox.hits.team') },
    { value: user.id, label: t('inbox.role.you') },
    ...colleagues.map(({ id, name }) => ({ value: id, label: name })),
  ];
  const periods: { value: Period; label: string }[] = [
    { value: 'any', label: t('inbox.hits.anyTime') },
    { value: 'week', label: t('inbox.hits.week') },
    { value: 'month', label: t('inbox.hits.month') },
    { value: 'year', label: t('inbox.hits.year') },
    { value: 'custom', label: t('inbox.hits.custom') },
  ];
  const choosePeriod = (next: Period) => {
    setPeriod(next);
    const days = next === 'any' || next === 'custom' ? null : presets[next];
    // Whole days, so that the same choice asks the same question.
    const from = days === null ? undefined : startOfDay(new Date(Date.now() - days * dayMs));
    onChange({ ...filter, from, to: undefined });
  };
  return (
    <div className="flex flex-col gap-1.5 px-3 pb-2">
      <div className="flex gap-1.5">
        <Select
          label={t('inbox.hits.author')}
          className="h-7! min-w-0 flex-1 text-sm"
          value={filter.author ?? 'any'}
          options={authors}
          onChange={(author) => onChange({ ...filter, author: author === 'any' ? undefined : author })}
        />
        <Select
          label={t('inbox.hits.period')}
          className="h-7! min-w-0 flex-1 text-sm"
          value={period}
          options={periods}
          onChange={choosePeriod}
        />
      </div>
      {period === 'custom' && (
        <div className="flex gap-1.5">
          <Day label={t('inbox.hits.from')} onChange={(from) => onChange({ ...filter, from })} />
          <Day
            label={t('inbox.hits.to')}
            // The chosen day is included.
            onChange={(to) => onChange({ ...filter, to: to === undefined ? undefined : to + dayMs })}
          />
        </div>
      )}
    </div>
  );
}

function Day({ label, onChange }: { label: string; onChange(at: number | undefined): void }) {
  return (
    <Input
      type="date"
      aria-label={label}
      className="h-7! min-w-0 flex-1 text-sm"
      onChange={({ target }) =>
        onChange(target.value ? startOfDay(new Date(`${target.value}T00:00`)) : undefined)
      }
    />
  );
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
