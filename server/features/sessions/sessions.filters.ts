/** Filters of lists of conversations: what this feature needs of `conditions`, which implements it. */
import type { Sql } from '../../platform/db/sql.ts';
import type { Actor } from '../accounts/accounts.ts';

export interface SessionFilters {
  /** `me` is the reader. A 400 names the place of a mistake, such as `filter.and[0].op must be one of …`. */
  read(actor: Actor, filter: unknown): SessionFilter;
}

export interface SessionFilter {
  /** As it is at this moment: `inLast` 2 hours begins two hours before it. */
  at(moment: number): Promise<SessionFilterAt>;
}

export interface SessionFilterAt {
  /** Of the conversation `s`: everything that may match. */
  possible: Sql;
  /** What certainly matches; the rest of what is possible is decided by `refused`. */
  certain: Sql;
  /** Whether the two are the same. */
  isExact: boolean;
  /** Those that do not match. */
  refused(sessionIds: readonly string[]): Promise<Set<string>>;
}
