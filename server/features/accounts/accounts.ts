/** What other features may use of accounts: the actor, the audit log, and the account's users. */
export {
  type Actor,
  demoActor,
  isOperator,
  mayManage,
  personOf,
  systemActor,
  type UserActor,
} from './accounts.actor.ts';
export { findWebhookLogDays, hasAccounts, lockFirstStart, setWebhookLogDays } from './accounts.admin.sql.ts';
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
export { type AccountHomes, oneHome } from './accounts.homes.ts';
export { createToken } from './accounts.tokens.ts';
export { eraseUsers, selectUsersByIds } from './accounts.users.sql.ts';
export {
  checkUserIds,
  createUser,
  findUserIds,
  releaseOwnersJobKind,
  type SessionsOfUser,
} from './accounts.users.ts';
export { changeSecurity } from './addresses/accounts.security.ts';
export { resetFactors } from './factors/accounts.factors.ts';
export { pruneLogins } from './login/accounts.login.ts';
export { checkPassword, generatePassword, hashPassword } from './login/accounts.passwords.ts';
