import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { throughFile } from '../../../../test/support/index-file.ts';
import { evaluate } from '../../../search-engine/columns/conditions.ts';
import { SearchIndex } from '../../../search-engine/store/index.ts';
import type { IndexFiles, KeptIndex } from '../files/search.files.ts';
import { AccountIndex } from './search.account-index.ts';
import type { SearchSource } from './search.source.ts';

const idOf = (number: number) => `018f0000-0000-7000-8000-${String(number).padStart(12, '0')}`;

/** Titles by record. Every read has what was written since the one before. */
class Titles implements SearchSource {
  readonly #titles = new Map<number, string>();
  #written: number[] = [];
  columnReads = 0;
  failing = false;

  write(number: number, title: string): void {
    this.#titles.set(number, title);
    this.#written.push(number);
  }

  async *read(_accountId: string, _since: string | null, textColumns: ReadonlySet<string>) {
    const documents = this.#written.map((number) => ({
      id: idOf(number),
      kanbanId: 'board',
      status: 'new',
      createdAt: number,
      updatedAt: number,
      texts: [{ text: this.#titles.get(number)!, isPhone: false }],
      columns: { amount: number, ...(textColumns.has('title') && { title: this.#titles.get(number)! }) },
    }));
    this.#written = [];
    const end = { position: 'now', readAt: Date.now() };
    yield { emptiedKanbanIds: [], removedIds: [], documents, end };
  }

  async *readTextColumns(_accountId: string, names: readonly string[]) {
    assert.deepEqual(names, ['title']);
    this.columnReads++;
    for (const [number, title] of this.#titles) {
      yield [{ id: idOf(number), kanbanId: 'board', columns: { title } }];
      if (this.failing) throw new Error('the database went away');
    }
  }
}

const everywhere = () => true;
const pause = () => undefined;
const noTexts = async () => new Map<string, string>();
const leaf = { field: 'title', test: 'text', operator: 'contains', values: ['ana'] } as const;

const numbersWithAna = async (index: SearchIndex) => {
  const passing = await evaluate(index, leaf, everywhere, noTexts, pause);
  return [...passing.keys()]
    .filter((slot) => passing[slot] === 1)
    .map((slot) => index.records.createdAt.data[slot]);
};
const withAna = (accountIndex: AccountIndex) => accountIndex.ask(numbersWithAna, ['title']);
const columnsOf = (accountIndex: AccountIndex) =>
  accountIndex.ask(async (index) => [...(index.tables.board(0)?.columns.keys() ?? [])].sort());

describe('columns with texts', () => {
  const sample = () => {
    const source = new Titles();
    for (const [i, title] of ['Ana', 'Bea', 'Joana'].entries()) source.write(i + 1, title);
    return source;
  };

  test('are read by the first question that needs them, once, and follow all changes', async () => {
    const source = sample();
    const accountIndex = new AccountIndex(source, 'account');
    assert.deepEqual(await columnsOf(accountIndex), ['amount']);
    assert.equal(source.columnReads, 0);
    assert.deepEqual(await Promise.all([withAna(accountIndex), withAna(accountIndex)]), [
      [1, 3],
      [1, 3],
    ]);
    source.write(2, 'Hanah');
    source.write(3, 'Joao');
    source.write(4, 'Ana Maria');
    assert.deepEqual(await withAna(accountIndex), [1, 2, 4]);
    assert.equal(source.columnReads, 1);
  });

  test('are read whole after a read that failed', async () => {
    const source = sample();
    const accountIndex = new AccountIndex(source, 'account');
    source.failing = true;
    const [failed, other] = await Promise.allSettled([withAna(accountIndex), columnsOf(accountIndex)]);
    assert.equal(failed.status, 'rejected');
    assert.equal(other.status, 'fulfilled', 'a question that does not need them is answered');
    source.failing = false;
    source.write(1, 'Bob');
    assert.deepEqual(await withAna(accountIndex), [3]);
  });

  test('leave the memory when no question needs them any more', async () => {
    mock.timers.enable({ apis: ['Date'], now: 1_000_000 });
    try {
      const source = sample();
      const accountIndex = new AccountIndex(source, 'account', { idleMs: 1_000 });
      assert.deepEqual(await withAna(accountIndex), [1, 3]);
      mock.timers.tick(900);
      assert.deepEqual(await withAna(accountIndex), [1, 3]);
      mock.timers.tick(900);
      assert.deepEqual(await columnsOf(accountIndex), ['amount', 'title']);
      mock.timers.tick(200);
      assert.deepEqual(await columnsOf(accountIndex), ['amount']);
      source.write(2, 'Hanah');
      assert.deepEqual(await withAna(accountIndex), [1, 2, 3]);
      assert.equal(source.columnReads, 2);
    } finally {
      mock.timers.reset();
    }
  });

  test('are the only ones that leave: a field may have another type meanwhile', () => {
    const index = new SearchIndex();
    const columns = { title: 'Ana', amount: 5, tags: ['new'] };
    index.upsert({
      id: idOf(1),
      kanbanId: 'board',
      status: 'new',
      createdAt: 1,
      updatedAt: 1,
      texts: [],
      columns,
    });
    for (const name of Object.keys(columns)) index.changeTextColumn(name, 'dropped');
    assert.deepEqual([...index.tables.board(0)!.columns.keys()].sort(), ['amount', 'tags']);
  });

  test('are in the file of the index, and still follow changes after it', async () => {
    const source = sample();
    let kept: KeptIndex | null = null;
    const files = {
      minRecords: 1,
      load: async () => kept && { ...kept, index: await throughFile(kept.index) },
      save: async (_accountId: string, saved: KeptIndex) => {
        kept = saved;
        return 'saved' as const;
      },
      timeline: async () => '1',
    } as unknown as IndexFiles;
    const before = new AccountIndex(source, 'account', { files });
    await withAna(before);
    await before.idle();
    assert.equal(await before.save(() => true), 'saved');
    source.write(2, 'Hanah');
    assert.deepEqual(await withAna(new AccountIndex(source, 'account', { files })), [1, 2, 3]);
    assert.equal(source.columnReads, 1);
  });
});
