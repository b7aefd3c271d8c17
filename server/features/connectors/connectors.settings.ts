/** A connector's settings and credentials, as part of its channel: checking, storing, answering. */
import { randomBytes } from 'node:crypto';
import type { Channel } from '../../../contract/channels.ts';
import type { Connector, ConnectorInput } from '../../../contract/connectors.schemas.ts';
import { connectorKinds } from '../../../contract/connectors.ts';
import { Type } from '../../../contract/shapes/type.ts';
import type { Db, Tx } from '../../platform/db/db.ts';
import { badRequest } from '../../platform/http/errors.ts';
import { checkObject } from '../../platform/http/validation.ts';
import { isId } from '../../platform/ids.ts';
import { checkOutboundUrl, type OutboundAllow } from '../../platform/outbound/outbound-address.ts';
import { sealedFor } from '../../platform/secrets/sealed-columns.ts';
import { type Actor, audit, differences, requireAddressRight } from '../accounts/accounts.ts';
import { type ConnectorsOfChannels, type SendWindow, setChannelWindow } from '../channels/channels.ts';
import {
  connectorTopic,
  inboundUrlOf,
  type LinkDeps,
  type Links,
  openCredentials,
} from './connectors.links.ts';
import { requireConnection } from './connectors.manage.ts';
import {
  addressesOf,
  flatten,
  mergeCredentials,
  mergeSettings,
  movedAddress,
  movedServers,
} from './connectors.nested.ts';
import type { Provider, Settings } from './connectors.provider.ts';
import { enqueueRemoval } from './connectors.removal.ts';
import {
  type ConnectorRow,
  deleteConnector,
  findConnector,
  restartConnector,
  saveConnector,
  selectConnectors,
} from './connectors.sql.ts';
import { enqueueConnect } from './connectors.state.ts';
import { endPause } from './outbound/connectors.pace.sql.ts';
import { deleteTemplates } from './templates/connectors.templates.sql.ts';

const longestCredential = 4_096;

interface SettingsDeps extends Pick<LinkDeps, 'db' | 'secrets' | 'providers'> {
  config: { publicUrl: string; outboundAllow: OutboundAllow };
  links: Links;
}

export function createConnectorsOfChannels(deps: SettingsDeps): ConnectorsOfChannels {
  const { db, config, links } = deps;
  return {
    async checkAddress(input) {
      for (const { path, url } of addressesOf(input ?? {})) {
        const problem = await checkOutboundUrl(url, config.outboundAllow);
        if (problem) throw badRequest(`${path} ${problem}`);
      }
    },
    async tryConnection(accountId, save) {
      const row = await trial(db, async (tx) => findConnector(tx, accountId, (await save(tx)).id));
      const opened = row && links.openRow(row);
      if (opened) await requireConnection(opened);
    },
    async all(reader, accountId) {
      const rows = await selectConnectors(reader, accountId);
      return new Map(rows.map((row) => [row.channelId, toConnector(config, row)]));
    },
    async one(reader, accountId, channelId) {
      const row = await findConnector(reader, accountId, channelId);
      return row && toConnector(config, row);
    },
    async save(tx, actor, now, channel, input) {
      const before = await findConnector(tx, actor.accountId, channel.id);
      if (input === null) await remove(tx, actor, now, channel, before);
      else if (input) await store(tx, deps, actor, now, { channel, input, before });
      else if (before) checkType(deps.providers.get(before.kind), channel);
      const row = await findConnector(tx, actor.accountId, channel.id);
      return row && toConnector(config, row);
    },
    async enabledChanged(tx, accountId, channelId, now) {
      tx.invalidate(connectorTopic, channelId);
      const row = await findConnector(tx, accountId, channelId);
      if (!row?.enabled || row.state === 'disconnected') return;
      const version = await restartConnector(tx, accountId, channelId, 'connecting', now);
      await enqueueConnect(tx, accountId, channelId, version!);
    },
    async channelRemoved(tx, accountId, channelId) {
      const row = isId(channelId) ? await findConnector(tx, accountId, channelId) : null;
      if (!row) return;
      await enqueueRemoval(tx, accountId, channelId);
      tx.invalidate(connectorTopic, channelId);
      tx.afterCommit(() => void disconnect(row));
    },
  };

  /** The provider should stop sending. Best effort: credentials that cannot be opened keep nothing from being deleted. */
  async function disconnect(row: ConnectorRow): Promise<void> {
    try {
      const opened = links.openRow(row);
      await opened?.provider.disconnect(opened.link);
    } catch {}
  }

  async function remove(tx: Tx, actor: Actor, now: number, channel: Channel, before: ConnectorRow | null) {
    if (!before) return;
    await deleteConnector(tx, actor.accountId, channel.id);
    await enqueueRemoval(tx, actor.accountId, channel.id);
    await setChannelWindow(tx, actor.accountId, channel.id, null);
    tx.invalidate(connectorTopic, channel.id);
    tx.afterCommit(() => void disconnect(before));
    await audit(tx, actor, now, {
      action: 'connector.removed',
      target: { type: 'channel', id: channel.id },
      changes: { kind: { from: before.kind, to: null } },
    });
  }
}

class TrialEnd extends Error {}

/** What the rule would have returned; nothing has changed. */
async function trial<Result>(db: Db, rule: (tx: Tx) => Promise<Result>): Promise<Result> {
  const results: Result[] = [];
  try {
    await db.transaction(async (tx) => {
      results.push(await rule(tx));
      throw new TrialEnd();
    });
  } catch (error) {
    if (!(error instanceof TrialEnd)) throw error;
  }
  return results.at(-1)!;
}

export function toConnector(config: { publicUrl: string }, row: ConnectorRow): Connector {
  const { kind, settings, state, lastError, lastInboundAt, lastOutboundAt, channelId } = row;
  const { rejectedCount: count, lastRejectedAt: lastAt } = row;
  return {
    ...settings,
    kind,
    hasCredentials: true,
    state,
    lastError,
    lastInboundAt,
    lastOutboundAt,
    inboundUrl: inboundUrlOf(config, channelId),
    ...(lastAt !== null && { rejected: { count, lastAt } }),
  };
}

interface Change {
  channel: Channel;
  input: ConnectorInput;
  before: ConnectorRow | null;
}

async function store(
  tx: Tx,
  { secrets, providers }: SettingsDeps,
  actor: Actor,
  now: number,
  { channel, input, before }: Change,
): Promise<void> {
  const { accountId } = actor;
  const provider = providers.get(requireKind(input, before));
  if (!provider) throw badRequest('connector.kind is not available in this version');
  checkType(provider, channel);
  const earlier = before?.kind === provider.kind ? before : null;
  const known = earlier ? openCredentials(secrets, earlier) : {};
  const { settings, credentials, hasMoved } = checkConnector(
    provider,
    input,
    earlier?.settings ?? null,
    known,
  );
  // A new connector may use the addresses that its kind has by default.
  const address = movedAddress(mergeSettings(provider.settings, {}, earlier?.settings ?? {}), settings);
  if (address !== undefined) requireAddressRight(actor, `connector.${address}`);
  // The new server learns it, and the old one may be entered again.
  const secret =
    earlier && !hasMoved ? secrets.open(earlier.secret, sealedFor.connectorSecret(channel.id)) : newSecret();
  const version = await saveConnector(
    tx,
    accountId,
    channel.id,
    {
      kind: provider.kind,
      settings,
      credentials: secrets.seal(JSON.stringify(credentials), sealedFor.connectorCredentials(channel.id)),
      secret: secrets.seal(secret, sealedFor.connectorSecret(channel.id)),
      polls: provider.polls?.(settings) ?? false,
    },
    now,
  );
  await endPause(tx, accountId, channel.id);
  if (!earlier) await deleteTemplates(tx, accountId, channel.id);
  await setChannelWindow(tx, accountId, channel.id, windowOf(provider));
  tx.invalidate(connectorTopic, channel.id);
  if (channel.enabled) await enqueueConnect(tx, accountId, channel.id, version);
  const replaced = Object.keys(credentials).filter((name) => credentials[name] !== known[name]);
  await audit(tx, actor, now, {
    action: 'connector.saved',
    target: { type: 'channel', id: channel.id },
    changes: {
      ...differences({ kind: before?.kind, ...earlier?.settings }, { kind: provider.kind, ...settings }),
      // Names only.
      ...(replaced.length > 0 && { replacedCredentials: replaced }),
    },
  });
}

function windowOf({ limits: { windowMs, personWindowMs }, templates }: Provider): SendWindow | null {
  if (windowMs === undefined) return null;
  const hasTemplates = templates !== undefined;
  return { agentMs: windowMs, personMs: personWindowMs ?? windowMs, hasTemplates };
}

const newSecret = () => randomBytes(24).toString('base64url');

function requireKind(input: ConnectorInput, before: ConnectorRow | null) {
  const kind = input.kind ?? before?.kind;
  if (kind === undefined) throw badRequest('connector.kind is required');
  if (!connectorKinds.includes(kind)) {
    throw badRequest(`connector.kind must be one of ${connectorKinds.join(', ')}`);
  }
  return kind;
}

function checkType(provider: Provider | undefined, { type }: Channel): void {
  if (!provider || provider.channelTypes.includes(type)) return;
  const types = provider.channelTypes.join(' or ');
  throw badRequest(`connector.kind ${provider.kind} needs a channel of the type ${types}`);
}

/**
 * What was left out stays; null takes a setting back to its default. Credentials were entered for their server: another
 * one needs them again, so that a user who may change the address does not learn them that way.
 */
function checkConnector(
  provider: Provider,
  input: ConnectorInput,
  settingsBefore: Settings | null,
  credentialsBefore: Record<string, string>,
): { settings: Settings; credentials: Record<string, string>; hasMoved: boolean } {
  const settings = mergeSettings(provider.settings, input, settingsBefore ?? {});
  const credentials = mergeCredentials(provider.credentials, input.credentials ?? {}, credentialsBefore);
  const missing = settingsBefore ? stillMissing(provider, settingsBefore, settings) : [];
  checkObject(schemaOf(provider, missing), { connector: { ...settings, credentials } });
  const flat = flatten(credentials);
  for (const [name, value] of Object.entries(flat)) {
    const path = `connector.credentials.${name}`;
    if (value.trim() === '') throw badRequest(`${path} must not be empty`);
    if (value.length > longestCredential) {
      throw badRequest(`${path} must have at most ${longestCredential} characters`);
    }
    // They stand in headers and addresses.
    if (/\p{Cc}/u.test(value)) throw badRequest(`${path} has an invalid format`);
  }
  const problem = provider.checkSettings?.(settings);
  if (problem) throw badRequest(problem);
  const moved = settingsBefore
    ? movedServers(mergeSettings(provider.settings, {}, settingsBefore), settings)
    : [];
  const given = flatten(mergeCredentials(provider.credentials, input.credentials ?? {}, {}));
  for (const { name, prefix } of moved) {
    const lost = Object.keys(credentialsBefore).find(
      (path) => path.startsWith(prefix) && given[path] === undefined,
    );
    if (lost === undefined) continue;
    throw badRequest(`connector.credentials.${lost} is required, because connector.${name} changed`);
  }
  return { settings, credentials: flat, hasMoved: moved.length > 0 };
}

/** Settings that have become required since the connector was made: they may stay without a value. */
const stillMissing = ({ settings }: Provider, before: Settings, after: Settings) =>
  (settings.required ?? []).filter((name) => before[name] === undefined && after[name] === undefined);

type ConnectorSchema = ReturnType<typeof Type.Object>;
const schemas = new WeakMap<Provider, Map<string, ConnectorSchema>>();

/** As in a channel's body, so that errors name the whole path. */
function schemaOf(provider: Provider, without: readonly string[]): ConnectorSchema {
  const known = schemas.get(provider) ?? new Map<string, ConnectorSchema>();
  schemas.set(provider, known);
  let schema = known.get(without.join());
  if (!schema) {
    const { settings, credentials } = provider;
    const checked = Object.entries(settings.properties).filter(([name]) => !without.includes(name));
    schema = Type.Object({ connector: Type.Object({ ...Object.fromEntries(checked), credentials }) });
    known.set(without.join(), schema);
  }
  return schema;
}
