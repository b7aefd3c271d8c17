/** What others may use of sign-in: its jobs, its clean-up, and the link of the command line. */
import type { Db } from '../../platform/db/db.ts';
import { deleteLinksBefore } from '../accounts/accounts.ts';
import { deleteInvitationsBefore } from './invitations/sign-in.invitations.sql.ts';
import { deleteStatesBefore } from './oidc/sign-in.oidc.sql.ts';

export { invitationMailJobKind, invitationsOfRole } from './invitations/sign-in.invitations.ts';
export { createLoginLink } from './links/sign-in.links.ts';
export { passwordResetJobKind } from './links/sign-in.password-reset.ts';

/** An expired invitation stays in the list for so long, to be sent again. */
const expiredInvitationMs = 30 * 86_400_000;

export async function pruneSignIn(db: Db, now: number): Promise<void> {
  await db.transaction(async (tx) => {
    await deleteLinksBefore(tx, now);
    await deleteStatesBefore(tx, now);
    await deleteInvitationsBefore(tx, now - expiredInvitationMs);
  });
}
