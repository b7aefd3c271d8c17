import type { Comparison } from './pairs.ts';
import type { Stage } from './stage.ts';

export interface Scenario {
  name: string;
  about: string;
  /** The least share of the floor's rate that Talkboard is to reach. */
  goal: number;
  run(stage: Stage): Promise<Comparison>;
}
