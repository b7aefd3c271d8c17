/** Part of the statements of background work that choose rows of all accounts. */
import { type Sql, sql } from '../../db/sql.ts';

/** Not of an account that arrives from another cell, has left, or is about to leave. `account` is a column. */
export function isServedHere(account: Sql): Sql {
  return sql`not exists (select from account_fences f
    where f.account_id = ${account} and (f.state <> 'leaving' or f.quiet_until > now()))`;
}

/** The same for work that must not stop before the account has left. */
export function isNotElsewhere(account: Sql): Sql {
  return sql`not exists (select from account_fences f where f.account_id = ${account} and f.state <> 'leaving')`;
}
