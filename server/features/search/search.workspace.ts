import { Matches } from './search.matches.ts';
import { Ranks } from './search.ranks.ts';

/** The memory that one query needs at a time. Queries that wait for each other take turns with several of these. */
export class Workspace {
  readonly words = new Ranks();
  readonly tokens = new Ranks();
  readonly phones = new Ranks();
  readonly values = new Ranks();
  readonly records = new Ranks();
  readonly matches = new Matches();
}
