import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import type { BoardSummary, Card } from '../../../../contract/dashboard.ts';
import type { Page } from '../../data/api.ts';
import { queryClient } from '../../data/query-client.ts';
import { addPending, settlePending } from '../../record/pending-changes.ts';
import { dropCard, findCard, latestState, placeCard } from './board-cache.ts';
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

type Column = { pages: Page<Card>[]; pageParams: (string | null)[] };

describe('the cached columns of a board', () => {
  const none = {};
  const setColumn = (status: string, pages: Page<Card>[], filters = none) =>
    queryClient.setQueryData(boardKeys.cards('k', filters, status), {
      pages,
      pageParams: pages.map(() => null),
    });
  const ids = (status: string, filters = none) =>
    queryClient
      .getQueryData<Column>(boardKeys.cards('k', filters, status))
      ?.pages.flatMap((page) => page.items.map((one) => one.recordId));
  const summary = () => queryClient.getQueryData<BoardSummary>(boardKeys.summary('k', none, 'amount'));

  // What is cached waits for its end with a timer.
  after(() => queryClient.clear());

  beforeEach(() => {
    queryClient.clear();
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
    placeCard({ ...findCard('k', 'c')!, status: 'won' });
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
    placeCard({ ...findCard('k', 'c')!, customFields: { amount: 7.5 } });
    assert.equal(summary()?.columns[0]?.total, 7.5);
  });

  it('what is older than everything loaded waits for its page', () => {
    placeCard({ ...findCard('k', 'w')!, status: 'open', createdAt: 1 });
    assert.deepEqual([ids('open'), ids('won')], [['c', 'b', 'a'], []]);
  });

  it('under a filter and in another order, cards stay in place until the service has answered', () => {
    const filters = { filter: '{"field":"title","op":"notEmpty"}', sort: 'title' };
    setColumn('open', [{ items: [card('a', 10), card('c', 30)], nextToken: null }], filters);
    setColumn('won', [{ items: [], nextToken: null }], filters);
    placeCard({ ...findCard('k', 'b')!, title: 'Not known to match' });
    placeCard({ ...findCard('k', 'c')!, title: 'Changed' });
    assert.deepEqual(ids('open', filters), ['a', 'c']);
    placeCard({ ...findCard('k', 'c')!, status: 'won' });
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
    placeCard({ ...findCard('k', 'b')!, conversation });
    const { conversation: _, ...record } = findCard('k', 'b')!;
    placeCard({ ...record, title: 'Renamed' });
    assert.deepEqual(findCard('k', 'b')?.conversation, conversation);
    dropCard('k', 'b');
    assert.deepEqual([ids('open'), summary()?.count], [['c', 'a'], 3]);
  });

  it('a read while changes are being sent keeps all of them', async () => {
    const shown = () => findCard('k', 'c')!;
    const add = (tags: string[]) => {
      const change = { customFields: { tags } };
      placeCard(addPending(shown(), change));
      return { record: shown(), change };
    };
    const [first, second] = [add(['x']), add(['x', 'y'])];
    // The first change is committed, its answer is still under way.
    const read = card('c', 30, { updatedAt: 31, customFields: { amount: 6, tags: ['x'] } });
    assert.deepEqual(latestState(read)?.customFields, { amount: 6, tags: ['x', 'y'] });
    await queryClient.fetchQuery({
      queryKey: boardKeys.cards('k', none, 'open'),
      staleTime: 0,
      queryFn: () => ({ pages: [{ items: [read], nextToken: null }], pageParams: [null] }),
    });
    assert.deepEqual(shown().customFields, { amount: 6, tags: ['x', 'y'] });
    // The answer, then a rejection of the second change: what the service has stays.
    const { conversation: _, tasks: __, ...answer } = read;
    placeCard(settlePending(first.record, first.change, answer));
    assert.deepEqual(shown().customFields.tags, ['x', 'y']);
    placeCard(settlePending(second.record, second.change, null));
    assert.deepEqual(shown().customFields.tags, ['x']);
    assert.deepEqual(latestState(read)?.customFields.tags, ['x']);
  });

  it('what somebody else wrote after a change stays when the answer to the change arrives later', () => {
    const change = { title: 'Mine' };
    placeCard(addPending(findCard('k', 'c')!, change));
    const theirs = card('c', 30, { updatedAt: 32, title: 'Theirs' });
    assert.equal(latestState(theirs)?.title, 'Mine');
    const answer = card('c', 30, { updatedAt: 31, title: 'Mine' });
    placeCard(settlePending(theirs, change, answer));
    assert.equal(findCard('k', 'c')?.title, 'Theirs');
  });
});
