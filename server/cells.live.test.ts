import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { connectLive, type LiveClient, listen } from '../test/support/live.ts';
import { type PubSubServer, startPubSubServer } from '../test/support/redis.ts';
import { startTestService, type TestService } from '../test/support/service.ts';
import { sql } from './platform/db/sql.ts';

for (const withRedis of [false, true]) {
  describe(`two processes of an instance with cells, ${withRedis ? 'with' : 'without'} Redis`, () => {
    let redis: PubSubServer | null = null;
    let service: TestService;
    let second: Awaited<ReturnType<TestService['startSecond']>>;
    /** Of each cell, in one process and in the other. */
    const clients: Record<string, { near: LiveClient; far: LiveClient; token: string; userId: string }> = {};
    before(async () => {
      if (withRedis) redis = await startPubSubServer();
      service = await startTestService({
        cells: ['eu2'],
        worker: true,
        env: redis ? { REDIS_URL: redis.url } : {},
      });
      second = await service.startSecond({ PROCESS_ROLE: 'api' });
      const [here, there] = [await listen(service.app), await listen(second.app)];
      for (const cell of ['eu2', 'home']) {
        const account = await service.createAccount();
        const operator = await service.createUser('operator', account.jwt);
        clients[cell] = {
          near: await connectLive(here, service.call, account.jwt),
          far: await connectLive(there, second.call, operator.jwt),
          token: account.token,
          userId: operator.id,
        };
      }
    });
    after(async () => {
      for (const { near, far } of Object.values(clients)) {
        await near.end();
        await far.end();
      }
      await second?.close();
      await service?.close();
      await redis?.close();
    });

    const newSession = async (cell: string, sessionId: string) => {
      const body = { content: 'Hello', fromChannelIdentifier: 'api', sessionId };
      const sent = await service.call('POST', '/messages', { token: clients[cell]!.token, body });
      assert.equal(sent.status, 202, sent.text);
    };

    for (const cell of ['eu2', 'home']) {
      it(`a change in ${cell} arrives in both`, async () => {
        const { near, far } = clients[cell]!;
        await newSession(cell, `news of ${cell}`);
        for (const client of [near, far]) {
          await client.next('message.created', ({ sessionId }) => sessionId === `news of ${cell}`);
          assert.equal(client.gaps, 0);
        }
      });

      it(`who looks and who types in ${cell} is known in both`, async () => {
        const { near, far, userId } = clients[cell]!;
        const sessionId = `seen in ${cell}`;
        await newSession(cell, sessionId);
        far.say({ type: 'viewing', sessionId });
        const { people } = await near.next('presence', (data) => data.sessionId === sessionId);
        assert.deepEqual(
          people.map(({ id }: { id: string }) => id),
          [userId],
        );
        near.say({ type: 'typing', sessionId, isTyping: true });
        await far.next('typing', (data) => data.sessionId === sessionId);
        const signals = await service.contextOf(cell).db.query(sql`select from live_signals`);
        assert.equal(signals.length > 0, !withRedis);
      });
    }

    it('nothing of one cell reaches another', () => {
      for (const [cell, { near, far }] of Object.entries(clients)) {
        for (const { frames } of [near, far]) {
          const other = cell === 'home' ? 'eu2' : 'home';
          assert.ok(!JSON.stringify(frames).includes(` ${other}"`));
        }
      }
    });

    it('the metrics say which cell', async () => {
      const { text } = await service.call('GET', '/metrics');
      for (const cell of ['home', 'eu2']) {
        assert.match(text, new RegExp(`talkboard_live_connections\\{cell="${cell}"\\} 1`));
        assert.match(text, new RegExp(`talkboard_db_connections\\{state="idle",cell="${cell}"\\} \\d`));
        assert.match(text, new RegExp(`talkboard_housekeeping_last_success_seconds\\{[^}]*cell="${cell}"`));
      }
    });

    if (withRedis) {
      it('each cell has its own channel, and a process two connections', () => {
        assert.deepEqual([...redis!.channels].sort(), ['talkboard:live', 'talkboard:live:eu2']);
        assert.equal(redis!.openConnections(), 4);
      });
    }
  });
}
