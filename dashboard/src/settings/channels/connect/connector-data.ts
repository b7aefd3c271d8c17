/** What the service stores of a channel's connector, and its log. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Channel, ChannelWithConnector } from '../../../../../contract/channels.ts';
import type {
  Connector,
  ConnectorCheck,
  ConnectorLogEntry,
  ConnectorScan,
} from '../../../../../contract/connectors.schemas.ts';
import type { ConnectorKind } from '../../../../../contract/connectors.ts';
import { api, type Page } from '../../../data/api.ts';
import { keys } from '../../../data/queries.ts';
import { reload } from '../../settings-data.ts';

/** In the address of the settings, instead of a channel's id. */
export const connectItem = 'connect';

/** What an administrator reads of a channel. */
export const connectorOf = (channel: Channel): Connector | null =>
  (channel as ChannelWithConnector).connector ?? null;

/** Left out of a change: it stays as it is. */
export interface ConnectorChange {
  kind: ConnectorKind;
  credentials?: { [name: string]: unknown };
  [setting: string]: unknown;
}

/** `check`: nothing is saved if the provider refuses the connection. */
export async function changeConnector(
  channelId: string,
  connector: ConnectorChange | null,
  check = false,
): Promise<void> {
  await api('PATCH', `/channels/${channelId}`, { body: { connector }, query: { check } });
  await reload(keys.channels);
}

const pathOf = (channelId: string) => `/channels/${channelId}/connector`;

export const checkConnector = (channelId: string) =>
  api<ConnectorCheck>('POST', `${pathOf(channelId)}/check`);

export async function setConnected(channelId: string, isConnected: boolean): Promise<void> {
  await api('POST', `${pathOf(channelId)}/${isConnected ? 'connect' : 'disconnect'}`);
  await reload(keys.channels);
}

const scanMs = 3_000;
/** The code changes about every 20 seconds; it is read again until the phone is linked. */
export const scanQuery = (channelId: string) =>
  queryOptions({
    queryKey: [...keys.channels, channelId, 'qr'],
    queryFn: ({ signal }) => api<ConnectorScan>('GET', `${pathOf(channelId)}/qr`, { signal }),
    staleTime: 0,
    gcTime: 0,
    refetchInterval: ({ state }) => (state.data?.state === 'connected' ? false : scanMs),
  });

const logKey = (channelId: string) => ['connector-log', channelId] as const;
const logMs = 5_000;
export const logQuery = (channelId: string) =>
  infiniteQueryOptions({
    queryKey: logKey(channelId),
    queryFn: ({ pageParam, signal }) =>
      api<Page<ConnectorLogEntry>>('GET', `${pathOf(channelId)}/log`, {
        query: { limit: 50, nextToken: pageParam },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextToken,
    staleTime: 0,
    // Traffic is not sent over the live connection. Later pages do not change often enough to be read again.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : logMs),
  });

export async function retryEntry(channelId: string, entryId: string): Promise<void> {
  await api('POST', `${pathOf(channelId)}/log/${encodeURIComponent(entryId)}/retry`);
  await reload(logKey(channelId));
}
