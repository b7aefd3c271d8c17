/** Behind the filter button; loaded when it is first opened. */
import { boardColor } from '../app/rail.tsx';
import { useKanbans } from '../data/queries.ts';
import { t } from '../texts/texts.ts';
import { Dot } from '../ui/badge.tsx';
import { Field } from '../ui/input.tsx';
import { type Option, Select } from '../ui/select.tsx';
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
  const boards = useKanbans();
  const { channels, agents } = useReportChoices();
  const choice = (key: 'board' | 'channel' | 'agent', label: string, options: Option[]) => (
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
        'board',
        t('reports.filter.board'),
        boards.map(({ id, slug, name }) => ({
          value: slug,
          label: name,
          mark: <Dot color={boardColor(id)} className="size-2.5 rounded-[3px]" />,
        })),
      )}
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
