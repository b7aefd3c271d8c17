import assert from 'node:assert/strict';
import { after, beforeEach, describe, it } from 'node:test';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { queryClient } from '../../data/query-client.ts';
import { findSession, holdWhile, placeHeardSession, placeSession, placeValues } from './inbox-cache.ts';
import { inboxKey } from './inbox-data.ts';
import type { InboxFilter } from './inbox-filter.ts';

const session = (sessionId: string, more: Partial<InboxSession> = {}) =>
  ({
    sessionId,
    sessionName: sessionId,
    externalUserId: null,
    status: 'open',
    unread: 1,
    lastMessageAt: 1,
    updatedAt: 1,
    blocked: false,
    lastMessage: null,
    ...more,
  }) as InboxSession;

describe('the cached lists of the inbox', () => {
  const unread: InboxFilter = { show: 'unread', status: 'open' };
  const ids = () =>
    queryClient
      .getQueryData<{ pages: { items: InboxSession[] }[] }>([...inboxKey, unread])
      ?.pages.flatMap(({ items }) => items.map((one) => one.sessionId));
  beforeEach(() => {
    queryClient.clear();
    queryClient.setQueryData([...inboxKey, unread], {
      pages: [
        {
          items: [session('b', { lastMessageAt: 3 }), session('a', { lastMessageAt: 1 })],
          nextToken: null,
        },
      ],
      pageParams: [null],
    });
  });
  // What is cached waits for its end with a timer.
  after(() => queryClient.clear());

  it('a conversation that was just read stays among the unread ones', () => {
    placeSession(session('a', { unread: 0 }));
    assert.deepEqual(ids(), ['b', 'a']);
    assert.equal(findSession('a')?.unread, 0);
  });

  it('one that was read before does not come in, and one that is resolved leaves', () => {
    placeSession(session('c', { unread: 0, lastMessageAt: 2 }));
    placeSession(session('a', { status: 'resolved', unread: 0 }));
    assert.deepEqual(ids(), ['b']);
  });

  it('a change stays until it is answered, also if the change before it is heard late', async () => {
    const changed = (aiPaused: boolean) => {
      const answer = Promise.withResolvers<void>();
      placeValues(findSession('a')!, { aiPaused });
      return { ...answer, ended: holdWhile('a', { aiPaused }, () => answer.promise) };
    };
    const takeOver = changed(true);
    // From before the take-over.
    placeHeardSession(session('a', { aiPaused: false }));
    assert.equal(findSession('a')?.aiPaused, true);
    const handBack = changed(false);
    takeOver.resolve();
    await takeOver.ended;
    placeHeardSession(session('a', { aiPaused: true, unread: 5 }));
    assert.deepEqual([findSession('a')?.aiPaused, findSession('a')?.unread], [false, 5]);
    handBack.reject(new Error('offline'));
    await assert.rejects(handBack.ended, /offline/);
    placeHeardSession(session('a', { aiPaused: true }));
    assert.equal(findSession('a')?.aiPaused, true);
  });

  it('a new one is placed by its last message', () => {
    placeSession(session('c', { lastMessageAt: 2 }));
    placeSession(session('d', { lastMessageAt: 4 }));
    assert.deepEqual(ids(), ['d', 'b', 'c', 'a']);
  });
});
