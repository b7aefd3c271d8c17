/**
 * Several test files in one process. Loading the service takes longer than most files run, and starting a browser
 * longer still; a group does each once.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const filesPerBrowser = 9;

/** Writes a file for each group into `folder`; returns those, and the files that stay alone. */
export function groupFiles(files: readonly string[], folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  const groups = Map.groupBy(files.entries(), ([index, file]) => groupOf(file) ?? `alone ${index}`);
  return [...groups].flatMap(([name, entries]) => {
    const members = entries.map(([, file]) => file);
    if (members.length === 1) return members;
    if (!name.startsWith('browser')) return [writeGroup(folder, name, members)];
    // Dealt out, so that neighbours, which are often alike in length, come into different groups.
    const count = Math.ceil(members.length / filesPerBrowser);
    return Array.from({ length: count }, (_, index) =>
      writeGroup(
        folder,
        `${name}-${index + 1}`,
        members.filter((_file, at) => at % count === index),
      ),
    );
  });
}

/** Null: the file needs a process of its own. */
function groupOf(file: string): string | null {
  const feature = /^server\/features\/([^/]+)\//.exec(file)?.[1];
  if (feature) return `feature-${feature}`;
  if (file.startsWith('test/browser/')) return 'browser';
  return null;
}

function writeGroup(folder: string, name: string, files: readonly string[]): string {
  const urlOf = (file: string) => JSON.stringify(pathToFileURL(file).href);
  const lines = [
    "import { after, test } from 'node:test';",
    `import { shareChromium } from ${urlOf('test/support/chromium.ts')};`,
    'after(shareChromium());',
    // A file that cannot be loaded fails alone, by its name.
    'const load = (url) => import(url).catch((error) => test(url, () => Promise.reject(error)));',
    ...files.map((file) => `await load(${urlOf(file)});`),
  ];
  const path = join(folder, `${name}.test.ts`);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}
