/** The test files of a feature in one process: loading the service takes longer than most of them run. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Writes a file for each group into `folder`; returns those, and the files that have a process of their own. */
export function groupFiles(files: readonly string[], folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  const groups = Map.groupBy(files, (file) => /^server\/features\/([^/]+)\//.exec(file)?.[1] ?? file);
  return [...groups].flatMap(([name, members]) =>
    members.length === 1 ? members : [writeGroup(join(folder, `${name}.test.ts`), members)],
  );
}

function writeGroup(path: string, files: readonly string[]): string {
  const lines = [
    "import { test } from 'node:test';",
    // A file that cannot be loaded fails alone, by its name.
    'const load = (url) => import(url).catch((error) => test(url, () => Promise.reject(error)));',
    ...files.map((file) => `await load(${JSON.stringify(pathToFileURL(file).href)});`),
  ];
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}
