import type { ApiToken } from '../../../contract/accounts.ts';
import type { Scope } from '../../../contract/limits.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import { sql } from '../../platform/sql.ts';

interface TokenRow {
  id: string;
  name: string;
  scopes: Scope[];
  expires_at: number | null;
  created_at: number;
  last_used_at: number | null;
}

function toToken(row: TokenRow): ApiToken {
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
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
    createdBy: string;
    now: number;
  },
): Promise<ApiToken> {
  const [row] = await tx.query<TokenRow>(sql`
    insert into api_tokens (account_id, id, name, scopes, token_hash, expires_at, created_at, created_by)
    values (${accountId}, ${token.id}, ${token.name}, ${token.scopes}, ${token.hash}, ${token.expiresAt},
      ${token.now}, ${token.createdBy})
    returning id, name, scopes, expires_at, created_at, last_used_at`);
  return toToken(row!);
}

export async function selectTokens(
  db: Reader,
  accountId: string,
  before: string | null,
  limit: number,
): Promise<ApiToken[]> {
  const rows = await db.query<TokenRow>(sql`
    select id, name, scopes, expires_at, created_at, last_used_at from api_tokens
    where account_id = ${accountId} and (${before}::uuid is null or id < ${before}::uuid)
    order by id desc limit ${limit}`);
  return rows.map(toToken);
}

export async function deleteToken(tx: Tx, accountId: string, id: string): Promise<ApiToken | null> {
  const [row] = await tx.query<TokenRow>(sql`
    delete from api_tokens where account_id = ${accountId} and id = ${id}
    returning id, name, scopes, expires_at, created_at, last_used_at`);
  return row ? toToken(row) : null;
}
