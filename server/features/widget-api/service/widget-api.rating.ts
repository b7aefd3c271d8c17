/** A visitor rates the conversation while it is resolved. */
import type { VisitorRating } from '../../../../contract/widget/widget.ts';
import type { Db, Tx } from '../../../platform/db/db.ts';
import { conflict, forbidden } from '../../../platform/http/errors.ts';
import { findSession, openVisitorSession, rate, readRating } from '../../sessions/sessions.ts';
import type { Widget } from '../widget-api.settings.sql.ts';
import type { Visitor } from '../widget-api.visitor.ts';

/** Of the current resolution; a score of null: none. */
export async function readOwnRating(
  db: Db,
  { accountId, sessionId }: Visitor,
): Promise<{ score: number | null; comment: string }> {
  const session = await findSession(db, accountId, sessionId);
  const rating = session && (await readRating(db, accountId, session));
  return rating ?? { score: null, comment: '' };
}

/** A blocked visitor gets the usual response. */
export async function receiveRating(
  tx: Tx,
  widget: Widget,
  visitor: Visitor,
  { score, comment = '' }: VisitorRating,
  now: number,
): Promise<void> {
  if (!widget.askRating) throw forbidden('this channel does not ask for ratings: see its widget settings');
  const { state, isBlocked } = await openVisitorSession(tx, visitor);
  if (isBlocked()) return;
  if (!state) throw conflict('the conversation is not resolved');
  await rate(tx, visitor.accountId, Math.max(now, state.updatedAt), state, {
    score,
    comment: comment.trim(),
  });
}
