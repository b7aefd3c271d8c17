/** What agents did, and what it cost. */
import { limits } from '../../../contract/limits.ts';
import type {
  AiConversations,
  AiConversationsQuery,
  AiReport,
  AiReportQuery,
} from '../../../contract/reports.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import type { Db } from '../../platform/db/db.ts';
import { badRequest } from '../../platform/http/errors.ts';
import { cutPage, type PageTokens } from '../../platform/http/page-token.ts';
import { isId } from '../../platform/ids.ts';
import {
  type AiFigures,
  type AiFilter,
  type AiRow,
  measureAi,
  selectAiConversations,
} from './reports.ai.sql.ts';
import { conversationFilter } from './reports.conversations.ts';
import { eachBucket, type Period, toReportPeriod } from './reports.period.ts';

/** `agentId` is who replied, not who the conversation is with now. */
export function aiFilter(
  {
    kanbanId,
    channelId,
    agentId,
    version,
  }: Pick<AiReportQuery, 'kanbanId' | 'channelId' | 'agentId' | 'version'>,
  visibleKanbanIds: string[] | null,
): AiFilter {
  if (version !== undefined && agentId === undefined) throw badRequest('version needs agentId');
  const isPossible = agentId === undefined || isId(agentId);
  const place = conversationFilter({ kanbanId, channelId }, isPossible ? visibleKanbanIds : []);
  return isPossible ? { place, agentId, version } : { place };
}

export async function reportAi(
  db: Db,
  accountId: string,
  filter: AiFilter,
  period: Period,
): Promise<AiReport> {
  const { rows, ratings } = await measureAi(db, accountId, filter, period);
  const ofPart = (part: AiRow['part']) => rows.filter((row) => row.part === part);
  const byBucket = new Map(ofPart('bucket').map((row) => [row.bucket, row]));
  const versions = Map.groupBy(ofPart('version'), (row) => row.id);
  const mostFirst = (a: AiRow, b: AiRow) =>
    b.replies - a.replies || (a.name ?? '').localeCompare(b.name ?? '') || (a.id! < b.id! ? -1 : 1);
  const rated = (withAi: boolean) => {
    const { count = 0, average = null } = ratings.find((row) => row.withAi === withAi) ?? {};
    return { count, average };
  };
  return {
    period: toReportPeriod(period),
    total: figuresOf(ofPart('total')[0]),
    handovers: ofPart('reason')
      .filter((row) => row.reason !== null)
      .map((row) => ({ reason: row.reason!, count: row.handedOver }))
      .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1)),
    ratings: { withAi: rated(true), withoutAi: rated(false) },
    agents: ofPart('agent')
      .filter((row) => row.id !== null)
      .sort(mostFirst)
      .map((row) => ({
        agentId: row.id!,
        name: row.name,
        ...figuresOf(row),
        versions: (versions.get(row.id) ?? [])
          .sort((a, b) => (b.version ?? 0) - (a.version ?? 0))
          .map((one) => ({ version: one.version, ...figuresOf(one) })),
      })),
    channels: ofPart('channel')
      .sort(mostFirst)
      .map((row) => ({ channelId: row.id!, name: row.name!, type: row.type!, ...figuresOf(row) })),
    buckets: eachBucket(period, (bucket) => figuresOf(byBucket.get(bucket))),
  };
}

function figuresOf(row: AiFigures | undefined): AiFigures {
  return {
    replies: row?.replies ?? 0,
    resolved: row?.resolved ?? 0,
    alone: row?.alone ?? 0,
    handedOver: row?.handedOver ?? 0,
    held: row?.held ?? 0,
    released: row?.released ?? 0,
    failed: row?.failed ?? 0,
    cost: row?.cost ?? 0,
    unpriced: row?.unpriced ?? 0,
  };
}

/** `filter` has only the boards whose conversations the caller may read. */
export async function listAiConversations(
  db: Db,
  tokens: PageTokens,
  accountId: string,
  filter: AiFilter,
  period: Period,
  query: AiConversationsQuery,
): Promise<AiConversations> {
  const { figure, reason, from, to, kanbanId, channelId, agentId, version, nextToken, limit } = query;
  const scope = ['reports/ai', accountId, figure, reason, from, to, kanbanId, channelId, agentId, version];
  const size = pageSize(limit, limits.listPage);
  const before = nextToken === undefined ? null : (tokens.read(nextToken, scope) as [number, string]);
  const rows = await selectAiConversations(
    db,
    accountId,
    filter,
    period,
    { figure, reason },
    before,
    size + 1,
  );
  return cutPage(rows, size, (last) => tokens.issue([last.lastAt, last.sessionId], scope));
}
