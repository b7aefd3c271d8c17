import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { FieldGroup } from '../../../contract/crm/kanbans.ts';
import type { CrmRecord } from '../../../contract/crm/records.ts';
import type { Activity } from '../../../contract/dashboard.ts';
import type { Session } from '../../../contract/messaging/sessions.ts';
import { api, apiAll, type Page } from '../data/api.ts';
import { keys } from '../data/queries.ts';
import { findThing, hear } from '../data/store/entities.ts';
import { addOne, type One, ofKind, selectOne } from '../data/store/lists.ts';

const selectRecord = selectOne('record');

export const recordQuery = (recordId: string) =>
  queryOptions({
    queryKey: keys.record(recordId),
    queryFn: async ({ signal }): Promise<One> => {
      const record = await api<CrmRecord>('GET', `/crm/records/${recordId}`, { signal });
      return { id: hear('record', record, { isRead: true }) };
    },
    // What a board has read of it is shown until it is read as a whole.
    initialData: () => (findThing('record', recordId) ? { id: recordId } : undefined),
    initialDataUpdatedAt: 0,
    select: selectRecord,
    ...ofKind('record'),
  });

addOne('record', (key) => key[0] === 'record' && key.length === 2);

export const activityQuery = (recordId: string) =>
  infiniteQueryOptions({
    queryKey: keys.activity(recordId),
    queryFn: ({ pageParam, signal }) =>
      api<Page<Activity>>('GET', `/crm/records/${recordId}/activity`, {
        query: { nextToken: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextToken,
  });

export const conversationsQuery = (recordId: string) =>
  queryOptions({
    queryKey: [...keys.sessions, 'of-record', recordId],
    queryFn: ({ signal }) => api<Page<Session>>('GET', '/sessions', { query: { recordId }, signal }),
    select: (page) => page.items,
  });

export const fieldGroupsQuery = (kanbanId: string) =>
  queryOptions({
    queryKey: [...keys.fieldGroups, kanbanId],
    queryFn: ({ signal }) => apiAll<FieldGroup>('/crm/field-groups', { kanbanId }, signal),
  });
