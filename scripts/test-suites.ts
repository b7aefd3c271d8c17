/** Which tests belong together: the three suites of `scripts/test.ts`, and the kinds whose costs it sums up. */
import { globSync } from 'node:fs';

export type Suite = 'main' | 'browser' | 'faults';

export const suites: readonly Suite[] = ['main', 'browser', 'faults'];

export function filesOf(suite: Suite): string[] {
  return globSync('{server,cli,bench,test,contract,browser,scripts,dashboard}/**/*.test.ts')
    .filter((file) => suiteOf(file) === suite)
    .sort();
}

export function suiteOf(file: string): Suite {
  if (file.startsWith('test/browser/')) return 'browser';
  // The simulation kills processes and stops a database too.
  return /^(test\/faults|bench\/simulate)\//.test(file) ? 'faults' : 'main';
}

const kinds: readonly [RegExp, string][] = [
  [/^test\/browser\//, 'browser'],
  [/^(test\/faults|bench\/simulate)\//, 'faults'],
  [/^test\/acceptance\//, 'acceptance'],
  [/^(test\/)?dashboard\//, 'dashboard'],
  [/^server\/features\//, 'features'],
  [/^server\/search-engine\//, 'search engine'],
  [/^server\//, 'platform'],
  [/^cli\//, 'command line'],
];

export function kindOf(file: string): string {
  return kinds.find(([form]) => form.test(file))?.[1] ?? 'scripts, documents and architecture';
}
