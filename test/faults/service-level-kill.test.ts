/** kill -9 while targets are missed: each warns once and breaches once, as an event, a result and a notification. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createToken, eventually, isFull, openWorkshop, type Workshop } from './support.ts';

const kills = isFull ? 10 : 1;
/** Of each kill, one after the other. */
const conversations = 80;

describe('kill -9 while service levels are missed', () => {
  let workshop: Workshop;
  before(() => {
    workshop = openWorkshop();
  });
  after(() => workshop.close());

  it('warns and breaches once for each target', async () => {
    let program = await workshop.start();
    const authorization = `Bearer ${await createToken(program)}`;
    const call = async (method: string, path: string, body?: object) => {
      const reply = await program.call(method, path, body, { authorization });
      assert.ok(reply.status < 300, JSON.stringify(reply.body));
      return reply.body;
    };
    const { items: users } = await call('GET', '/users');
    const label = await call('POST', '/labels', { name: 'Urgent' });
    const ids = Array.from({ length: kills * conversations }, (_, n) => `level-${n}`);
    for (let at = 0; at < ids.length; at += 40) {
      const begin = (sessionId: string) =>
        call('POST', '/messages', { fromChannelIdentifier: 'api', sessionId, content: 'Hello' });
      await Promise.all(ids.slice(at, at + 40).map(begin));
    }
    await call('POST', '/sla-policies', {
      name: 'Urgent',
      filter: { field: 'session.labelIds', op: 'contains', value: label.id },
      firstResponseMinutes: 60,
      resolutionMinutes: 120,
      warnBeforeMinutes: 30,
    });
    await eventually(
      'no policy applies',
      async () => (await workshop.query('select from sessions where sla is null limit 1')).length === 0,
      60_000,
    );
    // The customers wrote yesterday. The targets of those that get the label are late at once.
    const day = 86_400_000;
    await workshop.query('update sessions set created_at = created_at - $1', [day]);
    await workshop.query('update messages set created_at = created_at - $1', [day]);
    await workshop.query('delete from sla_states');
    const events = async () => {
      const [row] = await workshop.query<{ count: number }>(
        "select count(*)::int as count from events where event in ('sla_warning', 'sla_breached')",
      );
      return row!.count;
    };
    for (let kill = 0; kill < kills; kill++) {
      const some = ids.slice(kill * conversations, (kill + 1) * conversations);
      const already = await events();
      for (let at = 0; at < some.length; at += 40) {
        const change = { addLabelIds: [label.id], assignedUserId: users[0].id };
        await call('POST', '/sessions/bulk', { sessionIds: some.slice(at, at + 40), change });
      }
      if (kill % 2 === 0) await sleep(workshop.random() * 150);
      else await eventually('some are late', async () => (await events()) > already, 30_000);
      await program.kill();
      program = await workshop.start();
    }
    const all = ids.length * 4;
    await eventually('all are late', async () => (await events()) >= all, 60_000);
    const notified = async () => {
      const [row] = await workshop.query<{ count: number }>(
        "select coalesce(sum(count), 0)::int as count from notifications where kind in ('sla_warning', 'sla_breached')",
      );
      return row!.count;
    };
    await eventually('the owner knows all of them', async () => (await notified()) >= all, 60_000);
    const often = await workshop.query(
      `select subject_id, event, body::json -> 'data' ->> 'kind' as kind, count(*) from events
       where event in ('sla_warning', 'sla_breached') group by 1, 2, 3 having count(*) <> 1`,
    );
    assert.deepEqual(often, []);
    const results = await workshop.query<{ outcome: string; count: number }>(
      'select outcome, count(*)::int as count from sla_results group by outcome',
    );
    assert.deepEqual(
      [await events(), await notified(), results],
      [all, all, [{ outcome: 'breached', count: ids.length * 2 }]],
    );
  });
});
