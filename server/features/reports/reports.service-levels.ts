/** Targets of service levels that were met or missed. */
import { limits } from '../../../contract/limits.ts';
import type {
  ServiceLevelConversations,
  ServiceLevelConversationsQuery,
  ServiceLevelsQuery,
  ServiceLevelsReport,
} from '../../../contract/reports.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import type { Db } from '../../platform/db/db.ts';
import { cutPage, type PageTokens } from '../../platform/http/page-token.ts';
import { isId } from '../../platform/ids.ts';
import { conversationFilter } from './reports.conversations.ts';
import { eachBucket, type Period, toReportPeriod } from './reports.period.ts';
import {
  measureServiceLevels,
  type ServiceLevelFilter,
  type ServiceLevelRow,
  selectServiceLevelConversations,
} from './reports.service-levels.sql.ts';

type Asked = Pick<
  ServiceLevelsQuery,
  'kanbanId' | 'channelId' | 'agentId' | 'policyId' | 'kind' | 'teamId' | 'userId'
>;

/** An id that cannot be one finds nothing. */
export function serviceLevelFilter(
  { policyId, kind, teamId, userId, ...place }: Asked,
  visibleKanbanIds: string[] | null,
): ServiceLevelFilter {
  const named = [policyId, noneIsAbsent(teamId), noneIsAbsent(userId)];
  const isPossible = named.every((id) => id === undefined || isId(id));
  if (!isPossible) return { place: conversationFilter(place, []) };
  return {
    place: conversationFilter(place, visibleKanbanIds),
    ...(policyId !== undefined && { policyId }),
    ...(kind !== undefined && { kind }),
    ...(teamId !== undefined && { teamId: noneIsNull(teamId) }),
    ...(userId !== undefined && { userId: noneIsNull(userId) }),
  };
}

const noneIsAbsent = (id: string | undefined) => (id === 'none' ? undefined : id);
const noneIsNull = (id: string) => (id === 'none' ? null : id);

export async function reportServiceLevels(
  db: Db,
  accountId: string,
  filter: ServiceLevelFilter,
  period: Period,
): Promise<ServiceLevelsReport> {
  const rows = await measureServiceLevels(db, accountId, filter, period);
  const ofPart = (part: ServiceLevelRow['part']) =>
    rows
      .filter((row) => row.part === part)
      .sort((a, b) => b.met + b.breached - a.met - a.breached || (a.name ?? '').localeCompare(b.name ?? ''));
  const byBucket = new Map(ofPart('bucket').map((row) => [row.bucket, row]));
  return {
    period: toReportPeriod(period),
    total: figuresOf(ofPart('total')[0]),
    kinds: ofPart('kind').map((row) => ({ kind: row.kind!, ...figuresOf(row) })),
    policies: ofPart('policy').map((row) => ({ policyId: row.id!, name: row.name, ...figuresOf(row) })),
    teams: ofPart('team').map((row) => ({ teamId: row.id, name: row.name, ...figuresOf(row) })),
    people: ofPart('person').map((row) => ({ userId: row.id, name: row.name, ...figuresOf(row) })),
    channels: ofPart('channel').map((row) => ({
      channelId: row.id!,
      name: row.name!,
      type: row.type!,
      ...figuresOf(row),
    })),
    buckets: eachBucket(period, (bucket) => figuresOf(byBucket.get(bucket))),
  };
}

const figuresOf = (row: ServiceLevelRow | undefined): ServiceLevelsReport['total'] => ({
  met: row?.met ?? 0,
  breached: row?.breached ?? 0,
});

/** `filter` has only the boards whose conversations the caller may read. */
export async function listServiceLevelConversations(
  db: Db,
  tokens: PageTokens,
  accountId: string,
  filter: ServiceLevelFilter,
  period: Period,
  query: ServiceLevelConversationsQuery,
): Promise<ServiceLevelConversations> {
  const { nextToken, limit, ...asked } = query;
  const scope = ['reports/service-levels', accountId, JSON.stringify(asked)];
  const size = pageSize(limit, limits.listPage);
  const before = nextToken === undefined ? null : (tokens.read(nextToken, scope) as [number, string]);
  const rows = await selectServiceLevelConversations(
    db,
    accountId,
    filter,
    period,
    query.figure,
    before,
    size + 1,
  );
  return cutPage(rows, size, (last) => tokens.issue([last.lastAt, last.sessionId], scope));
}
