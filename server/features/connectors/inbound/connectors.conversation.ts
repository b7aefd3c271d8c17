/** Which conversation a customer's messages belong to. */
import type { ConnectorKind } from '../../../../contract/connectors.ts';
import type { Reader } from '../../../platform/db/db.ts';
import { identifierKey, toIdentifier } from '../../blocked-contacts/blocked-contacts.ts';
import type { Customer } from '../connectors.provider.ts';
import { type Lane, selectCandidates } from './connectors.items.sql.ts';

export interface Conversation {
  sessionId: string;
  exists: boolean;
}

/**
 * `<kind>:<customer>`, or the one that the customer has on this channel under another identifier. Where another channel of
 * the account has the id, this channel's id is appended.
 */
export async function findConversation(
  db: Reader,
  lane: Lane,
  kind: ConnectorKind,
  customer: Customer,
): Promise<Conversation> {
  const { channelId } = lane;
  const plain = `${kind}:${customer.id}`;
  const own = `${plain}:${channelId}`;
  const keys = customer.identifiers
    .flatMap((one) => toIdentifier(one.kind, one.value, channelId) ?? [])
    .map(identifierKey);
  const candidates = await selectCandidates(db, lane, [plain, own], keys);
  const mine = candidates.filter((one) => one.channelId === channelId).map((one) => one.sessionId);
  const found = [plain, own].find((id) => mine.includes(id)) ?? mine[0];
  if (found !== undefined) return { sessionId: found, exists: true };
  const isTaken = candidates.some((one) => one.sessionId === plain);
  return { sessionId: isTaken ? own : plain, exists: false };
}
