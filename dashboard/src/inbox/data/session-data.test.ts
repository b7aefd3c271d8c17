import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { Session } from '../../../../contract/messaging/sessions.ts';
import { queryClient } from '../../data/query-client.ts';
import { addEdits, findThing, forgetAll, hear, hearHidden } from '../../data/store/entities.ts';
import { type Ids, readPage, things } from '../../data/store/lists.ts';
import type { InboxFilter } from './inbox-filter.ts';
import { inboxQuery, sessionQuery } from './session-data.ts';

const session = (sessionId: string, more: Partial<InboxSession> = {}) =>
  ({
    sessionId,
    sessionName: sessionId,
    externalUserId: null,
    status: 'open',
    unread: 1,
    aiPaused: false,
    lastMessageAt: 1,
    updatedAt: 1,
    blocked: false,
    lastMessage: null,
    ...more,
  }) as InboxSession;

/** As a live change has it. */
function heard(sessionId: string, more: Partial<Session>): void {
  const { blocked: _, lastMessage: __, ...parts } = session(sessionId, { updatedAt: 2, ...more });
  hear('session', parts);
}

describe('the lists of the inbox', () => {
  const unread: InboxFilter = { show: 'unread', status: 'open' };
  const { queryKey } = inboxQuery(unread);
  const setList = (items: InboxSession[], nextToken: string | null = null) =>
    queryClient.setQueryData<Ids>(queryKey as readonly unknown[], {
      pages: [readPage('session', { items, nextToken })],
      pageParams: [null],
    });
  const ids = () =>
    queryClient
      .getQueryData<Ids>(queryKey as readonly unknown[])
      ?.pages.flatMap((page) => things('session', page.items).map((one) => one.sessionId));
  beforeEach(() => {
    queryClient.clear();
    forgetAll();
    setList([session('b', { lastMessageAt: 3 }), session('a')]);
  });
  // What is cached waits for its end with a timer.
  after(() => queryClient.clear());

  it('a conversation that was just read stays among the unread ones', () => {
    heard('a', { unread: 0 });
    assert.deepEqual(ids(), ['b', 'a']);
    assert.equal(findThing('session', 'a')?.unread, 0);
  });

  it('one that was read before does not come in, and one that is resolved leaves', () => {
    heard('c', { unread: 0, lastMessageAt: 2 });
    heard('a', { status: 'resolved', unread: 0 });
    assert.deepEqual(ids(), ['b']);
  });

  it('a new one is placed by its last message; one before everything loaded is left for its page', () => {
    heard('c', { lastMessageAt: 2 });
    heard('d', { lastMessageAt: 4 });
    assert.deepEqual(ids(), ['d', 'b', 'c', 'a']);
    setList([session('b', { lastMessageAt: 3 })], 'more');
    heard('e', { lastMessageAt: 2 });
    assert.deepEqual(ids(), ['b']);
  });

  it('one that this person may not see any more leaves, and comes back when it is heard of again', () => {
    hearHidden('session', 'b');
    assert.deepEqual(ids(), ['a']);
    heard('b', { lastMessageAt: 3 });
    assert.deepEqual(ids(), ['b', 'a']);
  });

  it('an answer that was read before it left does not bring it back, for any list', async () => {
    const answer = Promise.withResolvers<void>();
    const reading = queryClient.fetchInfiniteQuery({
      queryKey: queryKey as readonly unknown[],
      initialPageParam: null,
      staleTime: 0,
      getNextPageParam: () => null,
      queryFn: async () => {
        await answer.promise;
        return readPage('session', {
          items: [session('b', { lastMessageAt: 3 }), session('a')],
          nextToken: null,
        });
      },
    });
    hearHidden('session', 'b');
    answer.resolve();
    await reading;
    await Promise.resolve();
    assert.deepEqual([ids(), findThing('session', 'b')], [['a'], null]);
  });

  it('a change stays until it is answered, also if the change before it is heard late', () => {
    const shown = () => findThing('session', 'a')!;
    const edit = (aiPaused: boolean) => addEdits([{ kind: 'session', id: 'a', update: { aiPaused } }]);
    const takeOver = edit(true);
    // From before the take-over.
    heard('a', { aiPaused: false });
    assert.equal(shown().aiPaused, true);
    const handBack = edit(false);
    heard('a', { aiPaused: true, unread: 5, updatedAt: 3 });
    takeOver();
    assert.deepEqual([shown().aiPaused, shown().unread], [false, 5]);
    // Rejected: what the service has is shown.
    handBack();
    assert.equal(shown().aiPaused, true);
  });

  it('an answer that is older than a live change adds only what that does not have', () => {
    const lastMessage: InboxSession['lastMessage'] = { role: 'user', text: 'Hello', fileType: null };
    heard('new', { unread: 2, updatedAt: 9 });
    hear('session', session('new', { blocked: true, lastMessage, updatedAt: 8 }), { isRead: true });
    assert.deepEqual(
      findThing('session', 'new'),
      session('new', { blocked: true, lastMessage, unread: 2, updatedAt: 9 }),
    );
    heard('new', { unread: 3, updatedAt: 10 });
    const { blocked, lastMessage: last } = findThing('session', 'new')!;
    assert.deepEqual([blocked, last], [true, lastMessage]);
  });

  it('a list that was read before a change has the conversation as it is now', async () => {
    const items = [session('b', { lastMessageAt: 3 }), session('a')];
    await queryClient.fetchQuery({
      queryKey: queryKey as readonly unknown[],
      staleTime: 0,
      queryFn() {
        const read = { pages: [readPage('session', { items, nextToken: null })], pageParams: [null] };
        heard('a', { status: 'resolved' });
        heard('c', { lastMessageAt: 2 });
        return read;
      },
    });
    await Promise.resolve();
    assert.deepEqual(ids(), ['b', 'c']);
  });

  it('a conversation that a list has is shown before it is read itself', () => {
    const { initialData } = sessionQuery('a');
    assert.deepEqual((initialData as () => unknown)(), { id: 'a' });
    assert.equal((sessionQuery('unknown').initialData as () => unknown)(), undefined);
  });
});
