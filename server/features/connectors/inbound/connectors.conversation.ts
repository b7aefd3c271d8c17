/** Which conversation a customer's messages belong to. */
import type { ConnectorKind } from '../../../../contract/connectors.ts';
import { createSharedStatement } from '../../../platform/concurrency/shared-statements.ts';
import type { Db, Reader } from '../../../platform/db/db.ts';
import { identifierKey, toIdentifier } from '../../blocked-contacts/blocked-contacts.ts';
import type { Customer } from '../connectors.provider.ts';
import { type Asked, type Lane, selectCandidates } from './connectors.items.sql.ts';

export interface Conversation {
  sessionId: string;
  exists: boolean;
}

const candidatesAtOnce = 32;
const readCandidates = createSharedStatement(candidatesAtOnce, (db, asked: readonly Asked[]) =>
  selectCandidates(db, asked),
);

/**
 * `<kind>:<customer>`, or the one that the customer has on this channel under another identifier. Where another channel of
 * the account has the id, this channel's id is appended.
 */
export async function findConversation(
  db: Db | Reader,
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
  const asked = { lane, sessionIds: [plain, own], identifierKeys: keys };
  // A transaction reads for itself.
  const candidates =
    'readPipelined' in db ? await readCandidates(db, asked) : (await selectCandidates(db, [asked]))[0]!;
  const mine = candidates.filter((one) => one.channelId === channelId).map((one) => one.sessionId);
  const found = [plain, own].find((id) => mine.includes(id)) ?? mine[0];
  if (found !== undefined) return { sessionId: found, exists: true };
  const isTaken = candidates.some((one) => one.sessionId === plain);
  return { sessionId: isTaken ? own : plain, exists: false };
}
