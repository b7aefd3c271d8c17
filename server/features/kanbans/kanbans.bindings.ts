/**
 * Fields bound to channels. The stored value names channels or types of channels: a binding by type applies to
 * channels created later. Responses list the channels that are bound now.
 */
import { channelTypes } from '../../../contract/limits.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import type { Definitions, FieldDefinition } from './kanbans.definitions.ts';
import { replaceBinding } from './kanbans.sql.ts';

export interface NamedChannel {
  name: string;
  type: string;
}

/**
 * Channels are below boards in the order of features, so they implement this interface, and service.ts passes it in.
 */
export interface ChannelsOfAccount {
  /** As of these definitions; usually without a query. */
  at(accountId: string, definitions: Definitions): Promise<readonly NamedChannel[]>;
  /** As a transaction sees them. */
  load(reader: Reader, accountId: string): Promise<readonly NamedChannel[]>;
}

export function isBoundTo(field: Pick<FieldDefinition, 'boundToChannels'>, channel: NamedChannel): boolean {
  return field.boundToChannels.includes(channel.name) || field.boundToChannels.includes(channel.type);
}

/** A name that no channel has (yet) is returned unchanged. */
export function boundChannelNames(field: FieldDefinition, channels: readonly NamedChannel[]): string[] {
  const bound = channels.filter((channel) => isBoundTo(field, channel)).map((channel) => channel.name);
  const pending = field.boundToChannels.filter(
    (binding) => !isType(binding) && !channels.some((channel) => channel.name === binding),
  );
  return [...new Set([...bound, ...pending])];
}

/**
 * A renamed channel keeps its fields; a deleted one (`to` null) leaves no name behind. The caller holds the
 * definitions. `others` are the account's other channels: one of the same name stays bound.
 */
export async function renameBinding(
  tx: Tx,
  accountId: string,
  from: string,
  to: string | null,
  others: readonly NamedChannel[],
): Promise<void> {
  if (from === to) return;
  const keepsOld = isType(from) || others.some((channel) => channel.name === from);
  await replaceBinding(tx, accountId, from, to, keepsOld);
}

const isType = (binding: string) => channelTypes.some((type) => type === binding);
