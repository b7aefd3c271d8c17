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
  /** Takes minutes or installs peers: runs only if it is named. */
  onRequest?: true;
  /** Fills its own data: the common records are skipped if no other scenario needs them. */
  fillsItself?: true;
}

export type Scenario = Described &
  (
    | {
        /** The minimum share of the floor's rate that Talkboard must reach. */
        goal: number;
        run(stage: Stage): Promise<Comparison>;
      }
    | {
        /** For figures without a floor: latencies, and rates beside a peer. */
        measure(stage: Stage): Promise<Measure[]>;
      }
    | {
        /** Several engines side by side; figures with goals beside it. */
        tabulate(stage: Stage): Promise<Table & { measures?: Measure[] }>;
      }
    | {
        /** Starts everything itself, without a stage. */
        alone(run: AloneRun): Promise<{ measures: Measure[]; text?: string }>;
      }
  );

export type AloneRun = Pick<Stage, 'options' | 'say' | 'onClose'>;
