/** What others may use of sign-in: its jobs, its clean-up, and the link of the command line. */
export { invitationMailJobKind, invitationsOfRole } from './invitations/sign-in.invitations.ts';
export { createLoginLink } from './links/sign-in.links.ts';
export { passwordResetJobKind } from './links/sign-in.password-reset.ts';
export { pruneSignIn } from './sign-in.prune.ts';
