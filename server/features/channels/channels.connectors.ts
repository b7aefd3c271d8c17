/** Channels with their connectors, which a feature below implements. */
import type {
  Channel,
  ChannelCreate,
  ChannelUpdate,
  ChannelWithConnector,
} from '../../../contract/channels.ts';
import type { Connector, ConnectorInput } from '../../../contract/connectors.schemas.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import type { Actor } from '../accounts/accounts.ts';
import type { UsesOfHours } from '../business-hours/business-hours.ts';
import { loadDirectory } from './channels.directory.ts';
import { changeChannel, createChannel, removeChannel, requireChannel } from './channels.manage.ts';

export interface ConnectorsOfChannels {
  /** Resolves the provider's address, so it runs before the transaction is opened. */
  checkAddress(input: ConnectorInput | null | undefined): Promise<void>;
  /**
   * Saves in a transaction that is rolled back, then asks the provider who we are with what would have been stored. Throws
   * CONNECTION_REFUSED.
   */
  tryConnection(accountId: string, save: (tx: Tx) => Promise<{ id: string }>): Promise<void>;
  all(db: Reader, accountId: string): Promise<Map<string, Connector>>;
  one(db: Reader, accountId: string, channelId: string): Promise<Connector | null>;
  /** Null removes the connector; undefined leaves it, and only checks that it still fits. Saving connects it. */
  save(
    tx: Tx,
    actor: Actor,
    now: number,
    channel: Channel,
    input: ConnectorInput | null | undefined,
  ): Promise<Connector | null>;
  /** The channel was enabled or disabled. */
  enabledChanged(tx: Tx, accountId: string, channelId: string, now: number): Promise<void>;
  /** Before the channel is deleted, and its connector with it. */
  channelRemoved(tx: Tx, accountId: string, channelId: string): Promise<void>;
}

export async function createConnectedChannel(
  tx: Tx,
  actor: Actor,
  now: number,
  { secrets, connectors }: { secrets: Secrets; connectors: ConnectorsOfChannels },
  { connector: input, ...body }: ChannelCreate,
): Promise<ChannelWithConnector & { webhookSecret: string }> {
  const { webhookSecret, ...channel } = await createChannel(tx, actor, now, secrets, body);
  return { ...channel, connector: await connectors.save(tx, actor, now, channel, input), webhookSecret };
}

export async function changeConnectedChannel(
  tx: Tx,
  actor: Actor,
  now: number,
  connectors: ConnectorsOfChannels,
  id: string,
  { connector: input, ...change }: ChannelUpdate,
): Promise<ChannelWithConnector> {
  const { accountId } = actor;
  const isSwitched = change.enabled !== undefined;
  const before = isSwitched ? requireChannel(await loadDirectory(tx, accountId), id) : null;
  const channel = await changeChannel(tx, actor, now, id, change);
  const connector = await connectors.save(tx, actor, now, channel, input);
  if (!before || before.enabled === channel.enabled) return { ...channel, connector };
  await connectors.enabledChanged(tx, accountId, id, now);
  return { ...channel, connector: await connectors.one(tx, accountId, id) };
}

export async function removeConnectedChannel(
  tx: Tx,
  actor: Actor,
  now: number,
  { connectors, usesOfHours }: { connectors: ConnectorsOfChannels; usesOfHours: readonly UsesOfHours[] },
  id: string,
): Promise<void> {
  await connectors.channelRemoved(tx, actor.accountId, id);
  await removeChannel(tx, actor, now, id, usesOfHours);
}
