/** Rules for the dashboard's code: where it defines queries and sends requests. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readProject, type SourceFile, sourceFile } from './architecture/source.ts';
import { root } from './support/program.ts';

const isSource = ({ path }: SourceFile) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path);
const files = readProject(root).filter((file) => file.path.startsWith('dashboard/src/') && isSource(file));

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
  it('defines each query once', () => {
    assert.ok(files.length > 200, 'the dashboard was not found');
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
});
