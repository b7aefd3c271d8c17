/** Behind the filter button; loaded when it is first opened. */
import { t } from '../texts/texts.ts';
import { Field } from '../ui/controls/input.tsx';
import { Select } from '../ui/controls/select.tsx';
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
  return (
    <div className="flex flex-col gap-3 p-3">
      {useReportChoices(search).map(({ key, name, options }) => (
        <Field key={key} label={name}>
          {(ids) => (
            <Select
              {...ids}
              value={search[key] ?? all}
              onChange={(value) => onChange({ [key]: value === all ? undefined : value })}
              options={[{ value: all, label: t('reports.filter.all') }, ...options]}
            />
          )}
        </Field>
      ))}
      <p className="text-sm text-muted">{t('reports.filter.hint')}</p>
    </div>
  );
}
