import type { ImportProgress } from '../../../contract/crm/imports.ts';
import { number } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';

/** The counts of the rows, so far or in the end. */
export function ImportCounts({ progress }: { progress: ImportProgress }) {
  const counts = [
    { key: 'created', count: progress.created, look: 'text-success' },
    { key: 'updated', count: progress.updated, look: 'text-accent-ink' },
    { key: 'skipped', count: progress.skipped, look: 'text-muted' },
    { key: 'failed', count: progress.failed, look: 'text-danger' },
  ] as const;
  return (
    <dl className="grid grid-cols-2 overflow-hidden rounded-panel border border-line sm:grid-cols-4">
      {counts.map(({ key, count, look }, index) => (
        <div
          key={key}
          className={cx(
            'flex flex-col-reverse border-line px-4 py-3',
            index % 2 === 1 && 'border-l',
            index > 1 && 'max-sm:border-t',
            index === 2 && 'sm:border-l',
          )}
        >
          <dt className="text-muted">{t(`import.count.${key}`)}</dt>
          <dd className={cx('tabular text-xl font-semibold', count > 0 ? look : 'text-faint')}>
            {number(count)}
          </dd>
        </div>
      ))}
    </dl>
  );
}
