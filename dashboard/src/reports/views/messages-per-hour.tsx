import { useState } from 'react';
import { number } from '../../texts/format.ts';
import { t, tn } from '../../texts/texts.ts';
import { HeatMap } from '../chart/heat-map.tsx';
import { ReportCard } from '../report-card.tsx';
import { type Reports, useReport } from '../report-data.ts';
import { average, hourName, weekdayName } from '../report-format.ts';
import { ReportTable } from '../report-table.tsx';
import { type ViewProps, Whose } from './view-parts.tsx';

const whoNames = ['all', 'customer', 'ai', 'human'] as const;
type Who = (typeof whoNames)[number];
type Cell = Reports['messages-per-hour']['cells'][number];
const weekdays = [1, 2, 3, 4, 5, 6, 7];
const hours = Array.from({ length: 24 }, (_, hour) => hour);

/** Copies of what was sent elsewhere are messages of the conversation, too. */
const countOf = (cell: Pick<Cell, 'customer' | 'ai' | 'human' | 'echo'>, who: Who) =>
  who === 'all' ? cell.customer + cell.ai + cell.human + cell.echo : cell[who];

export function MessagesPerHour({ scope }: ViewProps) {
  const [who, setWho] = useState<Who>('all');
  const query = useReport('messages-per-hour', scope);
  const cellAt = (weekday: number, hour: number) =>
    query.data?.cells.find((cell) => cell.weekday === weekday && cell.hour === hour);
  const title = t('reports.hours.title');
  const names = {
    all: t('reports.hours.all'),
    customer: t('reports.hours.customer'),
    ai: t('reports.hours.ai'),
    human: t('reports.hours.human'),
  };
  const valueAt = (weekday: number, hour: number) => {
    const cell = cellAt(weekday, hour);
    return cell ? countOf(cell, who) : 0;
  };
  return (
    <ReportCard
      name="messages-per-hour"
      scope={scope}
      query={query}
      title={title}
      aside={
        <Whose<Who>
          label={t('reports.hours.of')}
          value={who}
          options={whoNames.map((value) => ({ value, label: names[value] }))}
          onChange={setWho}
        />
      }
      hint={t('reports.hours.hint')}
      empty={{ title: t('reports.hours.empty'), text: t('reports.hours.emptyText') }}
      isEmpty={({ total }) => countOf(total, who) === 0}
      chart={({ cells }) => (
        <HeatMap
          label={title}
          rows={weekdays.map((weekday) => ({
            id: String(weekday),
            label: weekdayName(weekday, 'short'),
            values: hours.map((hour) => valueAt(weekday, hour)),
          }))}
          columns={hours.map(hourName)}
          titleOf={(row, hour) => `${weekdayName(row + 1, 'long')}, ${hourName(hour)}`}
          textsOf={(row, hour) => {
            const value = valueAt(row + 1, hour);
            const divisor = cellAt(row + 1, hour)?.hours ?? 0;
            return [
              tn('reports.hours.messages', value),
              ...(value > 0 && divisor > 1
                ? [t('reports.hours.average', { value: average(value / divisor) })]
                : []),
            ];
          }}
          maxText={t('reports.hours.most', {
            count: number(Math.max(...cells.map((cell) => countOf(cell, who)))),
          })}
        />
      )}
      table={() => (
        <ReportTable
          label={title}
          table={{
            head: t('reports.hours.weekday'),
            columns: [...hours.map(hourName), t('reports.total')],
            rows: weekdays.map((weekday) => {
              const counts = hours.map((hour) => valueAt(weekday, hour));
              return {
                id: String(weekday),
                name: weekdayName(weekday, 'long'),
                cells: [...counts, counts.reduce((sum, one) => sum + one, 0)].map(number),
              };
            }),
          }}
        />
      )}
    />
  );
}
