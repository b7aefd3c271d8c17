/** Which conversation a customer's messages belong to. */
import type { ConnectorKind } from '../../../../contract/connectors.ts';
import type { Reader } from '../../../platform/db/db.ts';
import { contactKey } from '../../blocked-contacts/blocked-contacts.ts';
import { findContactSession } from '../../sessions/sessions.ts';
import type { Customer } from '../connectors.provider.ts';
import { type Lane, selectSessionPlaces } from './connectors.items.sql.ts';

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
  { accountId, channelId }: Lane,
  kind: ConnectorKind,
  customer: Customer,
): Promise<Conversation> {
  const plain = `${kind}:${customer.id}`;
  const own = `${plain}:${channelId}`;
  const places = await selectSessionPlaces(db, accountId, [plain, own]);
  for (const sessionId of [plain, own]) {
    if (places.get(sessionId) === channelId) return { sessionId, exists: true };
  }
  for (const { value } of customer.identifiers) {
    const earlier = await findContactSession(db, accountId, channelId, contactKey(value), null);
    if (earlier !== null) return { sessionId: earlier, exists: true };
  }
  return { sessionId: places.has(plain) ? own : plain, exists: false };
}
