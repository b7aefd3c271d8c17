/** The name and the e-mail address that a visitor gives. */
import type { VisitorDetails, VisitorStarted } from '../../../../contract/widget/widget.ts';
import type { Db } from '../../../platform/db/db.ts';
import { badRequest } from '../../../platform/http/errors.ts';
import { openVisitorSession, storeCustomer } from '../../sessions/sessions.ts';
import { isUsable, toStarted, type Visitor, type VisitorTokens } from '../widget-api.visitor.ts';

/**
 * The answer is a new token that carries them: most visitors have no conversation yet. One that has begun gets them at
 * once. A customer whose identity the site has signed keeps what was signed.
 */
export async function receiveDetails(
  { db, tokens, now }: { db: Db; tokens: VisitorTokens; now: number },
  visitor: Visitor,
  details: VisitorDetails,
): Promise<VisitorStarted> {
  if (visitor.userId !== null) return toStarted(tokens, visitor);
  const name = details.name?.trim() || null;
  const email = details.email?.toLowerCase() ?? null;
  if (name !== null && !isUsable(name)) throw badRequest('name has characters that are not allowed');
  const after: Visitor = { ...visitor, name: name ?? visitor.name, email: email ?? visitor.email };
  if (name !== null || email !== null) await storeDetails(db, after, now, { name, email });
  return toStarted(tokens, after);
}

/** Nothing happens while there is no conversation, or if the visitor is blocked: operators see nothing of them. */
async function storeDetails(
  db: Db,
  visitor: Visitor,
  now: number,
  details: { name: string | null; email: string | null },
): Promise<void> {
  await db.transaction(async (tx) => {
    const { state, isBlocked } = await openVisitorSession(tx, visitor);
    if (!state || isBlocked()) return;
    await storeCustomer(tx, visitor.accountId, Math.max(now, state.updatedAt), state, details);
  });
}
