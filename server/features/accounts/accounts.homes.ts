/** Which database an account lives in. With one cell it is always the same. */
import type { Db, Tx } from '../../platform/db/db.ts';
import { isTemporary, unavailable } from '../../platform/http/errors.ts';
import type { RateLimits } from '../../platform/limits/rate-limit.ts';

export interface AccountHome {
  /** The name of its cell. */
  cell: string;
  db: Db;
  rateLimits: RateLimits;
}

/** Where a new account goes. */
export interface NewHome {
  home: AccountHome;
  /** The one given, or that of an earlier run of the same request. */
  accountId: string;
  /** An earlier run may have created it. */
  isRepeated: boolean;
  /** The address is the account's already. */
  isEmailClaimed: boolean;
  /** Must follow, whether the account was created or not. */
  settle(): Promise<void>;
}

export interface AccountHomes {
  /** A 503 while one of them is not reachable. */
  all(): Promise<AccountHome[]>;
  /** All of them, without waiting; null: not reachable right now. */
  each(): (AccountHome | null)[];
  of(accountId: string): Promise<AccountHome>;
  /** Chooses one for a new account and notes it, with its e-mail address, before the account is created. */
  forNew(asked: { accountId: string; email: string; request: Buffer | null }): Promise<NewHome>;
}

export function oneHome(home: AccountHome): AccountHomes {
  return {
    all: async () => [home],
    each: () => [home],
    of: async () => home,
    forNew: async ({ accountId }) => ({
      home,
      accountId,
      isRepeated: false,
      isEmailClaimed: false,
      settle: async () => {},
    }),
  };
}

/**
 * What is in one of the databases; which one is unknown. A 503 if it was not found and one of them could not be asked: it may
 * be there.
 */
export async function findInHomes<T>(
  homes: AccountHomes,
  find: (db: Db) => Promise<T | null>,
): Promise<{ home: AccountHome; found: T } | null> {
  let isAway = false;
  const answers = await Promise.all(
    homes.each().map(async (home) => {
      try {
        if (!home) throw unavailable('a database is not reachable right now', 5);
        const found = await find(home.db);
        return found === null ? null : { home, found };
      } catch (error) {
        if (!isTemporary(error)) throw error;
        isAway = true;
        return null;
      }
    }),
  );
  const hit = answers.find((answer) => answer !== null);
  if (!hit && isAway) throw unavailable('a database is not reachable right now', 5);
  return hit ?? null;
}

/** Runs a rule where the account lives. In another database it commits there, before the transaction of the request. */
export function runAt<T>(
  home: Pick<AccountHome, 'db'>,
  own: { db: Db; tx: Tx },
  rule: (tx: Tx) => Promise<T>,
): Promise<T> {
  return home.db === own.db ? rule(own.tx) : home.db.transaction(rule);
}
