/** Which database an account lives in. With one cell it is always the same. */
import type { Db, Tx } from '../../platform/db/db.ts';
import type { RateLimits } from '../../platform/limits/rate-limit.ts';

export interface AccountHome {
  db: Db;
  rateLimits: RateLimits;
}

export interface AccountHomes {
  /** A 503 while one of them is not reachable. */
  all(): Promise<AccountHome[]>;
  of(accountId: string): Promise<AccountHome>;
  /** Chooses one for a new account and notes it, before the account is created. */
  forNew(accountId: string): Promise<AccountHome>;
  /** Its creation failed. */
  dropNew(accountId: string): Promise<void>;
}

export function oneHome(home: AccountHome): AccountHomes {
  return { all: async () => [home], of: async () => home, forNew: async () => home, dropNew: async () => {} };
}

/** Runs a rule where the account lives. In another database it commits there, before the transaction of the request. */
export function runAt<T>(
  home: AccountHome,
  own: { db: Db; tx: Tx },
  rule: (tx: Tx) => Promise<T>,
): Promise<T> {
  return home.db === own.db ? rule(own.tx) : home.db.transaction(rule);
}
