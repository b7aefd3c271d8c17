/** The name and the e-mail address that a visitor gives. */
import type { VisitorDetails, VisitorStarted } from '../../../../contract/widget/widget.ts';
import type { Db } from '../../../platform/db/db.ts';
import { badRequest } from '../../../platform/http/errors.ts';
import { systemActor } from '../../accounts/accounts.ts';
import type { DefinitionsCache } from '../../kanbans/kanbans.ts';
import { claimEmail } from '../../records/records.ts';
import { openVisitorSession, storeCustomer } from '../../sessions/sessions.ts';
import { isUsable, toStarted, type Visitor, type VisitorTokens } from '../widget-api.visitor.ts';

interface DetailsDeps {
  db: Db;
  definitions: DefinitionsCache;
  now: number;
}

/**
 * The answer is a new token that carries them: most visitors have no conversation yet. One that has begun gets them at
 * once. A customer whose identity the site has signed keeps what was signed.
 */
export async function receiveDetails(
  { tokens, ...deps }: DetailsDeps & { tokens: VisitorTokens },
  visitor: Visitor,
  details: VisitorDetails,
): Promise<VisitorStarted> {
  if (visitor.userId !== null) return toStarted(tokens, visitor);
  const name = details.name?.trim() || null;
  const email = details.email?.toLowerCase() ?? null;
  if (name !== null && !isUsable(name)) throw badRequest('name has characters that are not allowed');
  const after: Visitor = { ...visitor, name: name ?? visitor.name, email: email ?? visitor.email };
  if (name !== null || email !== null) await storeDetails(deps, after, { name, email });
  return toStarted(tokens, after);
}

/** Nothing happens while there is no conversation, or if the visitor is blocked: operators see nothing of them. */
async function storeDetails(
  { db, definitions, now }: DetailsDeps,
  visitor: Visitor,
  details: { name: string | null; email: string | null },
): Promise<void> {
  await db.transaction(async (tx) => {
    const { state, isBlocked } = await openVisitorSession(tx, visitor);
    if (!state || isBlocked()) return;
    const { accountId } = visitor;
    const { recordId } = state;
    const at = Math.max(now, state.updatedAt);
    await storeCustomer(tx, accountId, at, state, details);
    if (details.email === null || recordId === null) return;
    const address = details.email;
    await definitions.withDefinitions(tx, accountId, (current) =>
      claimEmail(tx, systemActor(accountId), at, current, recordId, address),
    );
  });
}
