/**
 * The test files in a few processes: starting a process and loading the service take longer than most of them run. Those
 * of a folder stay together, as they share a service.
 */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Costs } from './test-costs.ts';
import { suiteOf } from './test-suites.ts';

/** Each runs for one or two minutes. */
const processes = 14;

/** Each runs as long as a large feature: enough of them to end at about the same time. */
const browserProcesses = 6;

/** In bytes, less than a share. A larger folder is divided. */
const largestFolder = 150_000;

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
  // What has not run yet is guessed by its size; a file with a process of its own works longer than it looks.
  const secondsOf = (file: string) =>
    costs.get(file)?.wall ?? (sizeOf(file) / 1_000) * (hasOwnProcess(file) ? 10 : 1);
  return groupsOf(files)
    .map((group) => ({
      path: group.files.length === 1 ? group.files[0]! : writeGroup(folder, group),
      seconds: group.files.reduce((sum, file) => sum + secondsOf(file), 0),
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
    ...shareOut(foldersOf(others), processes),
  ];
}

/** Those that start the program itself, and those that call every route. */
const hasOwnProcess = (file: string): boolean =>
  suiteOf(file) === 'faults' || file.startsWith('test/acceptance/');

function foldersOf(files: readonly string[]): Group[] {
  return [...Map.groupBy(files, folderOf)].flatMap(([name, members]) =>
    sizeOfAll(members) > largestFolder
      ? members.map((file) => ({ name: file.replace('.test.ts', ''), files: [file] }))
      : [{ name, files: members }],
  );
}

/** A feature, a part of the platform, or the first part of the path. */
const folderOf = (file: string): string =>
  dirname(file).match(/^(server\/(features|platform)|server|test)\/[^/]+|^[^/]+/)![0];

/** Neighbours together, in shares of about the same size. */
function shareOut(folders: readonly Group[], count: number): Group[] {
  const share = sizeOfAll(folders.flatMap(({ files }) => files)) / count;
  let before = 0;
  const shares = Map.groupBy(folders, ({ files }) => {
    const size = sizeOfAll(files);
    before += size;
    return Math.floor((before - size / 2) / share);
  });
  return [...shares.values()].map((some) => ({
    name: some[0]!.name,
    files: some.flatMap(({ files }) => files),
  }));
}

const sizeOf = (file: string): number => statSync(file).size;

const sizeOfAll = (files: readonly string[]): number => files.reduce((sum, file) => sum + sizeOf(file), 0);

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
