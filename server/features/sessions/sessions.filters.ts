/** Filters of lists of conversations: what this feature needs of `conditions`, which implements it. */
import type { Actor } from '../accounts/accounts.ts';
import type { SessionFilterAt } from './sessions.list.sql.ts';

export interface SessionFilters {
  /** `me` is the reader. A 400 names the place of a mistake, such as `filter.and[0].op must be one of …`. */
  read(actor: Actor, filter: unknown): SessionFilter;
}

export interface SessionFilter {
  /** As it is at this moment: `inLast` 2 hours begins two hours before it. */
  at(moment: number): Promise<SessionFilterAt>;
}
