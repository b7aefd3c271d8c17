/** What other features may use of accounts: the actor, the audit log, and the account's users. */
export {
  type Actor,
  demoActor,
  isOperator,
  personOf,
  type RuleActor,
  rightsOf,
  systemActor,
  type UserActor,
} from './accounts.actor.ts';
export {
  findAccount,
  findWebhookLogDays,
  hasAccounts,
  lockFirstStart,
  selectAccountIdsNamed,
  setWebhookLogDays,
} from './accounts.admin.sql.ts';
export { type AccountStarter, createAccount } from './accounts.admin.ts';
export { eraseAuditEntries, saveCleared, selectAuditBatch } from './accounts.audit.sql.ts';
export { audit, differences } from './accounts.audit.ts';
export {
  type ActorReference,
  type Authenticator,
  createAuthenticator,
  findActor,
} from './accounts.authenticate.ts';
export { accountConfigTopic, lockAccountConfig } from './accounts.config-lock.ts';
export { type AccountHome, type AccountHomes, findInHomes, oneHome, runAt } from './accounts.homes.ts';
export { createToken } from './accounts.tokens.ts';
export { eraseUsers, findUser, selectInstanceAdminAccounts, selectUsersByIds } from './accounts.users.sql.ts';
export {
  changeUser,
  checkEmail,
  checkUserIds,
  createUser,
  emailClaim,
  emailInUse,
  findUserIds,
  requireUserToReset,
  type SessionsOfUser,
  type SharedWork,
} from './accounts.users.ts';
export { checkSignInAddress } from './addresses/accounts.addresses.ts';
export { changeSecurity } from './addresses/accounts.security.ts';
export { resetFactors } from './factors/accounts.factors.ts';
export { deleteAccountRow, findDeletion } from './lifecycle/accounts.lifecycle.sql.ts';
export {
  accountDeletionJobKind,
  requestAccountDeletion,
  requireActive,
  resumeAccount,
  suspendAccount,
} from './lifecycle/accounts.lifecycle.ts';
export {
  deleteLinksBefore,
  findLinkUser,
  insertLink,
  type LinkKind,
  takeLink,
} from './login/accounts.links.sql.ts';
export { findLogin, findLoginById, type LoginUser } from './login/accounts.login.sql.ts';
export { endForeignPassword, pruneLogins, resetPassword } from './login/accounts.login.ts';
export { checkPassword, generatePassword, hashPassword } from './login/accounts.passwords.ts';
export {
  type Client,
  describeSignedIn,
  newSession,
  type RefreshCookie,
  refreshCookieName,
  refreshCookieOptions,
  type SessionDeps,
  type SignedInWithCookie,
  startSession,
} from './login/accounts.sessions.ts';
export {
  may,
  permissionsOf,
  personMay,
  type RoleChoice,
  requireAddressRight,
  requireMay,
} from './roles/accounts.permissions.ts';
export {
  chooseRole,
  type InvitationsOfRole,
  lockRights,
  lockToManage,
  releaseOwnersJobKind,
  requireToCoverRole,
  strongestRole,
} from './roles/accounts.roles.ts';
