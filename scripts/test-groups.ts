/**
 * The test files of a folder in one process, and those of the browser in a few: starting a process and loading the
 * service take longer than most of them run. Long files have a process of their own.
 */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Costs } from './test-costs.ts';

/** Each runs as long as a large feature: enough of them to end at about the same time. */
const browserGroups = 6;

/** Features with one short file of tests: together in one process. */
const smallFeatures =
  /^server\/features\/(comments|labels|macros|message-search|releases|retention|system|tasks|teams|transcripts|webhook-inbox)\//;

/** Those in which the files share a process. */
const sharedFolders = [
  /^server\/features\/[^/]+/,
  /^server\/platform\/(cells|concurrency|csv|db|http|jobs|nodes|outbound)(?=\/)/,
  /^(browser|cli|contract|dashboard|scripts)(?=\/)/,
  /^test(?=\/(docs\/)?[^/]+$)/,
];

/**
 * Writes a file for each group into `folder`; returns those, and the files that have a process of their own, in the order
 * in which they are started: the longest first, so that the last ones end at about the same time.
 */
export function groupFiles(files: readonly string[], folder: string, costs: Costs = new Map()): string[] {
  mkdirSync(folder, { recursive: true });
  // What has not run yet is guessed by its size.
  const secondsOf = (file: string) => costs.get(file)?.wall ?? statSync(file).size / 1_000;
  return [...Map.groupBy(files, groupOf)]
    .map(([name, members]) => ({
      path: members.length === 1 ? members[0]! : writeGroup(join(folder, `${name}.test.ts`), members),
      seconds: members.reduce((sum, file) => sum + secondsOf(file), 0),
    }))
    .sort((a, b) => b.seconds - a.seconds)
    .map(({ path }) => path);
}

function groupOf(file: string, index: number): string {
  if (file.startsWith('test/browser/')) return `browser-${index % browserGroups}`;
  if (smallFeatures.test(file)) return 'server-features-small';
  const folder = sharedFolders.map((form) => form.exec(file)).find((found) => found !== null);
  return folder ? folder[0].replaceAll('/', '-') : file;
}

/**
 * Each file is a suite: what it starts before its tests has ended when the hooks and tests of the next file begin. Its own
 * code outside of them may run earlier. A module that files share must not set hooks while it is loaded: they would be
 * those of the first file.
 */
function writeGroup(path: string, files: readonly string[]): string {
  const lines = [
    "import { before, describe, it } from 'node:test';",
    `import { noteFile } from ${JSON.stringify(import.meta.resolve('./test-costs.ts'))};`,
    'let loaded = Promise.resolve();',
    'const load = (url) =>',
    // A file that cannot be loaded fails alone, by its name.
    "  import(url).catch((error) => it('can be loaded', () => Promise.reject(error)));",
    'const add = (name, url) =>',
    '  describe(name, () => {',
    '    before(() => noteFile(name));',
    '    loaded = loaded.then(() => load(url));',
    '    return loaded;',
    '  });',
    ...files.map((file) => `add(${JSON.stringify(file)}, ${JSON.stringify(pathToFileURL(file).href)});`),
  ];
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}
