import { Candidates } from './search.candidates.ts';
import { Matches } from './search.matches.ts';
import { Ranks } from './search.ranks.ts';

/** How many texts are looked at between two calls of the pause: some 0.1 ms. */
export const SLICE = 8192;

/** The memory that one query needs at a time. Queries that wait for each other take turns with several of these. */
export class Workspace {
  readonly words = new Ranks();
  readonly tokens = new Ranks();
  readonly phones = new Ranks();
  readonly values = new Ranks();
  readonly records = new Ranks();
  readonly matches = new Matches();
  readonly candidates = new Candidates();
  /** The texts of one slice that are to be compared. */
  readonly selected = new Uint32Array(SLICE);
}
