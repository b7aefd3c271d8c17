/** How far the first steps of this workspace are. Administrators only; the rail and the page share it. */
import { queryOptions } from '@tanstack/react-query';
import type { FirstRun } from '../../../contract/first-run.ts';
import { api } from './api.ts';

export const firstRunQuery = queryOptions({
  queryKey: ['first-run'] as const,
  queryFn: ({ signal }) => api<FirstRun>('GET', '/first-run', { signal }),
});

export const doneCount = ({ steps }: FirstRun) => steps.filter(({ doneAt }) => doneAt !== null).length;
export const isUnderWay = (first: FirstRun) =>
  first.dismissedAt === null && doneCount(first) < first.steps.length;
