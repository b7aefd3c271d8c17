import { SLICE } from '../store/shared-texts.ts';
import type { Threads } from '../threads/threads.ts';
import { Candidates } from './candidates.ts';
import { Matches } from './matches.ts';
import { Ranks } from './ranks.ts';

/** What one query needs at a time. Queries that yield to each other use several of these. */
export class Workspace {
  readonly words = new Ranks();
  readonly tokens = new Ranks();
  readonly phones = new Ranks();
  readonly values = new Ranks();
  readonly records = new Ranks();
  readonly matches = new Matches();
  readonly candidates = new Candidates();
  readonly phoneCandidates = new Candidates();
  /** The number of texts in one slice. */
  readonly found = new Uint32Array(SLICE);
  /** Null: the query's own thread does everything. */
  readonly threads: Threads | null;

  constructor(threads: Threads | null = null) {
    this.threads = threads;
  }
}
