/** API tokens: 256 random bits that are shown once and kept only as a hash. */
import { randomBytes } from 'node:crypto';
import type { ApiToken } from '../../../contract/accounts.ts';
import { defaultScopes, limits, type Scope } from '../../../contract/limits.ts';
import { pageSize } from '../../../contract/paging.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import { badRequest, notFound } from '../../platform/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { cutPage, type Page, type PageTokens } from '../../platform/page-token.ts';
import { sha256 } from '../../platform/secrets.ts';
import type { Actor } from './accounts.actor.ts';
import { audit } from './accounts.audit.ts';
import { deleteToken, insertToken, selectTokens } from './accounts.tokens.sql.ts';

export async function createToken(
  tx: Tx,
  actor: Actor,
  now: number,
  input: { name: string; scopes?: readonly Scope[]; expiresAt?: number | null },
): Promise<ApiToken & { token: string }> {
  const name = input.name.trim();
  if (!name) throw badRequest('name is required');
  const expiresAt = input.expiresAt ?? null;
  if (expiresAt !== null && expiresAt <= now) throw badRequest('expiresAt must be in the future');
  const scopes = input.scopes ?? defaultScopes;
  const token = `tb_${randomBytes(32).toString('base64url')}`;
  const created = await insertToken(tx, actor.accountId, {
    id: newId(now),
    name,
    scopes,
    hash: sha256(token),
    expiresAt,
    createdBy: actor.id,
    now,
  });
  await audit(tx, actor, now, {
    action: 'api_token.created',
    target: { type: 'api_token', id: created.id },
    changes: { name, scopes, expiresAt },
  });
  return { ...created, token };
}

export async function listTokens(
  db: Reader,
  accountId: string,
  pageTokens: PageTokens,
  query: { limit?: number; nextToken?: string },
): Promise<Page<ApiToken>> {
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['api-tokens', accountId];
  const before = query.nextToken === undefined ? null : String(pageTokens.read(query.nextToken, scope)[0]);
  const rows = await selectTokens(db, accountId, before, size + 1);
  return cutPage(rows, size, (last) => pageTokens.issue([last.id], scope));
}

export async function revokeToken(tx: Tx, actor: Actor, now: number, id: string): Promise<void> {
  const token = isId(id) ? await deleteToken(tx, actor.accountId, id) : null;
  if (!token) throw notFound('token');
  await audit(tx, actor, now, {
    action: 'api_token.deleted',
    target: { type: 'api_token', id },
    changes: { name: { from: token.name, to: null } },
  });
}
