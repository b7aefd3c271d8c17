/**
 * API tokens: the account's tag and 256 random bits, shown once and stored only as a hash. Each belongs to a user and is revoked
 * with them.
 */
import { randomBytes } from 'node:crypto';
import type { ApiToken } from '../../../contract/accounts.ts';
import { defaultScopes, limits, type Scope } from '../../../contract/limits.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import { tagOf } from '../../platform/cells/account-tag.ts';
import { isForeignKeyViolation, type Reader, type Tx } from '../../platform/db/db.ts';
import { rangeText } from '../../platform/http/client-address.ts';
import { badRequest, conflict, forbidden, notFound, unauthorized } from '../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../platform/http/page-token.ts';
import { isId, newId } from '../../platform/ids.ts';
import { sha256 } from '../../platform/secrets/secrets.ts';
import { type Actor, personOf } from './accounts.actor.ts';
import { audit, differences } from './accounts.audit.ts';
import {
  deleteToken,
  findFirstAdministrator,
  insertToken,
  lockToken,
  selectTokens,
  updateTokenAddresses,
  updateTokenUser,
} from './accounts.tokens.sql.ts';
import { checkLockout, isListWithin, readAddressList } from './addresses/accounts.addresses.ts';
import { lockToManage, requireToCover } from './roles/accounts.roles.ts';

export async function createToken(
  tx: Tx,
  actor: Actor,
  now: number,
  input: {
    name: string;
    scopes?: readonly Scope[];
    expiresAt?: number | null;
    allowedAddresses?: readonly string[];
  },
): Promise<ApiToken & { token: string }> {
  const name = input.name.trim();
  if (!name) throw badRequest('name is required');
  const expiresAt = endOf(actor, input.expiresAt);
  if (expiresAt !== null && expiresAt <= now) throw badRequest('expiresAt must be in the future');
  const scopes = input.scopes ?? defaultScopes;
  checkGrant(actor, scopes);
  const allowedAddresses = addressesOf(actor, input.allowedAddresses);
  const token = `tb_${tagOf(actor.accountId)}${randomBytes(32).toString('base64url')}`;
  const created = await insertToken(tx, actor.accountId, {
    id: newId(now),
    name,
    scopes,
    hash: sha256(token),
    expiresAt,
    userId: await userOf(tx, actor),
    allowedAddresses,
    now,
  }).catch((error) => {
    // The caller was removed while the request ran.
    if (isForeignKeyViolation(error, 'api_tokens_maker')) throw unauthorized();
    throw error;
  });
  await audit(tx, actor, now, {
    action: 'api_token.created',
    target: { type: 'api_token', id: created.id },
    changes: { name, scopes, expiresAt, ...(allowedAddresses.length > 0 && { allowedAddresses }) },
  });
  return { ...created, token };
}

export async function listTokens(
  db: Reader,
  accountId: string,
  pageTokens: PageTokens,
  query: { userId?: string; limit?: number; nextToken?: string },
): Promise<Page<ApiToken>> {
  const { userId } = query;
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['api-tokens', accountId, userId];
  const before = query.nextToken === undefined ? null : String(pageTokens.read(query.nextToken, scope)[0]);
  if (userId !== undefined && !isId(userId)) return { items: [], nextToken: null };
  const rows = await selectTokens(db, accountId, userId ?? null, before, size + 1);
  return cutPage(rows, size, (last) => pageTokens.issue([last.id], scope));
}

/** The token keeps working when its previous owner is removed. */
export async function transferToken(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  userId: string,
): Promise<ApiToken> {
  const { accountId } = actor;
  const caller = await lockToManage(tx, actor, 'tokens.manage');
  const before = isId(id) ? await lockToken(tx, accountId, id) : null;
  if (!before) throw notFound('token');
  checkGrant(caller, before.scopes);
  await requireToCover(tx, caller, before.createdBy.id);
  if (!isId(userId)) throw unknownUser(userId);
  await updateTokenUser(tx, accountId, id, userId).catch((error) => {
    if (isForeignKeyViolation(error, 'api_tokens_maker')) throw unknownUser(userId);
    throw error;
  });
  // Its new user may have more rights than the caller, who may know the token.
  await requireToCover(tx, caller, userId);
  const after = (await lockToken(tx, accountId, id))!;
  if (before.createdBy.id !== userId) {
    await audit(tx, actor, now, {
      action: 'api_token.transferred',
      target: { type: 'api_token', id },
      changes: { userId: { from: before.createdBy.id, to: userId } },
    });
  }
  return after;
}

export async function changeToken(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  change: { allowedAddresses?: readonly string[]; confirmLockout?: boolean },
): Promise<ApiToken> {
  const { accountId } = actor;
  const caller = await lockToManage(tx, actor, 'tokens.manage');
  const before = isId(id) ? await lockToken(tx, accountId, id) : null;
  if (!before) throw notFound('token');
  if (change.allowedAddresses === undefined) return before;
  checkGrant(caller, before.scopes);
  await requireToCover(tx, caller, before.createdBy.id);
  const allowedAddresses = addressesOf(caller, change.allowedAddresses);
  if (actor.kind === 'token' && actor.id === id) {
    const confirmed = change.confirmLockout ?? false;
    checkLockout(allowedAddresses, actor.address, { field: 'allowedAddresses', confirmed });
  }
  await updateTokenAddresses(tx, accountId, id, allowedAddresses);
  await audit(tx, actor, now, {
    action: 'api_token.updated',
    target: { type: 'api_token', id },
    changes: differences({ allowedAddresses: before.allowedAddresses }, { allowedAddresses }),
  });
  return { ...before, allowedAddresses };
}

export async function revokeToken(tx: Tx, actor: Actor, now: number, id: string): Promise<void> {
  const caller = await lockToManage(tx, actor, 'tokens.manage');
  const found = isId(id) ? await lockToken(tx, actor.accountId, id) : null;
  if (!found) throw notFound('token');
  const { name } = found;
  await requireToCover(tx, caller, found.createdBy.id);
  await deleteToken(tx, actor.accountId, id);
  await audit(tx, actor, now, {
    action: 'api_token.deleted',
    target: { type: 'api_token', id },
    changes: { name: { from: name, to: null } },
  });
}

/** Users may grant every scope; a token only its own, `manage` included. */
function checkGrant(actor: Actor, scopes: readonly Scope[]): void {
  if (actor.kind !== 'token') return;
  const lacking = scopes.filter((scope) => !actor.scopes.includes(scope));
  if (lacking.length > 0) {
    throw forbidden(`the token cannot grant scopes that it lacks: ${lacking.join(', ')}`);
  }
}

/** A token that has a list gives no other token more than that. */
function addressesOf(actor: Actor, given: readonly string[] | undefined): string[] {
  const own = actor.kind === 'token' ? actor.allowedFrom?.[0] : undefined;
  if (given === undefined) return own?.map(rangeText) ?? [];
  const list = readAddressList(given, 'allowedAddresses');
  if (own && !isListWithin(list, own)) {
    throw forbidden('allowedAddresses must be within the addresses of the token that makes this request');
  }
  return list;
}

/** A token that expires cannot create one that expires later. */
function endOf(actor: Actor, expiresAt: number | null | undefined): number | null {
  const latest = actor.kind === 'token' ? actor.expiresAt : null;
  if (expiresAt === undefined) return latest;
  if (latest !== null && (expiresAt === null || expiresAt > latest)) {
    throw forbidden(`expiresAt cannot be later than the end of the token that creates it: ${latest}`);
  }
  return expiresAt;
}

async function userOf(tx: Tx, actor: Actor): Promise<string> {
  const userId = personOf(actor)?.id ?? (await findFirstAdministrator(tx, actor.accountId));
  if (userId === null) throw conflict('the account has no administrator to own the token');
  return userId;
}

function unknownUser(userId: string) {
  return badRequest(`userId is not a user of this account: ${userId.slice(0, 100)}`);
}
