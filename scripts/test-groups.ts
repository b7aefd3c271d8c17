/**
 * The test files in a few processes: starting a process and loading the service take longer than most of them run. Those
 * of a folder stay together, as they share a service.
 */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Costs, processorTime } from './test-costs.ts';
import { suiteOf } from './test-suites.ts';

/** Each group has this part of what is left: long ones first, short ones at the end. */
const part = 1 / 8;

/** In seconds of processor time: loading the service takes two, so that smaller groups would cost more than they save. */
const smallestGroup = 35;

/** As many as run at once. */
const leastGroups = 6;

/** Of a folder that is not divided, in seconds. */
const largestFolder = 25;

/** Each runs as long as a large feature: enough of them to end at about the same time. */
const browserProcesses = 6;

/**
 * Seconds of processor time for a kilobyte of tests, measured in whole runs of v1.7.255. In the repository, because a
 * fresh clone has no costs of its own, and groups must be the same on every machine.
 */
const secondsPerKilobyte: readonly [RegExp, number][] = [
  [/^test\/acceptance\/(access|hostile|isolation)/, 2],
  [/^test\/dashboard\//, 0.46],
  [/^cli\//, 0.4],
  [/^dashboard\//, 0.01],
  [/^/, 0.17],
];

/** Those that work much longer than their size says, in seconds. */
const heavy: Readonly<Record<string, number>> = {
  'cli/backup/backup.test.ts': 15,
  'server/features/sign-in/sign-in.ways-in.test.ts': 9,
  'server/platform/audio/audio-converter.test.ts': 10,
  'server/platform/audio/recogniser.offline.test.ts': 9,
  'server/platform/http/reference/openapi.test.ts': 16,
};

interface Group {
  name: string;
  files: string[];
}

/**
 * Writes a file for each group into `folder`; returns those, and the files that have a process of their own, in the order
 * in which they are started: the longest first, so that the last ones end at about the same time.
 */
export function groupFiles(files: readonly string[], folder: string, costs: Costs = new Map()): string[] {
  mkdirSync(folder, { recursive: true });
  const secondsOf = (file: string) => {
    const cost = costs.get(file);
    return cost ? processorTime(cost) : guess(file);
  };
  return groupsOf(files)
    .map((group) => ({
      path: group.files.length === 1 ? group.files[0]! : writeGroup(folder, group),
      seconds: sumOf(group.files, secondsOf),
    }))
    .sort((a, b) => b.seconds - a.seconds)
    .map(({ path }) => path);
}

/** They depend on the files and their sizes alone: every machine runs the same ones. */
export function groupsOf(files: readonly string[]): Group[] {
  const alone = files.filter(hasOwnProcess);
  const browser = files.filter((file) => suiteOf(file) === 'browser');
  const others = files.filter((file) => !alone.includes(file) && !browser.includes(file));
  const browserGroups = Map.groupBy(browser, (_, index) => `browser-${index % browserProcesses}`);
  return [
    ...alone.map((file) => ({ name: file, files: [file] })),
    ...[...browserGroups].map(([name, members]) => ({ name, files: members })),
    ...shareOut(foldersOf(others)),
  ];
}

/** Those that start the program itself, and those that call every route. */
const hasOwnProcess = (file: string): boolean =>
  suiteOf(file) === 'faults' || /^test\/acceptance\/(access|hostile|isolation)/.test(file);

function foldersOf(files: readonly string[]): Group[] {
  return [...Map.groupBy(files, folderOf)].flatMap(([name, members]) =>
    sumOf(members, guess) > largestFolder
      ? members.map((file) => ({ name: file.replace('.test.ts', ''), files: [file] }))
      : [{ name, files: members }],
  );
}

/** A feature, a part of the platform, or the first part of the path. */
const folderOf = (file: string): string =>
  dirname(file).match(/^(server\/(features|platform)|server|test)\/[^/]+|^[^/]+/)![0];

/**
 * Neighbours together, in groups that become smaller, so that all cores have work until the end. From the end of the list:
 * that begins with the dashboard, whose tests take twice as long in a process that has run few of them.
 */
function shareOut(folders: readonly Group[]): Group[] {
  const groups: Group[] = [];
  let left = sumOf(folders, ({ files }) => sumOf(files, guess));
  const smallest = Math.min(smallestGroup, left / leastGroups);
  let wanted = 0;
  for (const { name, files } of folders.toReversed()) {
    const seconds = sumOf(files, guess);
    if (groups.length === 0 || wanted < seconds / 2) {
      wanted = Math.max(smallest, left * part);
      groups.push({ name, files: [] });
    }
    groups.at(-1)!.files.unshift(...files);
    wanted -= seconds;
    left -= seconds;
  }
  return groups;
}

function guess(file: string): number {
  const [, rate] = secondsPerKilobyte.find(([form]) => form.test(file))!;
  return heavy[file] ?? (statSync(file).size / 1_000) * rate;
}

const sumOf = <T>(all: readonly T[], value: (one: T) => number): number =>
  all.reduce((sum, one) => sum + value(one), 0);

/**
 * Each file is a suite: what it starts before its tests has ended when the hooks and tests of the next file begin. Its own
 * code outside of them may run earlier. A module that files share must not set hooks while it is loaded: they would be
 * those of the first file.
 */
function writeGroup(folder: string, { name, files }: Group): string {
  const path = join(folder, `${name.replaceAll('/', '-')}.test.ts`);
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
