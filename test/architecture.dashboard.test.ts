/** Rules for the dashboard's code: no import cycles, folders and components of a readable size. */
import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { describe, it } from 'node:test';
import { importCycles } from './architecture/import-cycles.ts';
import { readProject, type SourceFile, sourceFile } from './architecture/source.ts';
import { root } from './support/program.ts';

const maxFilesInFolder = 20;
const maxViewLines = 200;
const maxComponentLines = 150;

const isSource = ({ path }: SourceFile) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path);
const files = readProject(root).filter((file) => file.path.startsWith('dashboard/src/') && isSource(file));

function crowdedFolders(sources: readonly SourceFile[]): string[] {
  const counts = new Map<string, number>();
  for (const { path } of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > maxFilesInFolder)
    .map(([folder, count]) => `${folder} has ${count} source files; ${maxFilesInFolder} is the limit`);
}

/** Of a .tsx file and of each top-level declaration in it. Biome puts the end of one at the start of a line. */
function longComponents(sources: readonly SourceFile[]): string[] {
  const breaches: string[] = [];
  for (const { path, text } of sources.filter((file) => file.path.endsWith('.tsx'))) {
    const lines = text.trimEnd().split('\n');
    if (lines.length > maxViewLines)
      breaches.push(`${path} has ${lines.length} lines; ${maxViewLines} is the limit`);
    let start = 0;
    lines.forEach((line, index) => {
      if (/^(export )?(default )?(async )?(function|const|class)\b/.test(line)) start = index;
      const length = index - start + 1;
      if (/^[})\]]+;?$/.test(line) && length > maxComponentLines)
        breaches.push(`${path}:${start + 1} is ${length} lines long; ${maxComponentLines} is the limit`);
    });
  }
  return breaches;
}

/** Queries are defined in `data/` and in a view's `*-data.ts`, each resource once; components only use them. */
function scatteredQueries(sources: readonly SourceFile[]): string[] {
  const breaches: string[] = [];
  const definedIn = new Map<string, string>();
  for (const { path, text } of sources) {
    if (!text.includes('queryFn')) continue;
    if (!/^dashboard\/src\/data\/|-data\.ts$/.test(path)) breaches.push(`${path} defines a query`);
    for (const [, url] of text.matchAll(/queryFn.*?\(\s*(?:'GET',\s*)?['`](\/[^'`]+)['`]/gs)) {
      if (definedIn.has(url!)) breaches.push(`${path} queries ${url}, as ${definedIn.get(url!)} does`);
      definedIn.set(url!, path);
    }
  }
  return breaches;
}

/** One URL, two lists: of a record, and of a customer. Tokens: all, and those of one user. */
const queriedTwice = ['/sessions', '/api-tokens'];

/** `data/http.ts` sends requests and parses errors; the other file reads a signed URL without the session. */
const mayFetch = ['dashboard/src/data/http.ts', 'dashboard/src/inbox/conversation/media/waveform-data.ts'];
const ownFetches = (sources: readonly SourceFile[]) =>
  sources
    .filter(({ path, text }) => /(?<![\w.])fetch\(/.test(text) && !mayFetch.includes(path))
    .map(({ path }) => `${path} calls fetch; data/api.ts and data/transfer.ts handle errors and the session`);

describe('the architecture of the dashboard', () => {
  it('has no import cycles', () => {
    assert.ok(files.length > 200, 'the dashboard was not found');
    assert.deepEqual(importCycles(files), []);
  });

  it('has no crowded folders', () => {
    assert.deepEqual(crowdedFolders(files), []);
  });

  it('has no long components', () => {
    assert.deepEqual(longComponents(files), []);
  });

  it('defines each query once', () => {
    const breaches = scatteredQueries(files);
    assert.deepEqual(
      breaches.filter((breach) => !queriedTwice.some((url) => breach.includes(` ${url},`))),
      [],
    );
  });

  it('sends requests in one place', () => {
    assert.deepEqual(ownFetches(files), []);
  });
});

describe('the rules of the dashboard', () => {
  it('find a cycle, also through type imports and lazy ones', () => {
    const cycle = [
      sourceFile('dashboard/src/page.tsx', `const load = () => import('./form.tsx');`),
      sourceFile('dashboard/src/form.tsx', `import { name } from './name.ts';\nimport './style.ts';`),
      sourceFile('dashboard/src/name.ts', `import type { Props } from './page.tsx';`),
      sourceFile('dashboard/src/style.ts', ''),
    ];
    assert.deepEqual(importCycles(cycle), [
      ['dashboard/src/form.tsx', 'dashboard/src/name.ts', 'dashboard/src/page.tsx'],
    ]);
  });

  it('find a query in a component, and one that is defined twice', () => {
    const query = `const q = { queryFn: ({ signal }) => apiAll<Agent>('/agents', {}, signal) };`;
    const again = `const q = { queryFn: () => api<Agent>('GET', '/agents') };`;
    assert.deepEqual(
      scatteredQueries([
        sourceFile('dashboard/src/data/queries.ts', query),
        sourceFile('dashboard/src/inbox/inbox-data.ts', again),
        sourceFile('dashboard/src/inbox/list.tsx', again.replace('/agents', '/users')),
      ]),
      [
        'dashboard/src/inbox/inbox-data.ts queries /agents, as dashboard/src/data/queries.ts does',
        'dashboard/src/inbox/list.tsx defines a query',
      ],
    );
  });

  it('find a request outside data/', () => {
    const file = sourceFile('dashboard/src/board/board.tsx', `await fetch('/kanbans');`);
    assert.equal(ownFetches([file]).length, 1);
  });

  it('find a long component and a long file', () => {
    const component = (lines: number) => `export function Page() {${'\n  text;'.repeat(lines - 2)}\n}\n`;
    assert.deepEqual(
      longComponents([
        sourceFile('dashboard/src/page.tsx', component(151)),
        sourceFile('dashboard/src/pages.tsx', component(101) + component(100)),
        sourceFile('dashboard/src/memo.tsx', `const Page = memo(() => {${'\n  text;'.repeat(150)}\n});\n`),
        sourceFile('dashboard/src/short.tsx', component(150)),
      ]),
      [
        'dashboard/src/page.tsx:1 is 151 lines long; 150 is the limit',
        'dashboard/src/pages.tsx has 201 lines; 200 is the limit',
        'dashboard/src/memo.tsx:1 is 152 lines long; 150 is the limit',
      ],
    );
  });

  it('find a crowded folder', () => {
    const many = Array.from({ length: 21 }, (_, index) =>
      sourceFile(`dashboard/src/ui/part-${index}.tsx`, ''),
    );
    assert.deepEqual(crowdedFolders(many), ['dashboard/src/ui has 21 source files; 20 is the limit']);
  });
});
