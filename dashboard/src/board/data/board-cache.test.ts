import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import type { BoardSummary, Card } from '../../../../contract/dashboard.ts';
import type { Page } from '../../data/api.ts';
import { queryClient } from '../../data/query-client.ts';
import { addEdits, findThing, forgetAll, hear, hearDeleted, patch } from '../../data/store/entities.ts';
import { type Ids, readPage, things } from '../../data/store/lists.ts';
import './board-cache.ts';
import { boardKeys } from './board-data.ts';

const card = (id: string, createdAt: number, more: Partial<Card> = {}): Card => ({
  recordId: id,
  accountId: 'a',
  kanbanId: 'k',
  title: id,
  status: 'open',
  customFields: {},
  assignedUserIds: [],
  labelIds: [],
  channelId: null,
  createdBy: 'u',
  updatedBy: 'u',
  createdAt,
  updatedAt: createdAt,
  clientId: null,
  conversation: null,
  tasks: { open: 0, nextDueAt: null },
  ...more,
});

const change = (id: string, update: Partial<Card>) => {
  const known = findThing('record', id)!;
  hear('record', { ...known, ...update, updatedAt: known.updatedAt + 1 });
};

describe('the cached columns of a board', () => {
  const none = {};
  const setColumn = (status: string, pages: Page<Card>[], filters = none) =>
    queryClient.setQueryData<Ids>(boardKeys.cards('k', filters, status), {
      pages: pages.map((page) => readPage('record', page)),
      pageParams: pages.map(() => null),
    });
  const ids = (status: string, filters = none) =>
    queryClient
      .getQueryData<Ids>(boardKeys.cards('k', filters, status))
      ?.pages.flatMap((page) => things('record', page.items).map((one) => one.recordId));
  const summary = () => queryClient.getQueryData<BoardSummary>(boardKeys.summary('k', none, 'amount'));

  // What is cached waits for its end with a timer.
  after(() => queryClient.clear());

  beforeEach(() => {
    queryClient.clear();
    forgetAll();
    setColumn('open', [
      { items: [card('c', 30, { customFields: { amount: 5 } }), card('b', 20)], nextToken: 'more' },
      { items: [card('a', 10)], nextToken: 'more' },
    ]);
    setColumn('won', [{ items: [card('w', 15, { status: 'won' })], nextToken: null }]);
    queryClient.setQueryData(boardKeys.summary('k', none, 'amount'), {
      count: 4,
      columns: [
        { status: 'open', count: 3, total: 5 },
        { status: 'won', count: 1, total: 0 },
      ],
    } satisfies BoardSummary);
  });

  it('a card that changes its status stands in the other column by its age, and the counts and totals follow', () => {
    change('c', { status: 'won' });
    assert.deepEqual(
      [ids('open'), ids('won')],
      [
        ['b', 'a'],
        ['c', 'w'],
      ],
    );
    assert.deepEqual(summary()?.columns, [
      { status: 'open', count: 2, total: 0 },
      { status: 'won', count: 2, total: 5 },
    ]);
  });

  it('a changed amount changes the total of its column', () => {
    change('c', { customFields: { amount: 7.5 } });
    assert.equal(summary()?.columns[0]?.total, 7.5);
  });

  it('what is older than everything loaded waits for its page', () => {
    change('w', { status: 'open', createdAt: 1 });
    assert.deepEqual([ids('open'), ids('won')], [['c', 'b', 'a'], []]);
  });

  it('under a filter and in another order, cards stay in place until the service has answered', () => {
    const filters = { filter: '{"field":"title","op":"notEmpty"}', sort: 'title' };
    setColumn('open', [{ items: [card('a', 10), card('c', 30)], nextToken: null }], filters);
    setColumn('won', [{ items: [], nextToken: null }], filters);
    change('b', { title: 'Not known to match' });
    change('c', { title: 'Changed' });
    assert.deepEqual(ids('open', filters), ['a', 'c']);
    change('c', { status: 'won' });
    assert.deepEqual([ids('open', filters), ids('won', filters)], [['a'], ['c']]);
  });

  it('a deleted card is gone from columns and counts; a change keeps what was known of its conversation', () => {
    const conversation = {
      sessionId: 's',
      unread: 2,
      needsAttention: false,
      lastMessageAt: 1,
      windowClosesAt: null,
      lastMessage: null,
    };
    patch('record', 'b', { conversation });
    const { conversation: _, ...record } = findThing('record', 'b')!;
    hear('record', { ...record, title: 'Renamed', updatedAt: 99 });
    assert.deepEqual(findThing('record', 'b')?.conversation, conversation);
    hearDeleted('record', 'b');
    assert.deepEqual([ids('open'), summary()?.count], [['c', 'a'], 3]);
    // An answer that was read before the deletion does not bring it back.
    hear('record', card('b', 20), { isRead: true });
    assert.equal(findThing('record', 'b'), null);
  });

  it('a read while changes are being sent keeps all of them', () => {
    const shown = () => findThing('record', 'c')!;
    const add = (tags: string[]) =>
      addEdits([{ kind: 'record', id: 'c', update: { customFields: { tags } } }]);
    const [first, second] = [add(['x']), add(['x', 'y'])];
    // The first change is committed, its answer is still under way.
    const read = card('c', 30, { updatedAt: 31, customFields: { amount: 6, tags: ['x'] } });
    hear('record', read, { isRead: true });
    assert.deepEqual(shown().customFields, { amount: 6, tags: ['x', 'y'] });
    // The answer, then a rejection of the second change: what the service has stays.
    const { conversation: _, tasks: __, ...answer } = read;
    hear('record', answer);
    first();
    assert.deepEqual(shown().customFields.tags, ['x', 'y']);
    second();
    assert.deepEqual(shown().customFields.tags, ['x']);
  });

  it('what somebody else wrote after a change stays when the answer to the change arrives later', () => {
    const end = addEdits([{ kind: 'record', id: 'c', update: { title: 'Mine' } }]);
    hear('record', card('c', 30, { updatedAt: 32, title: 'Theirs' }));
    assert.equal(findThing('record', 'c')?.title, 'Mine');
    hear('record', card('c', 30, { updatedAt: 31, title: 'Mine' }));
    end();
    assert.equal(findThing('record', 'c')?.title, 'Theirs');
  });

  /** What the service has when the read begins. */
  async function read(status: string, items: Card[], { filters = none, meanwhile = () => {} } = {}) {
    await queryClient.fetchQuery({
      queryKey: boardKeys.cards('k', filters, status),
      staleTime: 0,
      queryFn: () => {
        meanwhile();
        return { pages: [readPage('record', { items, nextToken: null })], pageParams: [null] };
      },
    });
    await Promise.resolve();
  }

  it('a column that was read before a move has the card where it is now', async () => {
    const meanwhile = () => change('c', { status: 'won' });
    await read('open', [card('c', 30), card('b', 20)], { meanwhile });
    assert.deepEqual([ids('open'), ids('won')], [['b'], ['c', 'w']]);
  });

  describe('under a filter', () => {
    const filters = { filter: '{"field":"title","op":"notEmpty"}' };
    const both = () => [ids('open', filters), ids('won', filters)];
    beforeEach(() => {
      setColumn('open', [{ items: [card('c', 30), card('b', 20)], nextToken: null }], filters);
      setColumn('won', [{ items: [card('w', 15, { status: 'won' })], nextToken: null }], filters);
    });

    it('a card that a change took out of it is gone once the column was read again', async () => {
      change('c', { title: '' });
      assert.deepEqual(ids('open', filters), ['c', 'b']);
      await read('open', [card('b', 20)], { filters });
      assert.deepEqual(ids('open', filters), ['b']);
    });

    it('a card that is being moved stays moved while columns are read, and goes back when it is rejected', async (t) => {
      t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
      const takeBack = addEdits([{ kind: 'record', id: 'c', update: { status: 'won' } }]);
      assert.deepEqual(both(), [['b'], ['c', 'w']]);
      // The change waits for the network.
      t.mock.timers.tick(60_000);
      await read('open', [card('c', 30), card('b', 20)], { filters });
      await read('won', [card('w', 15, { status: 'won' })], { filters });
      assert.deepEqual(both(), [['b'], ['c', 'w']]);
      takeBack();
      assert.deepEqual(both(), [['c', 'b'], ['w']]);
    });

    it('a search asks the service again after a change', (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const queryKey = boardKeys.cards('searched', { q: 'c' }, 'open');
      const found = readPage('record', { items: [card('f', 30, { kanbanId: 'searched' })], nextToken: null });
      queryClient.setQueryData<Ids>(queryKey, { pages: [found], pageParams: [null] });
      change('f', { title: 'Something else' });
      assert.equal(queryClient.getQueryState(queryKey)?.isInvalidated, false);
      t.mock.timers.tick(400);
      assert.equal(queryClient.getQueryState(queryKey)?.isInvalidated, true);
    });
  });
});
