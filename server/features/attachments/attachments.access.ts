import { type Actor, may } from '../accounts/accounts.ts';
import type { FileReader } from './attachments.access.sql.ts';

/** `visible`: the boards open to the actor, null for all. A token reads messages only with that scope. */
export function fileReaderOf(actor: Actor, visible: string[] | null): FileReader {
  const readsMessages = may(actor, 'conversations.view');
  return { actorId: actor.id, visible: readsMessages ? visible : [] };
}
