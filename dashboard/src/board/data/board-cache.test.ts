import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import type { BoardSummary, Card } from '../../../../contract/dashboard.ts';
import type { Page } from '../../data/api.ts';
import { queryClient } from '../../data/query-client.ts';
import { dropCard, findCard, placeCard } from './board-cache.ts';
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
});
