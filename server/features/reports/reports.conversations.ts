/** What happened in conversations: how many began, how fast they were answered, by whom, and when. */
import type {
  AnswersReport,
  ConversationReportQuery,
  FirstResponseReport,
  HandoversReport,
  MessagesPerHourReport,
  NewConversationsReport,
} from '../../../contract/reports.ts';
import type { Db } from '../../platform/db/db.ts';
import { isId } from '../../platform/ids.ts';
import {
  type ConversationFilter,
  countHandovers,
  countNewConversations,
  measureFirstResponses,
  type ResponseRow,
  type TroubleRow,
} from './reports.conversations.sql.ts';
import { eachBucket, hoursPerCell, type Period, toReportPeriod } from './reports.period.ts';
import { countTraffic, type TrafficRow } from './reports.traffic.sql.ts';

/** An impossible id matches nothing, like one that the caller may not see: nothing is counted. */
export function conversationFilter(
  { kanbanId, channelId, agentId }: ConversationReportQuery,
  visibleKanbanIds: string[] | null,
): ConversationFilter {
  if ([kanbanId, channelId, agentId].some((id) => id !== undefined && !isId(id))) {
    return { visibleKanbanIds: [] };
  }
  return { kanbanId, channelId, agentId, visibleKanbanIds };
}

export async function reportNewConversations(
  db: Db,
  accountId: string,
  filter: ConversationFilter,
  period: Period,
): Promise<NewConversationsReport> {
  const rows = await countNewConversations(db, accountId, filter, period);
  const channels = [...Map.groupBy(rows, (row) => row.channelId).values()]
    .map((of) => {
      const { channelId, name, type } = of[0]!;
      return { channelId, name, type, total: of.reduce((sum, row) => sum + row.count, 0) };
    })
    .sort((a, b) => b.total - a.total || compare(a.name, b.name) || compare(a.channelId, b.channelId));
  const counts = new Map(rows.map((row) => [`${row.bucket} ${row.channelId}`, row.count]));
  return {
    period: toReportPeriod(period),
    channels,
    total: channels.reduce((sum, channel) => sum + channel.total, 0),
    buckets: eachBucket(period, (bucket) => ({
      counts: channels.map(({ channelId }) => counts.get(`${bucket} ${channelId}`) ?? 0),
    })),
  };
}

export async function reportFirstResponse(
  db: Db,
  accountId: string,
  filter: ConversationFilter,
  period: Period,
): Promise<FirstResponseReport> {
  const rows = await measureFirstResponses(db, accountId, filter, period);
  const byBucket = new Map(rows.map((row) => [row.bucket, row]));
  return {
    period: toReportPeriod(period),
    total: responsesOf(byBucket.get(null)),
    buckets: eachBucket(period, (bucket) => responsesOf(byBucket.get(bucket))),
  };
}

function responsesOf(row: ResponseRow | undefined): FirstResponseReport['total'] {
  const times = (count: number, ms: [number, number] | null | undefined) => ({
    count,
    medianMs: ms?.[0] ?? null,
    p90Ms: ms?.[1] ?? null,
  });
  const { conversations = 0, unanswered = 0, ai = 0, human = 0 } = row ?? {};
  return {
    conversations,
    unanswered,
    all: times(ai + human, row?.all_ms),
    ai: times(ai, row?.ai_ms),
    human: times(human, row?.human_ms),
  };
}

export async function reportAnswers(
  db: Db,
  accountId: string,
  filter: ConversationFilter,
  period: Period,
): Promise<AnswersReport> {
  const byBucket = placesOf(await countTraffic(db, accountId, filter, period, false), false);
  const buckets = eachBucket(period, (bucket) => {
    const { ai, human } = byBucket(bucket);
    return { ai, human };
  });
  return { period: toReportPeriod(period), total: totalOf(buckets, ['ai', 'human']), buckets };
}

export async function reportMessagesPerHour(
  db: Db,
  accountId: string,
  filter: ConversationFilter,
  period: Period,
): Promise<MessagesPerHourReport> {
  const rows = await countTraffic(db, accountId, filter, period, true);
  const [byBucket, byCell] = [placesOf(rows, false), placesOf(rows, true)];
  const buckets = eachBucket(period, byBucket);
  const cells = hoursPerCell(period).map((hours, cell) => ({
    weekday: Math.floor(cell / 24) + 1,
    hour: cell % 24,
    hours,
    ...byCell(cell),
  }));
  const total = totalOf(buckets, ['customer', 'ai', 'human', 'echo']);
  return { period: toReportPeriod(period), total, cells, buckets };
}

function placesOf(rows: readonly TrafficRow[], isCell: boolean) {
  const byPlace = new Map(rows.filter((row) => row.isCell === isCell).map((row) => [row.place, row]));
  return (place: number) => {
    const { customer = 0, ai = 0, human = 0, echo = 0 } = byPlace.get(place) ?? {};
    return { customer, ai, human, echo };
  };
}

const troubles = ['byAi', 'byPeople', 'resumed', 'suppressed', 'held', 'failed'] as const;

export async function reportHandovers(
  db: Db,
  accountId: string,
  filter: ConversationFilter,
  period: Period,
): Promise<HandoversReport> {
  const rows = await countHandovers(db, accountId, filter, period);
  const byBucket = Map.groupBy(rows, (row) => row.bucket);
  const count = (of: readonly TroubleRow[]) => of.reduce((sum, row) => sum + row.count, 0);
  const buckets = eachBucket(period, (bucket) => {
    const here = byBucket.get(bucket) ?? [];
    const sumOf = (what: TroubleRow['what']) => count(here.filter((row) => row.what === what));
    return Object.fromEntries(troubles.map((what) => [what, sumOf(what)])) as HandoversReport['total'];
  });
  const suppressed = rows.filter((row) => row.what === 'suppressed');
  const reasons = [...Map.groupBy(suppressed, (row) => row.reason ?? '')]
    .map(([reason, of]) => ({ reason, count: count(of) }))
    .sort((a, b) => b.count - a.count || compare(a.reason, b.reason));
  return { period: toReportPeriod(period), total: totalOf(buckets, troubles), reasons, buckets };
}

function totalOf<K extends string>(
  rows: readonly { [key in K]: number }[],
  keys: readonly K[],
): { [key in K]: number } {
  const sums = keys.map((key) => [key, rows.reduce((sum, row) => sum + row[key], 0)]);
  return Object.fromEntries(sums) as { [key in K]: number };
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
