import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { Message } from '../../../../contract/messaging/messages.ts';
import { keys } from '../../data/queries.ts';
import { queryClient } from '../../data/query-client.ts';
import { addEdits, findThing, forgetAll, hear, hearDeleted, onCreated } from '../../data/store/entities.ts';
import { things } from '../../data/store/lists.ts';
import { aroundQuery } from '../search/hit-data.ts';
import { customerWroteAt, hearMessage, keepsAttention, messageKey, readMessages } from './message-data.ts';

const message = (id: string, timestamp: number, more: Partial<Message> = {}) =>
  ({
    id,
    role: 'operator',
    content: id,
    timestamp,
    held: false,
    status: null,
    reactions: [],
    editedAt: null,
    deletedAt: null,
    clientId: null,
    ...more,
  }) as Message;

interface Pages {
  pages: { items: string[] }[];
}

describe('the messages of a chat', () => {
  const newest = keys.messages('s');
  const around = aroundQuery('s', 'b').queryKey as readonly unknown[];
  const setPages = (key: readonly unknown[], pages: { items: Message[]; [name: string]: unknown }[]) =>
    queryClient.setQueryData(key, {
      pages: pages.map((page) => ({ ...page, items: readMessages('s', page.items) })),
      pageParams: pages.map(() => null),
    });
  const ids = (key: readonly unknown[]) =>
    queryClient
      .getQueryData<Pages>(key)
      ?.pages.map((page) => things('message', page.items).map(({ id }) => id));
  const find = (id: string) => findThing('message', messageKey('s', id));
  beforeEach(() => {
    queryClient.clear();
    forgetAll();
    setPages(newest, [
      { items: [message('f', 60), message('d', 40)], nextToken: 'more' },
      { items: [message('c', 30)], nextToken: 'more' },
    ]);
  });
  // What is cached waits for its end with a timer.
  after(() => queryClient.clear());

  it('a new one is placed by its time, also between pages; one before everything loaded is left for its page', () => {
    for (const [id, at] of [
      ['g', 70],
      ['e', 50],
      ['cd', 35],
      ['a', 10],
    ] as const)
      hearMessage('s', message(id, at));
    hearMessage('s', message('f', 60, { content: 'Changed' }));
    hearMessage('elsewhere', message('h', 80));
    assert.deepEqual(ids(newest), [
      ['g', 'f', 'e', 'd'],
      ['cd', 'c'],
    ]);
    assert.equal(find('f')?.content, 'Changed');
    assert.equal(findThing('message', messageKey('elsewhere', 'h')), null);
  });

  it('the part around a message takes what is inside of it, and the newest ones when it has reached them', () => {
    const items = [message('d', 40), message('b', 20)];
    setPages(around, [{ items, older: null, newer: 'more' }]);
    hearMessage('s', message('g', 70));
    hearMessage('s', message('bc', 25));
    hearMessage('s', message('a', 10));
    assert.deepEqual(ids(around), [['d', 'bc', 'b', 'a']]);
    setPages(around, [{ items, older: null, newer: null }]);
    hearMessage('s', message('h', 80));
    assert.deepEqual(ids(around), [['h', 'd', 'b']]);
  });

  it('an older state of a message is recognised by what never goes back', () => {
    const steps: Partial<Message>[] = [
      { held: true },
      { held: false },
      { status: 'sent' },
      { status: 'delivered' },
      { status: 'read' },
      { editedAt: 5, content: 'Edited' },
      { editedAt: 6, content: 'Edited again' },
      { deletedAt: 7, content: '' },
    ];
    const states = steps.map((_, index) =>
      message('new', 70, Object.assign({}, ...steps.slice(0, index + 1))),
    );
    for (const [index, state] of states.entries()) {
      hearMessage('s', state);
      for (const older of states.slice(0, index)) hearMessage('s', older);
      assert.deepEqual(find('new'), { ...state, sessionId: 's' });
    }
    // Without such a difference the last one counts: reactions, notes, and a message that failed and was sent again.
    hearMessage('s', message('d', 40, { reactions: ['👍'], status: 'failed' }));
    hearMessage('s', message('d', 40, { status: 'sent' }));
    assert.deepEqual([find('d')?.reactions, find('d')?.status], [[], 'sent']);
  });

  it('a deletion that can be undone stays while changes from before it are heard', () => {
    const restore = addEdits([{ kind: 'message', id: messageKey('s', 'd'), remove: true }]);
    hearMessage('s', message('d', 40, { reactions: ['👍'] }));
    assert.deepEqual(ids(newest), [['f'], ['c']]);
    restore();
    assert.deepEqual(ids(newest), [['f', 'd'], ['c']]);
    assert.deepEqual(find('d')?.reactions, ['👍']);
    hearDeleted('message', messageKey('s', 'd'));
    hearMessage('s', message('d', 40));
    assert.deepEqual(ids(newest), [['f'], ['c']]);
  });

  it('one that a client has created is matched by its clientId, also in what is read', () => {
    const created: string[] = [];
    onCreated((clientId) => created.push(clientId));
    readMessages('s', [message('g', 70, { clientId: 'one' }), message('h', 70)]);
    assert.deepEqual(created, ['one']);
  });

  it('knows when the customer wrote last, and whether a held reply needs attention', () => {
    const session = { sessionId: 's', needsAttention: true } as InboxSession;
    assert.equal(customerWroteAt('s'), undefined);
    // Older messages may hold one.
    assert.equal(keepsAttention(session), true);
    const items = [message('f', 60), message('d', 40, { role: 'user' })];
    setPages(newest, [{ items, nextToken: null }]);
    assert.deepEqual([customerWroteAt('s'), keepsAttention(session)], [40, false]);
    hear('message', { ...message('held', 70, { held: true }), sessionId: 's' });
    assert.deepEqual(
      [keepsAttention(session), keepsAttention({ ...session, needsAttention: false })],
      [true, false],
    );
  });
});
