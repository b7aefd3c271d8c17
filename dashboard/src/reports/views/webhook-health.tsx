import { useMemo } from 'react';
import { number, shortDate } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Chart } from '../chart/chart.tsx';
import { lookOf } from '../chart/series-look.ts';
import { ReportCard } from '../report-card.tsx';
import { type Reports, useReport } from '../report-data.ts';
import { durationOrNone, share } from '../report-format.ts';
import { ReportTable } from '../report-table.tsx';
import { useBuckets } from '../use-buckets.ts';
import type { ViewProps } from './view-parts.tsx';

type Health = Reports['webhooks']['total'];
type Endpoint = Reports['webhooks']['endpoints'][number];

const outcomes = ['first', 'later', 'open', 'exhausted'] as const;
const outcomeName = (outcome: (typeof outcomes)[number]) =>
  ({
    first: t('reports.webhooks.first'),
    later: t('reports.webhooks.later'),
    open: t('reports.webhooks.open'),
    exhausted: t('reports.webhooks.exhausted'),
  })[outcome];
const countOf = (health: Health, outcome: (typeof outcomes)[number]) =>
  outcome === 'first'
    ? health.firstAttempt
    : outcome === 'later'
      ? health.delivered - health.firstAttempt
      : outcome === 'open'
        ? health.open
        : health.exhausted;
const nameOf = ({ name, url, enabled }: Endpoint) => {
  const shown = name.trim() || url.replace(/^https?:\/\//, '');
  return enabled ? shown : `${shown} (${t('reports.webhooks.disabled')})`;
};

export function WebhookHealth({ scope }: ViewProps) {
  const query = useReport('webhooks', scope);
  const { data } = query;
  const { ticks, titles } = useBuckets(data);
  const series = useMemo(
    () =>
      outcomes.map((outcome, at) => ({
        id: outcome,
        label: outcomeName(outcome),
        // Blue, green, grey, rust: what failed is not the second colour of the palette by chance.
        look: lookOf([0, 2, 6, 4][at]!),
        values: (data?.buckets ?? []).map((bucket) => countOf(bucket, outcome)),
      })),
    [data],
  );
  const title = t('reports.webhooks.title');
  const cells = (one: Health) => [
    number(one.deliveries),
    ...outcomes.map((outcome) => number(countOf(one, outcome))),
    number(one.attempts),
    durationOrNone(one.p50Ms),
    durationOrNone(one.p95Ms),
  ];
  const columns = [
    t('reports.webhooks.deliveries'),
    ...outcomes.map((outcome) => outcomeName(outcome)),
    t('reports.webhooks.attempts'),
    t('reports.webhooks.p50'),
    t('reports.webhooks.p95'),
  ];
  return (
    <ReportCard
      name="webhooks"
      scope={scope}
      query={query}
      title={title}
      hint={
        data && data.keptSince > data.period.from
          ? `${t('reports.webhooks.hint')} ${t('reports.webhooks.keptSince', { date: shortDate(data.keptSince) })}`
          : t('reports.webhooks.hint')
      }
      empty={{ title: t('reports.webhooks.empty'), text: t('reports.webhooks.emptyText') }}
      isEmpty={({ total }) => total.deliveries === 0}
      chart={({ endpoints }) => (
        <div className="flex min-w-0 flex-col gap-3">
          <Chart
            label={title}
            kind="bars"
            series={series}
            ticks={ticks}
            titles={titles}
            format={number}
            height={endpoints.length > 0 ? 160 : 220}
            total
          />
          <ReportTable
            className="max-h-[124px]"
            label={t('reports.webhooks.endpoint')}
            table={endpointTable(endpoints)}
          />
        </div>
      )}
      table={({ buckets, endpoints, total }) => (
        <ReportTable
          label={title}
          table={{
            head: `${t('reports.time')} / ${t('reports.webhooks.endpoint')}`,
            columns,
            rows: [
              ...endpoints.map((one) => ({ id: one.endpointId, name: nameOf(one), cells: cells(one) })),
              ...buckets.map((bucket, at) => ({
                id: String(bucket.from),
                name: titles[at] ?? '',
                cells: cells(bucket),
              })),
            ],
            foot: { name: t('reports.total'), cells: cells(total) },
          }}
        />
      )}
    />
  );
}

const endpointTable = (endpoints: readonly Endpoint[]) => ({
  head: t('reports.webhooks.endpoint'),
  columns: [t('reports.webhooks.deliveries'), t('reports.webhooks.delivered'), t('reports.webhooks.p95')],
  rows: endpoints.map((one) => ({
    id: one.endpointId,
    name: nameOf(one),
    cells: [
      number(one.deliveries),
      one.deliveries > 0 ? share(one.delivered / one.deliveries) : '–',
      durationOrNone(one.p95Ms),
    ],
  })),
});
