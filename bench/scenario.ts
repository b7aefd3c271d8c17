import type { Comparison } from './pairs.ts';
import type { Stage } from './stage.ts';

/** One figure with its goal; times are milliseconds. */
export interface Measure {
  name: string;
  value: number;
  goal: { atMost: number } | { atLeast: number } | null;
}

export type Scenario =
  | {
      name: string;
      about: string;
      /** The least share of the floor's rate that Talkboard is to reach. */
      goal: number;
      run(stage: Stage): Promise<Comparison>;
    }
  | {
      name: string;
      about: string;
      /** For what has no floor: latencies, and rates beside a peer. */
      measure(stage: Stage): Promise<Measure[]>;
    };
