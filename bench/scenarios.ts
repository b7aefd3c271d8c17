/** The explicit list of scenarios, in the order in which they run: those that write come last. */
import type { Scenario } from './scenario.ts';
import { recordCreate } from './scenarios/record-create.ts';
import { recordGet } from './scenarios/record-get.ts';
import { recordList } from './scenarios/record-list.ts';

export const scenarios: readonly Scenario[] = [recordGet, recordList, recordCreate];
