/** Behind the filter button; loaded when it is first opened. */
import { t } from '../texts/texts.ts';
import { Field } from '../ui/controls/input.tsx';
import { type Option, Select } from '../ui/controls/select.tsx';
import { useReportChoices } from './report-choices.ts';
import type { ReportSearch } from './report-search.ts';

const all = 'all';

export default function ReportFilters({
  search,
  onChange,
}: {
  search: ReportSearch;
  onChange(change: Partial<ReportSearch>): void;
}) {
  const { channels, agents } = useReportChoices();
  const choice = (key: 'channel' | 'agent', label: string, options: Option[]) => (
    <Field label={label}>
      {(ids) => (
        <Select
          {...ids}
          value={search[key] ?? all}
          onChange={(value) => onChange({ [key]: value === all ? undefined : value })}
          options={[{ value: all, label: t('reports.filter.all') }, ...options]}
        />
      )}
    </Field>
  );
  return (
    <div className="flex flex-col gap-3 p-3">
      {choice(
        'channel',
        t('reports.filter.channel'),
        channels.map(({ id, name }) => ({ value: id, label: name })),
      )}
      {choice(
        'agent',
        t('reports.filter.agent'),
        agents.map(({ id, name }) => ({ value: id, label: name })),
      )}
      <p className="text-sm text-muted">{t('reports.filter.hint')}</p>
    </div>
  );
}
