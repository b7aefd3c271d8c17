import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { connectLive, type LiveClient, listen } from '../../../test/support/live.ts';
import { type PubSubServer, startPubSubServer } from '../../../test/support/redis.ts';
import { startTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

describe('live updates with Redis', () => {
  let redis: PubSubServer;
  let service: TestService;
  let second: Awaited<ReturnType<TestService['startSecond']>>;
  let talk: Conversations;
  let far: LiveClient;
  before(async () => {
    redis = await startPubSubServer();
    service = await startTestService({ env: { REDIS_URL: redis.url } });
    talk = conversationsOf(service);
    second = await service.startSecond();
    far = await connectLive(await listen(second.app), second.call, service.admin.jwt);
  });
  after(async () => {
    await far?.end();
    await second?.close();
    await service?.close();
    await redis?.close();
  });

  it('a change in one process wakes the others', async () => {
    const before = redis.published.length;
    const sessionId = unique('woken');
    await talk.accepted({ sessionId });
    await far.next('message.created', (data) => data.sessionId === sessionId);
    assert.ok(redis.published.length > before);
    assert.ok(redis.published.every((text) => !text.includes(sessionId)));
  });

  it('typing goes through it, not through the database', async () => {
    const near = await connectLive(await listen(service.app), service.call, service.admin.jwt);
    try {
      const sessionId = unique('typed');
      await talk.accepted({ sessionId });
      near.say({ type: 'typing', sessionId, isTyping: true });
      await far.next('typing', (data) => data.sessionId === sessionId);
      assert.equal(await talk.count(sql`live_signals`), 0);
    } finally {
      await near.end();
    }
  });

  it('when it is gone, changes arrive all the same', async () => {
    await redis.close();
    const sessionId = unique('alone');
    await talk.accepted({ sessionId });
    await far.next('message.created', (data) => data.sessionId === sessionId);
    assert.equal(far.gaps, 0);
  });
});
