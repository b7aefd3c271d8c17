/** The queries of the reports. */
import { infiniteQueryOptions, keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import {
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
  type ServiceLevelsReport,
  type SlaFigure,
  type StatusConversionReport,
  type WebhooksReport,
} from '../../../contract/reports.ts';
import type { SlaKind } from '../../../contract/service-levels.ts';
import { api, type Page } from '../data/api.ts';
import { downloadFile } from '../data/transfer.ts';

export interface Reports {
  'records-by-status': RecordsByStatusReport;
  'status-conversion': StatusConversionReport;
  'new-conversations': NewConversationsReport;
  'first-response': FirstResponseReport;
  resolutions: ResolutionsReport;
  satisfaction: SatisfactionReport;
  'service-levels': ServiceLevelsReport;
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
  /** Of service levels. */
  policyId?: string;
  kind?: SlaKind;
}

export const reportsKey = ['reports'] as const;

const ofBoards: readonly ReportName[] = ['records-by-status', 'status-conversion'];

export function reportQuery(name: ReportName, scope: ReportScope, period = scope.period) {
  const { kanbanId, channelId, agentId, policyId, kind } = scope;
  if (name === 'webhooks') return { ...period };
  if (name === 'service-levels') return { ...period, kanbanId, channelId, agentId, policyId, kind };
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

/** A figure whose conversations are shown. */
interface AnyBehind {
  /** What it is called where it was chosen. */
  label: string;
  channelId?: string;
  /** A part of the period. */
  from?: number;
  to?: number;
}
export interface Behind {
  ai: AnyBehind & { figure: AiFigure; reason?: string; agentId?: string; version?: number | undefined };
  'service-levels': AnyBehind & {
    figure: SlaFigure;
    policyId?: string;
    kind?: SlaKind;
    /** An id, or `none`. */
    teamId?: string;
    userId?: string;
  };
}
export type ReportWithConversations = keyof Behind;

interface ConversationBehind {
  sessionId: string;
  sessionName: string | null;
  count: number;
  cost?: number;
  lastAt: number;
}

export function conversationsQuery<Name extends ReportWithConversations>(
  name: Name,
  scope: ReportScope,
  { label: _, ...behind }: Behind[Name],
) {
  const { bucket: _bucket, timeZone: _zone, ...narrowed } = reportQuery(name, scope);
  const query = { ...narrowed, ...behind };
  return infiniteQueryOptions({
    queryKey: [...reportsKey, name, 'conversations', query],
    queryFn: ({ pageParam, signal }) =>
      api<Page<ConversationBehind>>('GET', `/reports/${name}/conversations`, {
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
