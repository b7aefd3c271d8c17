import type { ApiToken } from '../../../contract/accounts.ts';
import type { Scope } from '../../../contract/limits.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';

const columns = sql`t.id, t.name, t.scopes, t.expires_at, t.created_at, t.last_used_at, t.user_id, u.name as user_name,
  t.allowed_addresses`;

interface TokenRow {
  id: string;
  name: string;
  scopes: Scope[];
  expires_at: number | null;
  created_at: number;
  last_used_at: number | null;
  user_id: string;
  user_name: string;
  allowed_addresses: string[];
}

function toToken(row: TokenRow): ApiToken {
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    createdBy: { id: row.user_id, name: row.user_name },
    lastUsedAt: row.last_used_at,
    allowedAddresses: row.allowed_addresses,
  };
}

export async function insertToken(
  tx: Tx,
  accountId: string,
  token: {
    id: string;
    name: string;
    scopes: readonly Scope[];
    hash: Buffer;
    expiresAt: number | null;
    userId: string;
    allowedAddresses: readonly string[];
    now: number;
  },
): Promise<ApiToken> {
  const [row] = await tx.query<TokenRow>(sql`
    with t as (
      insert into api_tokens (account_id, id, name, scopes, token_hash, expires_at, created_at, user_id,
        allowed_addresses)
      values (${accountId}, ${token.id}, ${token.name}, ${token.scopes}, ${token.hash}, ${token.expiresAt},
        ${token.now}, ${token.userId}, ${token.allowedAddresses})
      returning account_id, id, name, scopes, expires_at, created_at, last_used_at, user_id, allowed_addresses)
    select ${columns} from t join users u on u.account_id = t.account_id and u.id = t.user_id`);
  return toToken(row!);
}

export async function selectTokens(
  db: Reader,
  accountId: string,
  userId: string | null,
  before: string | null,
  limit: number,
): Promise<ApiToken[]> {
  const rows = await db.query<TokenRow>(sql`
    select ${columns} from api_tokens t join users u on u.account_id = t.account_id and u.id = t.user_id
    where t.account_id = ${accountId} and (${userId}::uuid is null or t.user_id = ${userId}::uuid)
      and (${before}::uuid is null or t.id < ${before}::uuid)
    order by t.id desc limit ${limit}`);
  return rows.map(toToken);
}

export async function lockToken(tx: Tx, accountId: string, id: string): Promise<ApiToken | null> {
  const [row] = await tx.query<TokenRow>(sql`
    select ${columns} from api_tokens t join users u on u.account_id = t.account_id and u.id = t.user_id
    where t.account_id = ${accountId} and t.id = ${id} for update of t`);
  return row ? toToken(row) : null;
}

export async function updateTokenUser(tx: Tx, accountId: string, id: string, userId: string): Promise<void> {
  await tx.query(sql`
    update api_tokens set user_id = ${userId} where account_id = ${accountId} and id = ${id}`);
}

export async function updateTokenAddresses(
  tx: Tx,
  accountId: string,
  id: string,
  addresses: readonly string[],
): Promise<void> {
  await tx.query(sql`
    update api_tokens set allowed_addresses = ${addresses} where account_id = ${accountId} and id = ${id}`);
}

/** For tokens created on the command line. */
export async function findFirstAdministrator(tx: Tx, accountId: string): Promise<string | null> {
  const [row] = await tx.query<{ id: string }>(sql`
    select id from users where account_id = ${accountId} and role = 'admin' order by created_at, id limit 1`);
  return row?.id ?? null;
}

/** The tokens of a user, deleted before the user so that the log can name each. */
export async function deleteTokensOf(
  tx: Tx,
  accountId: string,
  userId: string,
): Promise<{ id: string; name: string }[]> {
  return tx.query<{ id: string; name: string }>(sql`
    delete from api_tokens where account_id = ${accountId} and user_id = ${userId} returning id, name`);
}

export async function deleteToken(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(sql`delete from api_tokens where account_id = ${accountId} and id = ${id}`);
}
