/**
 * Reports as files. One table each: `part` says what a row is (a bucket, the total, a status, an endpoint …), so that
 * the file has every figure of the JSON and can be filtered in a spreadsheet. Times in ms stay in ms.
 */
import type {
  AiReport,
  AnswersReport,
  CopilotReport,
  FirstResponseReport,
  HandoversReport,
  MessagesPerHourReport,
  NewConversationsReport,
  RecordsByStatusReport,
  ResolutionsReport,
  SatisfactionReport,
  ServiceLevelsReport,
  StatusConversionReport,
  WebhooksReport,
} from '../../../contract/reports.ts';
import { csvLine, defuse } from '../../platform/csv/csv.ts';
import { isoTime, type Period } from './reports.period.ts';

type Cell = string | number | boolean | null;
type CsvRow = { [column: string]: Cell };
/** Without a byte order mark spreadsheets assume their own legacy encoding. */
const byteOrderMark = '\ufeff';

/** Columns with user input (labels, names) are identified by position, not by text. */
interface CsvColumn {
  title: string;
  cell(row: CsvRow): Cell | undefined;
}

const named = (...titles: string[]): CsvColumn[] =>
  titles.map((title) => ({ title, cell: (row) => (Object.hasOwn(row, title) ? row[title] : undefined) }));
const counted = (titles: readonly string[]): CsvColumn[] =>
  titles.map((title, index) => ({ title, cell: (row) => row[`#${index}`] }));
const countCells = (counts: readonly number[]): CsvRow =>
  Object.fromEntries(counts.map((count, index) => [`#${index}`, count]));

function csv(columns: readonly CsvColumn[], rows: readonly CsvRow[]): string {
  const text = (cell: Cell | undefined) =>
    typeof cell === 'string' && cell !== '' ? defuse(cell) : String(cell ?? '');
  const lines = rows.map((row) => csvLine(columns.map((column) => text(column.cell(row)))));
  return byteOrderMark + csvLine(columns.map(({ title }) => defuse(title))) + lines.join('');
}

function span(period: Period, part: string, { from, to }: { from: number; to: number }): CsvRow {
  return { part, from: isoTime(period, from), to: isoTime(period, to) };
}

export function recordsByStatusCsv(
  period: Period,
  { statuses, atStart, buckets }: RecordsByStatusReport,
): string {
  return csv(
    [...named('part', 'from', 'to'), ...counted(statuses.map(({ label }) => label))],
    [
      { part: 'start', to: isoTime(period, period.from), ...countCells(atStart) },
      ...buckets.map((bucket) => ({ ...span(period, 'bucket', bucket), ...countCells(bucket.counts) })),
    ],
  );
}

export function statusConversionCsv(_: Period, { statuses, transitions }: StatusConversionReport): string {
  const labels = new Map(statuses.map(({ status, label }) => [status, label]));
  const figures = ['atStart', 'created', 'entered', 'left', 'deleted', 'atEnd', 'count', 'share', 'medianMs'];
  return csv(named('part', 'status', 'to', ...figures), [
    ...statuses.map(({ status, label, color, present, ...sums }) => ({
      part: 'status',
      status: label,
      ...sums,
    })),
    ...transitions.map(({ from, to, ...sums }) => ({
      part: 'transition',
      status: labels.get(from)!,
      to: labels.get(to)!,
      ...sums,
    })),
  ]);
}

export function newConversationsCsv(
  period: Period,
  { channels, total, buckets }: NewConversationsReport,
): string {
  return csv(
    [...named('part', 'from', 'to', 'total'), ...counted(channels.map(({ name }) => name))],
    [
      ...buckets.map((bucket) => ({
        ...span(period, 'bucket', bucket),
        total: bucket.counts.reduce((sum, count) => sum + count, 0),
        ...countCells(bucket.counts),
      })),
      { ...span(period, 'total', period), total, ...countCells(channels.map((channel) => channel.total)) },
    ],
  );
}

export function firstResponseCsv(period: Period, { total, buckets }: FirstResponseReport): string {
  const flat = ({ conversations, unanswered, all, ai, human }: FirstResponseReport['total']): CsvRow => ({
    conversations,
    unanswered,
    ...all,
    aiCount: ai.count,
    aiMedianMs: ai.medianMs,
    aiP90Ms: ai.p90Ms,
    humanCount: human.count,
    humanMedianMs: human.medianMs,
    humanP90Ms: human.p90Ms,
  });
  return csv(named('part', 'from', 'to', ...Object.keys(flat(total))), [
    ...buckets.map((bucket) => ({ ...span(period, 'bucket', bucket), ...flat(bucket) })),
    { ...span(period, 'total', period), ...flat(total) },
  ]);
}

export function resolutionsCsv(period: Period, { total, buckets }: ResolutionsReport): string {
  return csv(named('part', 'from', 'to', ...Object.keys(total)), sums(period, total, buckets));
}

export function satisfactionCsv(
  period: Period,
  { total, operators, channels, buckets }: SatisfactionReport,
): string {
  const flat = ({ count, average, distribution }: SatisfactionReport['total']): CsvRow => ({
    count,
    average,
    ...Object.fromEntries(distribution.map((one, index) => [`score${index + 1}`, one])),
  });
  return csv(named('part', 'from', 'to', 'id', 'name', ...Object.keys(flat(total))), [
    ...buckets.map((bucket) => ({ ...span(period, 'bucket', bucket), ...flat(bucket) })),
    { ...span(period, 'total', period), ...flat(total) },
    ...operators.map((one) => ({ part: 'operator', id: one.userId, name: one.name, ...flat(one) })),
    ...channels.map((one) => ({ part: 'channel', id: one.channelId, name: one.name, ...flat(one) })),
  ]);
}

export function serviceLevelsCsv(period: Period, report: ServiceLevelsReport): string {
  const { total, kinds, policies, teams, people, channels, buckets } = report;
  return csv(named('part', 'from', 'to', 'id', 'name', 'met', 'breached'), [
    ...sums(period, total, buckets),
    ...kinds.map(({ kind, ...one }) => ({ part: 'kind', id: kind, ...one })),
    ...policies.map(({ policyId, ...one }) => ({ part: 'policy', id: policyId, ...one })),
    ...teams.map(({ teamId, ...one }) => ({ part: 'team', id: teamId, ...one })),
    ...people.map(({ userId, ...one }) => ({ part: 'person', id: userId, ...one })),
    ...channels.map(({ channelId, type: _, ...one }) => ({ part: 'channel', id: channelId, ...one })),
  ]);
}

export function answersCsv(period: Period, { total, buckets }: AnswersReport): string {
  return csv(named('part', 'from', 'to', 'ai', 'human'), sums(period, total, buckets));
}

export function handoversCsv(period: Period, { total, reasons, buckets }: HandoversReport): string {
  return csv(named('part', 'from', 'to', 'reason', ...Object.keys(total)), [
    ...sums(period, total, buckets),
    ...reasons.map(({ reason, count }) => ({ part: 'reason', reason, suppressed: count })),
  ]);
}

export function aiCsv(
  period: Period,
  { total, handovers, ratings, agents, channels, buckets }: AiReport,
): string {
  const rated = (part: string, { count, average }: AiReport['ratings']['withAi']): CsvRow => ({
    part,
    ratings: count,
    average,
  });
  const places = ['id', 'name', 'version', 'reason'];
  return csv(named('part', 'from', 'to', ...places, ...Object.keys(total), 'ratings', 'average'), [
    ...sums(period, total, buckets),
    ...agents.flatMap(({ agentId: id, name, versions, ...figures }) => [
      { part: 'agent', id, name, ...figures },
      ...versions.map((one) => ({ part: 'version', id, name, ...one })),
    ]),
    ...channels.map(({ channelId: id, ...one }) => ({ part: 'channel', id, ...one })),
    ...handovers.map(({ reason, count }) => ({ part: 'reason', reason, handedOver: count })),
    rated('rated with AI', ratings.withAi),
    rated('rated without AI', ratings.withoutAi),
  ]);
}

export function copilotCsv(period: Period, { total, users, buckets }: CopilotReport): string {
  return csv(named('part', 'from', 'to', 'id', 'name', ...Object.keys(total)), [
    ...sums(period, total, buckets),
    ...users.map(({ userId: id, ...one }) => ({ part: 'user', id, ...one })),
  ]);
}

export function messagesPerHourCsv(period: Period, { total, cells, buckets }: MessagesPerHourReport): string {
  return csv(named('part', 'from', 'to', 'weekday', 'hour', 'hours', ...Object.keys(total)), [
    ...sums(period, total, buckets),
    ...cells.map((cell) => ({ part: 'hour of the week', ...cell })),
  ]);
}

export function webhooksCsv(period: Period, { total, endpoints, buckets }: WebhooksReport): string {
  const endpoint = ['endpointId', 'kind', 'name', 'url', 'enabled'];
  return csv(named('part', 'from', 'to', ...endpoint, ...Object.keys(total)), [
    ...sums(period, total, buckets),
    ...endpoints.map((one) => ({ part: 'endpoint', ...one })),
  ]);
}

function sums(
  period: Period,
  total: CsvRow,
  buckets: readonly ({ from: number; to: number } & CsvRow)[],
): CsvRow[] {
  return [
    ...buckets.map((bucket) => ({ ...bucket, ...span(period, 'bucket', bucket) })),
    { ...total, ...span(period, 'total', period) },
  ];
}
