/** What other features may use of accounts: who acts, the log of what they did, and the account's users. */
export {
  type Actor,
  demoActor,
  isOperator,
  mayManage,
  personOf,
  systemActor,
  type UserActor,
} from './accounts.actor.ts';
export { hasAccounts, lockFirstStart } from './accounts.admin.sql.ts';
export { type AccountStarter, createAccount } from './accounts.admin.ts';
export { type AuditedChange, audit, auditAll, differences } from './accounts.audit.ts';
export {
  type ActorReference,
  type Authenticator,
  createAuthenticator,
  findActor,
} from './accounts.authenticate.ts';
export { accountConfigTopic, lockAccountConfig } from './accounts.config-lock.ts';
export { pruneLogins } from './accounts.login.ts';
export { checkPassword, generatePassword, hashPassword } from './accounts.passwords.ts';
export { createToken } from './accounts.tokens.ts';
export { selectUsersByIds } from './accounts.users.sql.ts';
export { checkUserIds, createUser, findUserIds } from './accounts.users.ts';
