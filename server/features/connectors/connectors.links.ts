/**
 * Opens a channel's connector: its provider, and a Link with the opened credentials. Kept for a second by each process;
 * a change in this process is seen at once, one of another process within that second.
 */
import { LRUCache } from 'lru-cache';
import type { ConnectorState } from '../../../contract/connectors.ts';
import type { BlobStore } from '../../platform/blobs/blob-store.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db } from '../../platform/db/db.ts';
import type { OutboundAllow } from '../../platform/outbound/outbound-address.ts';
import type { SafeFetch } from '../../platform/outbound/safe-fetch.ts';
import { sealedFor } from '../../platform/secrets/sealed-columns.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { createCall, createRedact, type Redact } from './connectors.call.ts';
import type { Link, Provider, ProviderError, Settings } from './connectors.provider.ts';
import type { Registry } from './connectors.registry.ts';
import { createOriginals, resolveHost } from './connectors.resolve.ts';
import {
  type ConnectorRow,
  changeState,
  findConnectorOfChannel,
  noteConnected,
  type StateChange,
} from './connectors.sql.ts';

export interface OpenLink {
  provider: Provider;
  link: Link;
  /** The channel is enabled and its connector connected: sends may go out. */
  isConnected: boolean;
  isEnabled: boolean;
  state: ConnectorState;
  version: number;
  /** Removes credentials from a text that is stored or answered. */
  redact: Redact;
}

export interface Links {
  open(accountId: string, channelId: string): Promise<OpenLink | null>;
  /** For the inbound address. `fresh`: as it is now. */
  openChannel(channelId: string, options?: { fresh: boolean }): Promise<OpenLink | null>;
  /** Of a row that the caller has read. */
  openRow(row: ConnectorRow): OpenLink | null;
  /** A call said that the credentials are wrong, or that the phone is not linked: sets the state. */
  fail(link: Link, error: ProviderError): Promise<void>;
  /** False: the connector has changed since the link was opened. */
  setState(link: Link, change: StateChange): Promise<boolean>;
}

export interface LinkDeps {
  db: Db;
  clock: Clock;
  secrets: Secrets;
  config: { publicUrl: string; outboundAllow: OutboundAllow };
  providers: Registry;
  safeFetch: Pick<SafeFetch, 'request'>;
  blobs: BlobStore;
}

export const connectorTopic = 'connector';
const keptForMs = 1_000;
const linksKept = 5_000;

export function createLinks(deps: LinkDeps): Links {
  const { db, clock, secrets, config, providers, safeFetch } = deps;
  const kept = new LRUCache<string, OpenLink>({ max: linksKept, ttl: keptForMs });
  /** Ids that anybody may ask for, without a connector. */
  const missing = new LRUCache<string, true>({ max: linksKept, ttl: keptForMs });
  /** Reads under way: those who ask meanwhile share them, unless the connector has changed since. */
  const loading = new Map<string, Promise<OpenLink | null>>();
  const opened = new WeakMap<Link, Pick<OpenLink, 'version' | 'redact'>>();
  db.onInvalidate(connectorTopic, (channelId) => {
    loading.delete(channelId);
    kept.delete(channelId);
    missing.delete(channelId);
  });

  const openRow = (row: ConnectorRow): OpenLink | null => {
    const provider = providers.get(row.kind);
    if (!provider) return null;
    const { accountId, channelId, state, version, enabled } = row;
    const credentials = openCredentials(secrets, row);
    const secret = secrets.open(row.secret, sealedFor.connectorSecret(channelId));
    const redact = createRedact([...secretsOf(provider, row.settings, credentials), secret]);
    const link: Link = {
      accountId,
      channelId,
      settings: row.settings,
      credentials,
      inboundUrl: inboundUrlOf(config, channelId),
      secret,
      call: createCall(safeFetch, redact),
      resolve: (host, port) => resolveHost(config.outboundAllow, host, port),
      originals: createOriginals(deps, accountId),
    };
    opened.set(link, { version, redact });
    const isConnected = enabled && state === 'connected';
    return { provider, link, isConnected, isEnabled: enabled, state, version, redact };
  };
  const load = (channelId: string, fresh: boolean): Promise<OpenLink | null> => {
    const begun = loading.get(channelId);
    if (begun && !fresh) return begun;
    const read = findConnectorOfChannel(db, channelId).then((row) => {
      const one = row && openRow(row);
      // Changed meanwhile: this is what was there before.
      if (loading.get(channelId) !== read) return one;
      loading.delete(channelId);
      if (one) kept.set(channelId, one);
      else if (!row) missing.set(channelId, true);
      return one;
    });
    loading.set(channelId, read);
    read.catch(() => {
      if (loading.get(channelId) === read) loading.delete(channelId);
    });
    return read;
  };
  const setState: Links['setState'] = async (link, change) => {
    const { accountId, channelId } = link;
    const { version } = opened.get(link)!;
    return db.transaction(async (tx) => {
      tx.invalidate(connectorTopic, channelId);
      const isChanged = await changeState(tx, accountId, { channelId, version }, change, clock.now());
      if (isChanged && change.state === 'connected') await noteConnected(tx, accountId, channelId);
      return isChanged;
    });
  };
  return {
    openRow,
    setState,
    async open(accountId, channelId) {
      const known = kept.get(channelId);
      const one = known ?? (await load(channelId, false));
      return one?.link.accountId === accountId ? one : null;
    },
    async openChannel(channelId, { fresh } = { fresh: false }) {
      const known = fresh ? undefined : kept.get(channelId);
      if (known) return known;
      if (!fresh && missing.has(channelId)) return null;
      return load(channelId, fresh);
    },
    async fail(link, error) {
      const lastError = opened.get(link)!.redact(error.message);
      if (error.errorClass === 'credentials') await setState(link, { state: 'error', lastError });
      else if (error.errorClass === 'unlinked') {
        await setState(link, { state: 'waiting_for_scan', lastError });
      }
    },
  };
}

/** A mailbox whose user is its own address, or the part before the @, is named in full. */
export function secretsOf(
  { userNames = [] }: Pick<Provider, 'userNames'>,
  settings: Settings,
  credentials: Readonly<Record<string, string>>,
): string[] {
  const shown = Object.values(settings).filter((value) => typeof value === 'string');
  return Object.entries(credentials)
    .filter(([name, value]) => !userNames.includes(name) || !shown.some((text) => text.includes(value)))
    .map(([, value]) => value);
}

export const inboundUrlOf = ({ publicUrl }: { publicUrl: string }, channelId: string) =>
  `${publicUrl}/connect/${channelId}`;

export function openCredentials(
  secrets: Secrets,
  { channelId, credentials }: Pick<ConnectorRow, 'channelId' | 'credentials'>,
): Record<string, string> {
  return JSON.parse(secrets.open(credentials, sealedFor.connectorCredentials(channelId)));
}
