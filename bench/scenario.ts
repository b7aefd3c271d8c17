import type { Comparison } from './load/pairs.ts';
import type { Stage } from './stage.ts';

/** One figure with its goal; times are milliseconds. */
export interface Measure {
  name: string;
  value: number;
  goal: { atMost: number } | { atLeast: number } | null;
}

export interface Table {
  headings: string[];
  rows: string[][];
}

interface Described {
  name: string;
  about: string;
  /** Takes minutes or installs peers: runs only when it is named. */
  onRequest?: true;
  /** Fills what it needs itself: the common records are left out when no other scenario asks for them. */
  fillsItself?: true;
}

export type Scenario = Described &
  (
    | {
        /** The least share of the floor's rate that Talkboard is to reach. */
        goal: number;
        run(stage: Stage): Promise<Comparison>;
      }
    | {
        /** For what has no floor: latencies, and rates beside a peer. */
        measure(stage: Stage): Promise<Measure[]>;
      }
    | {
        /** Several engines side by side. */
        tabulate(stage: Stage): Promise<Table>;
      }
  );
