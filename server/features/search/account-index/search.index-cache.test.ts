import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { eventually } from '../../../../test/support/eventually.ts';
import { throughFile } from '../../../../test/support/index-file.ts';
import { runsOf, seed } from '../../../../test/support/sample.ts';
import type { SearchDocument } from '../../../search-engine/store/index.ts';
import type { IndexFiles, KeptIndex } from '../files/search.files.ts';
import { IndexCache } from './search.index-cache.ts';
import type { Batch, Position, SearchSource } from './search.source.ts';

const DAY_MS = 24 * 3_600_000;
const LIMITS = { budgetBytes: 100e6, idleMs: 60_000 };
const idOf = (number: number) => `018f0000-0000-7000-8000-${String(number).padStart(12, '0')}`;

const documentOf = (number: number, title: string, kanbanId = 'board'): SearchDocument => ({
  id: idOf(number),
  kanbanId,
  status: 'new',
  createdAt: number,
  updatedAt: number,
  texts: [{ text: title, isPhone: false }],
});

const end = (position: Position) => ({ position, readAt: Date.now() });

/** No question of these tests needs a column. */
async function* readTextColumns() {}

/** A source with transactions: uncommitted changes are invisible, and may commit after later ones. */
class FakeSource implements SearchSource {
  readonly changes: { transaction: number; id: string; document: SearchDocument | null }[] = [];
  readonly committed = new Set<number>();
  readonly readTextColumns = readTextColumns;
  reads = 0;
  failing = false;

  write(transaction: number, id: string, document: SearchDocument | null): void {
    this.changes.push({ transaction, id, document });
  }

  async *read(_accountId: string, since: Position | null): AsyncIterable<Batch> {
    this.reads++;
    const seen = new Set((since ?? '').split(',').filter(Boolean).map(Number));
    const visible = [...this.committed];
    const fresh = this.changes.filter(
      ({ transaction }) => visible.includes(transaction) && !seen.has(transaction),
    );
    for (const { id, document } of fresh) {
      await Promise.resolve();
      if (this.failing) throw new Error('the database went away');
      yield {
        emptiedKanbanIds: [],
        removedIds: document === null ? [id] : [],
        documents: document === null ? [] : [document],
      };
    }
    yield { emptiedKanbanIds: [], removedIds: [], documents: [], end: end(visible.join(',')) };
  }
}

/** Without a folder and a database: the last index of each account, as a file gives it back. */
class FakeFiles implements IndexFiles {
  readonly minRecords = 1;
  readonly kept = new Map<string, KeptIndex>();
  loads = 0;
  saves = 0;

  async load(accountId: string): Promise<KeptIndex | null> {
    const kept = this.kept.get(accountId);
    if (!kept) return null;
    this.loads++;
    return { ...kept, index: await throughFile(kept.index) };
  }
  async save(...[accountId, kept, mayGoOn]: Parameters<IndexFiles['save']>) {
    const { changes } = kept.index;
    const index = await throughFile(kept.index);
    if (kept.index.changes !== changes || !mayGoOn()) return 'stopped' as const;
    this.kept.set(accountId, { ...kept, index });
    this.saves++;
    return 'saved' as const;
  }
  async remove(accountId: string): Promise<void> {
    this.kept.delete(accountId);
  }
  async sweep(): Promise<void> {}
  timeline = async () => '1';
  async close(): Promise<void> {}
}

async function titlesFound(indexCache: IndexCache, q: string, accountId = 'account'): Promise<string[]> {
  const { items } = await indexCache.search(accountId, q, {}, 0, 100);
  return items.map(({ id }) => id).sort();
}

describe('indexCache', () => {
  test('find what was committed before the question, whatever commits in between', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.tuple(
            fc.nat({ max: 9 }),
            fc.boolean(),
            fc.constantFrom('begin', 'commit', 'ask', 'restart'),
            fc.nat(),
          ),
          {
            maxLength: 60,
          },
        ),
        async (steps) => {
          const source = new FakeSource();
          const files = new FakeFiles();
          let indexCache = new IndexCache(source, LIMITS, { files });
          const open: number[] = [];
          const locked = new Set<number>();
          const numberOf = new Map<number, number>();
          const truth = new Set<string>();
          const commits: { id: string; isThere: boolean }[] = [];
          const asked: Promise<void>[] = [];
          const ask = async () => {
            const before = new Set(truth);
            const from = commits.length;
            const found = await titlesFound(indexCache, 'reihcel');
            const during = commits.slice(from);
            for (const id of found) {
              assert.ok(
                before.has(id) || during.some((each) => each.id === id && each.isThere),
                `${id} was never there`,
              );
            }
            for (const id of before) {
              assert.ok(
                found.includes(id) || during.some((each) => each.id === id && !each.isThere),
                `${id} is missing`,
              );
            }
          };
          try {
            for (const [transaction, [number, removes, kind, pick]] of steps.entries()) {
              // As in a database, two open transactions never hold the same row.
              if (kind === 'begin' && !locked.has(number)) {
                source.write(
                  transaction,
                  idOf(number),
                  removes ? null : documentOf(number, `Reichel ${number}`),
                );
                open.push(transaction);
                locked.add(number);
                numberOf.set(transaction, number);
              } else if (kind === 'commit' && open.length > 0) {
                const [done] = open.splice(pick % open.length, 1);
                const change = source.changes.find((each) => each.transaction === done)!;
                source.committed.add(done!);
                locked.delete(numberOf.get(done!)!);
                if (change.document === null) truth.delete(change.id);
                else truth.add(change.id);
                commits.push({ id: change.id, isThere: change.document !== null });
              } else if (kind === 'ask') {
                // Every other one overlaps with the next.
                if (pick % 2 === 0) await ask();
                else asked.push(ask());
              } else if (kind === 'restart' && pick % 3 === 0) {
                await Promise.all(asked.splice(0));
                await indexCache.close();
                indexCache = new IndexCache(source, LIMITS, { files });
              }
            }
            await Promise.all(asked);
            assert.deepEqual(await titlesFound(indexCache, 'reichel'), [...truth].sort());
          } finally {
            await indexCache.close();
          }
        },
      ),
      { seed, numRuns: runsOf(200) },
    );
  });

  test('share one read among those who ask at the same time', async () => {
    const source = new FakeSource();
    const indexCache = new IndexCache(source, LIMITS);
    source.write(1, idOf(1), documentOf(1, 'Ana'));
    source.committed.add(1);
    await Promise.all(Array.from({ length: 20 }, () => titlesFound(indexCache, 'ana')));
    assert.ok(source.reads <= 2, `${source.reads} reads`);
    await indexCache.close();
  });

  test('answer with the error when the source fails, and rightly afterwards', async () => {
    const source = new FakeSource();
    const indexCache = new IndexCache(source, LIMITS);
    source.write(1, idOf(1), documentOf(1, 'Ana'));
    source.committed.add(1);
    source.failing = true;
    await assert.rejects(titlesFound(indexCache, 'ana'), /went away/);
    source.failing = false;
    assert.deepEqual(await titlesFound(indexCache, 'ana'), [idOf(1)]);
    await indexCache.close();
  });

  test('fail for those who came during a reading that fails, without another one', async () => {
    let reads = 0;
    let fail = (): void => undefined;
    const failed = new Promise<void>((resolve) => {
      fail = resolve;
    });
    const source: SearchSource = {
      async *read() {
        reads++;
        await failed;
        yield Promise.reject(new Error('the database went away'));
      },
      readTextColumns,
    };
    const indexCache = new IndexCache(source, LIMITS);
    const first = titlesFound(indexCache, 'ana');
    await Promise.resolve();
    const asked = Promise.allSettled([first, titlesFound(indexCache, 'ana'), titlesFound(indexCache, 'bob')]);
    fail();
    assert.deepEqual(
      (await asked).map(({ status }) => status),
      Array(3).fill('rejected'),
    );
    assert.equal(reads, 1);
    await indexCache.close();
  });

  test('hold no more than the budget, and let the account go that was used longest ago', async () => {
    const content = Array.from({ length: 300 }, (_, number) =>
      documentOf(number, `Customer number ${number * 7919}`),
    );
    const readers: string[] = [];
    const source: SearchSource = {
      async *read(accountId, since) {
        if (since === null) readers.push(accountId);
        yield {
          emptiedKanbanIds: [],
          removedIds: [],
          documents: since === null ? content : [],
          end: end('all'),
        };
      },
      readTextColumns,
    };
    const alone = new IndexCache(source, LIMITS);
    await titlesFound(alone, 'customer', 'a');
    const budgetBytes = alone.byteLength * 2.5;
    await alone.close();
    readers.length = 0;
    const dropped: string[] = [];
    const onDrop = (reason: string) => void dropped.push(reason);
    const indexCache = new IndexCache(source, { ...LIMITS, budgetBytes, onDrop });
    for (const accountId of ['a', 'b', 'a', 'c', 'a', 'b']) {
      assert.equal((await titlesFound(indexCache, 'customer', accountId)).length, 100);
      assert.ok(indexCache.byteLength <= budgetBytes);
    }
    assert.deepEqual(readers, ['a', 'b', 'c', 'b']);
    assert.deepEqual(dropped, ['budget', 'budget']);
    await indexCache.close();
  });

  test('hold one that exceeds the budget alone while it is used, and then at nobody’s expense', async () => {
    const documents = (count: number) =>
      Array.from({ length: count }, (_, number) => documentOf(number, `Customer number ${number * 7919}`));
    const readers: string[] = [];
    let hold: Promise<void> | null = null;
    let grown = 0;
    const source: SearchSource = {
      async *read(accountId, since) {
        if (since === null) readers.push(accountId);
        if (accountId === 'large') await hold;
        const isGrowing = accountId === 'growing' && since !== null && grown++ === 0;
        const content = since === null ? documents(accountId === 'large' ? 3_000 : 300) : [];
        yield {
          emptiedKanbanIds: [],
          removedIds: [],
          documents: isGrowing ? documents(3_000) : content,
          end: end('all'),
        };
      },
      readTextColumns,
    };
    const alone = new IndexCache(source, LIMITS);
    await titlesFound(alone, 'customer', 'a');
    const budgetBytes = alone.byteLength * 2.5;
    await alone.close();
    readers.length = 0;
    const indexCache = new IndexCache(source, { ...LIMITS, budgetBytes });
    const finds = async (accountId: string) =>
      assert.equal((await titlesFound(indexCache, 'customer', accountId)).length, 100);
    try {
      await finds('a');
      await finds('b');
      await finds('large');
      assert.equal(indexCache.size, 1, 'alone');
      assert.ok(indexCache.byteLength > budgetBytes);
      await finds('large');
      assert.deepEqual(readers.splice(0), ['a', 'b', 'large'], 'used again it is still there');
      await finds('a');
      assert.ok(indexCache.byteLength <= budgetBytes, 'beside another it is not kept');
      assert.deepEqual(readers.splice(0), ['a']);
      // While it is being read, the others are used and kept; then it leaves and they stay.
      const gate = Promise.withResolvers<void>();
      hold = gate.promise;
      const slow = finds('large');
      for (const accountId of ['b', 'a', 'b', 'a']) await finds(accountId);
      assert.deepEqual(readers.splice(0), ['large', 'b']);
      gate.resolve();
      await slow;
      await eventually(() => indexCache.byteLength <= budgetBytes, 5_000);
      await finds('a');
      await finds('b');
      assert.deepEqual(readers.splice(0), [], 'nobody had to read again');
      // One that grows in the background is noticed without a query.
      await finds('growing');
      await finds('a');
      await eventually(() => grown > 0 && indexCache.byteLength <= budgetBytes, 5_000);
    } finally {
      await indexCache.close();
    }
  });

  test('drop the records of a board whose fields changed and take them anew', async () => {
    const batches: Batch[][] = [
      [
        {
          emptiedKanbanIds: [],
          removedIds: [],
          documents: [documentOf(1, 'Ana'), documentOf(2, 'Ana', 'other')],
          end: end('1'),
        },
      ],
      [
        { emptiedKanbanIds: ['board'], removedIds: [], documents: [] },
        { emptiedKanbanIds: [], removedIds: [], documents: [documentOf(1, 'Bea')], end: end('2') },
      ],
    ];
    const indexCache = new IndexCache(
      {
        read: async function* () {
          yield* batches.shift() ?? [];
        },
        readTextColumns,
      },
      LIMITS,
    );
    assert.deepEqual(await titlesFound(indexCache, 'ana'), [idOf(1), idOf(2)]);
    assert.deepEqual(await titlesFound(indexCache, 'ana'), [idOf(2)]);
    assert.deepEqual(await titlesFound(indexCache, 'bea'), [idOf(1)]);
    await indexCache.close();
  });

  test('leave the memory for a file, and come back from it', async () => {
    const source = new FakeSource();
    source.write(1, idOf(1), documentOf(1, 'Reichel'));
    source.committed.add(1);
    const files = new FakeFiles();
    const drops: string[] = [];
    const limits = { budgetBytes: 1, idleMs: 60_000, onDrop: (reason: string) => drops.push(reason) };
    const indexCache = new IndexCache(source, limits, { files });
    try {
      assert.deepEqual(await titlesFound(indexCache, 'reichel', 'a'), [idOf(1)]);
      assert.deepEqual(await titlesFound(indexCache, 'reichel', 'b'), [idOf(1)]);
      assert.deepEqual(drops, ['budget']);
      await indexCache.close();
      assert.deepEqual([...files.kept.keys()], ['a', 'b']);
    } finally {
      await indexCache.close();
    }
    const idle = new IndexCache(source, { ...LIMITS, idleMs: -1, onDrop: limits.onDrop }, { files });
    try {
      await titlesFound(idle, 'reichel', 'c');
      await eventually(() => files.kept.has('c') && idle.size === 0);
      source.write(2, idOf(2), documentOf(2, 'Reichel'));
      source.committed.add(2);
      assert.deepEqual(await titlesFound(idle, 'reichel', 'c'), [idOf(1), idOf(2)]);
      assert.equal(files.loads, 1);
    } finally {
      await idle.close();
    }
  });

  test('write no file before they have read on', async () => {
    const source = new FakeSource();
    source.write(1, idOf(1), documentOf(1, 'Reichel'));
    source.committed.add(1);
    const files = new FakeFiles();
    const first = new IndexCache(source, LIMITS, { files });
    await titlesFound(first, 'reichel');
    await first.close();
    const kept = files.kept.get('account')!;
    // Old enough to be written again.
    files.kept.set('account', { ...kept, readAt: kept.readAt - 6 * DAY_MS });
    source.write(2, idOf(2), documentOf(2, 'Reichel'));
    source.committed.add(2);
    source.failing = true;
    const failing = new IndexCache(source, LIMITS, { files });
    await assert.rejects(titlesFound(failing, 'reichel'), /went away/);
    await failing.close();
    assert.equal(files.saves, 1);
    source.failing = false;
    const later = new IndexCache(source, LIMITS, { files });
    assert.deepEqual(await titlesFound(later, 'reichel'), [idOf(1), idOf(2)]);
    await later.close();
    assert.equal(files.saves, 2);
    assert.ok(files.kept.get('account')!.readAt >= kept.readAt);
  });

  test('are built anew after a pause in which deletions may have been forgotten', async () => {
    const source = new FakeSource();
    source.write(1, idOf(1), documentOf(1, 'Reichel'));
    source.committed.add(1);
    const files = new FakeFiles();
    const first = new IndexCache(source, LIMITS, { files });
    await titlesFound(first, 'reichel');
    await first.close();
    const kept = files.kept.get('account')!;
    files.kept.set('account', { ...kept, readAt: kept.readAt - 8 * DAY_MS });
    // Deleted, and nothing says so any more.
    source.changes.length = 0;
    const later = new IndexCache(source, LIMITS, { files });
    assert.deepEqual(await titlesFound(later, 'reichel'), []);
    assert.equal(files.loads, 1);
    await later.close();
  });

  test('do not hold up a stop while a file is written', async (t) => {
    const source = new FakeSource();
    source.write(1, idOf(1), documentOf(1, 'Reichel'));
    source.committed.add(1);
    const files = new FakeFiles();
    const stuck = Promise.withResolvers<'stopped'>();
    const begun = Promise.withResolvers<void>();
    files.save = () => {
      begun.resolve();
      return stuck.promise as never;
    };
    const indexCache = new IndexCache(source, LIMITS, { files });
    await titlesFound(indexCache, 'reichel');
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const closing = indexCache.close();
    await begun.promise;
    t.mock.timers.tick(5_000);
    await closing;
    stuck.resolve('stopped');
  });
});
