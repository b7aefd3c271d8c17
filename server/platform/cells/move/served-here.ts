/** Part of the statements of background work that choose rows of all accounts. */
import { type Sql, sql } from '../../db/sql.ts';

/** Not of an account that arrives from another cell, has left, or is about to leave. `account` is a column. */
export function isServedHere(account: Sql): Sql {
  return sql`not exists (select from account_fences f
    where f.account_id = ${account} and (f.state <> 'leaving' or f.quiet_until > now()))`;
}

/** For updates of rows of all accounts: the others are refused by the guard of an account that moves. */
export function isWritableHere(account: Sql): Sql {
  return sql`not exists (select from account_fences f
    where f.account_id = ${account} and (f.state <> 'leaving' or f.closed_until > now()))`;
}

/** `isServedHere` for work that must not stop before the account has left. */
export function isNotElsewhere(account: Sql): Sql {
  return sql`not exists (select from account_fences f where f.account_id = ${account} and f.state <> 'leaving')`;
}
