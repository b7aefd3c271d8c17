/** Accounts for the instance administrator, and an account's own settings. */
import type {
  AccountLimits,
  AccountSuspension,
  AccountUpdate,
  AccountWithSettings,
  User,
} from '../../../contract/accounts.ts';
import {
  defaultAccountLimits,
  defaultAdminName,
  type LanguageName,
  limits,
} from '../../../contract/limits.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { badRequest, notFound } from '../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../platform/http/page-token.ts';
import { isId, newId } from '../../platform/ids.ts';
import { type Actor, systemActor } from './accounts.actor.ts';
import {
  findAccount,
  insertAccount,
  lockAccount,
  selectAccounts,
  updateAccount,
} from './accounts.admin.sql.ts';
import { audit, differences } from './accounts.audit.ts';
import { lockAccountConfig } from './accounts.config-lock.ts';
import type { AccountHomes } from './accounts.homes.ts';
import { findUser } from './accounts.users.sql.ts';
import { createUser, findUserIds } from './accounts.users.ts';
import { selectAccountStates } from './lifecycle/accounts.lifecycle.sql.ts';

/** The initial content of a new account, one function per feature; the list is in server/new-account.ts. */
export type AccountStarter = (tx: Tx, actor: Actor, now: number) => Promise<void>;

export interface NewAccount {
  /** Chosen before, where the account's database is noted first. */
  id?: string;
  name: string;
  language?: LanguageName;
  adminEmail: string;
  adminName?: string;
  adminPasswordHash: string;
  isInstanceAdmin?: boolean;
  isEmailClaimed?: boolean;
}

export async function createAccount(
  tx: Tx,
  now: number,
  input: NewAccount,
  starters: readonly AccountStarter[],
): Promise<{ account: AccountWithSettings; user: User }> {
  const name = input.name.trim();
  if (!name) throw badRequest('name is required');
  const account = await insertAccount(tx, {
    id: input.id ?? newId(now),
    name,
    language: input.language ?? 'en',
    limits: defaultAccountLimits,
    now,
  });
  const actor = systemActor(account.id);
  const user = await createUser(tx, actor, now, {
    email: input.adminEmail,
    name: input.adminName ?? defaultAdminName,
    role: 'admin',
    passwordHash: input.adminPasswordHash,
    isOwnPassword: input.isInstanceAdmin ?? false,
    isInstanceAdmin: input.isInstanceAdmin ?? false,
    isEmailClaimed: input.isEmailClaimed ?? false,
  });
  for (const start of starters) await start(tx, actor, now);
  await audit(tx, actor, now, { action: 'account.created', target: { type: 'account', id: account.id } });
  return { account, user };
}

/** What `createAccount` answered when it ran before; null: it did not. */
export async function findCreated(
  db: Reader,
  accountId: string,
  adminEmail: string,
): Promise<{ account: AccountWithSettings; user: User } | null> {
  const account = await findAccount(db, accountId);
  const email = adminEmail.trim().toLowerCase();
  const userId = account && (await findUserIds(db, accountId, [email])).get(email);
  const user = userId ? await findUser(db, accountId, userId) : null;
  return account && user ? { account, user } : null;
}

export async function listAccounts(
  homes: AccountHomes,
  tokens: PageTokens,
  query: { limit?: number; nextToken?: string },
): Promise<Page<AccountWithSettings & AccountSuspension>> {
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['accounts'];
  const after = query.nextToken === undefined ? null : String(tokens.read(query.nextToken, scope)[0]);
  const lists = await Promise.all((await homes.all()).map(({ db }) => listOf(db, after, size + 1)));
  const rows = [...new Map(lists.flat().map((one) => [one.id, one])).values()]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .slice(0, size + 1);
  return cutPage(rows, size, (last) => tokens.issue([last.id], scope));
}

async function listOf(
  db: Reader,
  after: string | null,
  limit: number,
): Promise<(AccountWithSettings & AccountSuspension)[]> {
  const accounts = await selectAccounts(db, after, limit);
  const states = await selectAccountStates(
    db,
    accounts.map(({ id }) => id),
  );
  const byId = new Map(states.map((one) => [one.id, one]));
  // One that is gone since then is left out.
  return accounts.flatMap((account) => {
    const state = byId.get(account.id);
    if (!state) return [];
    const { suspendedAt, suspendedReason, deletingSince } = state;
    return [{ ...account, suspendedAt, suspendedReason, deletingSince }];
  });
}

export async function changeAccount(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  change: AccountUpdate & { limits?: Partial<AccountLimits> },
): Promise<AccountWithSettings> {
  // The language is part of the configuration. Before the account's row is locked.
  if (change.language !== undefined && isId(id)) await lockAccountConfig(tx, id);
  const before = isId(id) ? await lockAccount(tx, id) : null;
  if (!before) throw notFound('account');
  const name = change.name === undefined ? before.name : change.name.trim();
  if (!name) throw badRequest('name is required');
  const after: AccountWithSettings = {
    id,
    name,
    language: change.language ?? before.language,
    replyTakesOver: change.replyTakesOver ?? before.replyTakesOver,
    limits: { ...before.limits, ...change.limits },
  };
  await updateAccount(tx, id, after);
  await audit(tx, { ...actor, accountId: id }, now, {
    action: 'account.updated',
    target: { type: 'account', id },
    changes: {
      ...differences(settingsOf(before), settingsOf(after)),
      ...differences(before.limits, after.limits),
    },
  });
  return after;
}

function settingsOf({ name, language, replyTakesOver }: AccountWithSettings) {
  return { name, language, replyTakesOver };
}
