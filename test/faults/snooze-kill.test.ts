/** kill -9 while snoozes end: every conversation is opened once, with one entry and one event. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createToken, eventually, isFull, openWorkshop, type Workshop } from './support.ts';

const kills = isFull ? 10 : 1;
/** More than one batch. */
const conversations = isFull ? 1_000 : 120;

describe('kill -9 while snoozes end', () => {
  let workshop: Workshop;
  before(() => {
    workshop = openWorkshop();
  });
  after(() => workshop.close());

  it('opens each conversation exactly once', async () => {
    let program = await workshop.start();
    const authorization = `Bearer ${await createToken(program)}`;
    const call = async (path: string, body: object) => {
      const reply = await program.call('POST', path, body, { authorization });
      assert.ok(reply.status < 300, JSON.stringify(reply.body));
    };
    const ids = Array.from({ length: conversations }, (_, n) => `snooze-${n}`);
    for (let at = 0; at < ids.length; at += 30) {
      const begin = (sessionId: string) =>
        call('/messages', { fromChannelIdentifier: 'api', sessionId, content: 'Hello' });
      await Promise.all(ids.slice(at, at + 30).map(begin));
    }
    const snoozedUntil = Date.now() + 24 * 3_600_000;
    for (let at = 0; at < ids.length; at += 50) {
      const change = { status: 'snoozed', snoozedUntil };
      await call('/sessions/bulk', { sessionIds: ids.slice(at, at + 50), change });
    }
    const snoozed = async () => {
      const [row] = await workshop.query<{ count: number }>(
        "select count(*)::int as count from sessions where status = 'snoozed'",
      );
      return row!.count;
    };
    // All due in the same moments that the kills fall into.
    await workshop.query("update sessions set snoozed_until = $1 where status = 'snoozed'", [Date.now()]);
    for (let kill = 0; kill < kills; kill++) {
      const left = await snoozed();
      await eventually('some snoozes have ended', async () => (await snoozed()) < left || left === 0, 60_000);
      await program.kill();
      program = await workshop.start();
    }
    await eventually('all snoozes have ended', async () => (await snoozed()) === 0, 60_000);
    const ended = await workshop.query<{ id: string; entries: number; events: number }>(
      `select s.session_id as id,
         (select count(*)::int from session_changes c where c.session_id = s.session_id
           and c.changed_by ->> 'type' = 'system') as entries,
         (select count(*)::int from events e where e.subject_id = s.session_id and e.event = 'session_updated'
           and e.body::json -> 'data' ->> 'changedBy' = 'system') as events
       from sessions s where s.status = 'open'`,
    );
    assert.equal(ended.length, conversations);
    for (const { id, entries, events } of ended) assert.deepEqual([entries, events], [1, 1], id);
  });
});
