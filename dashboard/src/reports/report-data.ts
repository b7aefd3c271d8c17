/** The queries of the reports. */
import { infiniteQueryOptions, keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import {
  type AiConversations,
  type AiFigure,
  type AiReport,
  type AnswersReport,
  allKanbans,
  type CopilotReport,
  type FirstResponseReport,
  type HandoversReport,
  type MessagesPerHourReport,
  type NewConversationsReport,
  type RecordsByStatusReport,
  type ReportPeriod,
  type ResolutionsReport,
  type SatisfactionReport,
  type StatusConversionReport,
  type WebhooksReport,
} from '../../../contract/reports.ts';
import { api } from '../data/api.ts';
import { downloadFile } from '../data/transfer.ts';

export interface Reports {
  'records-by-status': RecordsByStatusReport;
  'status-conversion': StatusConversionReport;
  'new-conversations': NewConversationsReport;
  'first-response': FirstResponseReport;
  resolutions: ResolutionsReport;
  satisfaction: SatisfactionReport;
  answers: AnswersReport;
  handovers: HandoversReport;
  ai: AiReport;
  copilot: CopilotReport;
  'messages-per-hour': MessagesPerHourReport;
  webhooks: WebhooksReport;
}
export type ReportName = keyof Reports;

/** Everything that the header chooses. */
export interface ReportScope {
  period: ReportPeriod;
  /** null: nothing is compared. */
  before: ReportPeriod | null;
  kanbanId?: string;
  channelId?: string;
  agentId?: string;
}

export const reportsKey = ['reports'] as const;

const ofBoards: readonly ReportName[] = ['records-by-status', 'status-conversion'];

export function reportQuery(name: ReportName, scope: ReportScope, period = scope.period) {
  const { kanbanId, channelId, agentId } = scope;
  if (name === 'webhooks') return { ...period };
  return ofBoards.includes(name)
    ? { ...period, kanbanId: kanbanId ?? allKanbans }
    : { ...period, kanbanId, channelId, agentId };
}

/** Keeps the previous data until the next arrives, so that nothing jumps. */
export function useReport<Name extends ReportName>(name: Name, scope: ReportScope) {
  return useQuery(optionsOf(name, reportQuery(name, scope)));
}
export function useReportBefore<Name extends ReportName>(name: Name, scope: ReportScope) {
  const { before } = scope;
  const query = useQuery({
    ...optionsOf(name, before && reportQuery(name, scope, before)),
    enabled: before !== null,
  });
  return before ? query.data : undefined;
}
const optionsOf = <Name extends ReportName>(name: Name, query: ReturnType<typeof reportQuery> | null) =>
  queryOptions({
    queryKey: [...reportsKey, name, query],
    queryFn: ({ signal }) => api<Reports[Name]>('GET', `/reports/${name}`, { query: { ...query }, signal }),
    placeholderData: keepPreviousData,
  });

/** A figure of the AI, whose conversations are shown. */
export interface AiBehind {
  figure: AiFigure;
  /** What it is called where it was chosen. */
  label: string;
  reason?: string;
  agentId?: string;
  version?: number | undefined;
  channelId?: string;
  /** A part of the period. */
  from?: number;
  to?: number;
}

export function aiConversationsQuery(scope: ReportScope, { label: _, ...behind }: AiBehind) {
  const { period, kanbanId, channelId, agentId } = scope;
  const query = { from: period.from, to: period.to, kanbanId, channelId, agentId, ...behind };
  return infiniteQueryOptions({
    queryKey: [...reportsKey, 'ai', 'conversations', query],
    queryFn: ({ pageParam, signal }) =>
      api<AiConversations>('GET', '/reports/ai/conversations', {
        query: { ...query, nextToken: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextToken,
  });
}

/** Aligns the previous period with the current one, bucket by bucket. */
export function useAligned<T>(
  buckets: readonly unknown[] | undefined,
  past: readonly T[] | undefined,
  figureOf: (one: T) => number | null,
): (number | null)[] | undefined {
  // biome-ignore lint/correctness/useExhaustiveDependencies: how a value is read from a bucket never changes
  return useMemo(
    () =>
      buckets && past
        ? buckets.map((_, at) => (past[at] === undefined ? null : figureOf(past[at])))
        : undefined,
    [buckets, past],
  );
}

/** The service's CSV file, byte for byte. */
export async function downloadReport(name: ReportName, scope: ReportScope): Promise<void> {
  const query = new URLSearchParams({ format: 'csv' });
  for (const [key, value] of Object.entries(reportQuery(name, scope))) {
    if (value !== undefined) query.set(key, String(value));
  }
  await downloadFile(`/reports/${name}?${query}`, `${name}.csv`);
}
