/** Rules, their runs and their verdicts as the service has them. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Automation } from '../../../contract/automation/automations.ts';
import type { AutomationRun, RunSummary, Verdict } from '../../../contract/automation/runs.ts';
import type { Backtest } from '../../../contract/automation/trying.ts';
import { api, apiAll, type Page } from '../data/api.ts';
import { refresh } from '../data/refresh.ts';

const rulesKey = ['automations'] as const;

/** All of them, or those that refer to a label, a user, a team, a board, … */
export const rulesQuery = (uses?: string) =>
  queryOptions({
    queryKey: uses === undefined ? rulesKey : [...rulesKey, 'using', uses],
    queryFn: ({ signal }) => apiAll<Automation>('/automations', { uses }, signal),
    staleTime: 0,
  });
export const ruleQuery = (id: string) =>
  queryOptions({
    queryKey: [...rulesKey, id],
    queryFn: ({ signal }) => api<Automation>('GET', `/automations/${id}`, { signal }),
    staleTime: 0,
    // A rule that is being edited keeps what it was read with: saving says when there is a newer one.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
export const reloadRules = () => refresh(rulesKey);

const pages = <T>(key: readonly unknown[], path: string, query: { matched?: boolean } = {}) =>
  infiniteQueryOptions({
    queryKey: [...key, query],
    queryFn: ({ pageParam, signal }) =>
      api<Page<T>>('GET', path, { query: { ...query, limit: 20, nextToken: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextToken,
    staleTime: 0,
    refetchInterval: 5_000,
  });

export const runsKey = ['automation-runs'] as const;
export const runsQuery = (ruleId: string) =>
  pages<RunSummary>([...runsKey, ruleId], `/automations/${ruleId}/runs`);
export const ruleVerdictsQuery = (ruleId: string, matched?: boolean) =>
  pages<Verdict>(['automation-verdicts', 'rule', ruleId], `/automations/${ruleId}/verdicts`, { matched });

/** Of a conversation or a card. */
export interface VerdictPlace {
  kind: 'session' | 'record';
  id: string;
}
export const placeVerdictsQuery = ({ kind, id }: VerdictPlace) =>
  pages<Verdict>(
    ['automation-verdicts', kind, id],
    `${kind === 'session' ? '/sessions' : '/crm/records'}/${encodeURIComponent(id)}/automation-verdicts`,
  );

/** Read again while it runs. */
export const backtestQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['automation-backtests', id],
    queryFn: ({ pageParam, signal }) =>
      api<Backtest>('GET', `/automation-backtests/${id}`, {
        query: { limit: 20, nextToken: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextToken,
    refetchOnWindowFocus: false,
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.state === 'done' || state.data?.pages[0]?.state === 'failed' ? false : 1_000,
  });

const isOver = (run: AutomationRun | undefined) =>
  run !== undefined && run.state !== 'running' && run.state !== 'waiting';
export const runQuery = (id: string) =>
  queryOptions({
    queryKey: [...runsKey, 'one', id],
    queryFn: ({ signal }) => api<AutomationRun>('GET', `/automation-runs/${id}`, { signal }),
    staleTime: 0,
    refetchInterval: ({ state }) => (isOver(state.data) ? false : 2_000),
  });
