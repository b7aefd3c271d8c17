/** A visitor asks for a person. */
import type { Tx } from '../../../platform/db/db.ts';
import { conflict, forbidden } from '../../../platform/http/errors.ts';
import { openVisitorSession, requestPerson } from '../../sessions/sessions.ts';
import type { Widget } from '../widget-api.settings.sql.ts';
import type { Visitor } from '../widget-api.visitor.ts';

/** A second request changes nothing. A blocked visitor gets the usual response. */
export async function receivePersonRequest(
  tx: Tx,
  widget: Widget,
  visitor: Visitor,
  now: number,
): Promise<void> {
  if (!widget.talkToPerson) throw forbidden('this channel does not offer a person: see its widget settings');
  const { state, isBlocked } = await openVisitorSession(tx, visitor);
  if (isBlocked()) return;
  if (!state) throw conflict('the conversation has not begun: send a message first');
  await requestPerson(tx, visitor.accountId, Math.max(now, state.lastMessageAt), state);
}
