/**
 * kill -9 while rules run, with waits and calls: every cause is evaluated once by every rule, every step happens once,
 * calls arrive at least once with one key, and nothing happens after a cancellation.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Inbox, startInbox } from '../support/webhooks.ts';
import { createToken, eventually, isFull, openWorkshop, type Program, type Workshop } from './support.ts';

const kills = isFull ? 50 : 2;
const rules = 20;
/** Of them, so many match; the others miss. */
const calling = 3;
const waiting = 3;
/** Messages with calls between two kills: an account makes 60 calls a minute. */
const callsAtOnce = 2;
const shared = { OUTBOUND_ALLOW: '127.0.0.0/8' };

describe('kill -9 while rules run', () => {
  let workshop: Workshop;
  let program: Program;
  let inbox: Inbox;
  before(async () => {
    workshop = openWorkshop();
    inbox = await startInbox((_received, response) => {
      setTimeout(() => response.end('{"ok": true}'), workshop.random() * 40);
    });
  });
  after(async () => {
    await workshop.close();
    await inbox.close();
  });

  it('takes every step once', async () => {
    program = await workshop.start(shared);
    const authorization = `Bearer ${await createToken(program)}`;
    const call = async (path: string, body: object) => {
      const reply = await program.call('POST', path, body, { authorization });
      assert.ok(reply.status < 300, JSON.stringify(reply.body));
      return reply.body;
    };
    for (let number = 0; number < rules; number++) {
      const note = (text: string) => ({ type: 'note', text: `${text} of rule ${number}` });
      const steps =
        number < calling
          ? [note('first'), { id: 'ask', type: 'call', url: inbox.url() }, note('second')]
          : [note('first'), { type: 'wait', minutes: 60, cancelOn: ['session_resolved'] }, note('second')];
      await call('/automations', {
        name: `Rule ${number}`,
        enabled: true,
        trigger: { on: 'customer_message' },
        ...(number < calling && {
          conditions: { field: 'message.content', op: 'contains', value: 'please call' },
        }),
        ...(number >= calling + waiting && {
          conditions: { field: 'message.content', op: 'contains', value: 'nothing says this' },
        }),
        steps,
      });
    }
    const sent: string[] = [];
    let begun = 0;
    let toCall = callsAtOnce;
    const load = workshop.load(4, async () => {
      const sessionId = `rules-${begun++}`;
      const content = toCall-- > 0 ? 'Hello, please call' : 'Hello';
      try {
        await call('/messages', { fromChannelIdentifier: 'api', sessionId, content });
        sent.push(sessionId);
        // Its waits are cancelled, unless they have ended or have not begun.
        if (begun % 5 === 0) {
          await program.call('PATCH', `/sessions/${sessionId}`, { status: 'resolved' }, { authorization });
        }
      } catch {
        // The program has just been killed: it may have been taken or not.
      }
      await new Promise((resolve) => setTimeout(resolve, 60));
    });
    const steps = async () => {
      const [row] = await workshop.query<{ count: number }>(
        'select count(*)::int as count from automation_run_steps',
      );
      return row!.count;
    };
    for (let kill = 0; kill < kills; kill++) {
      const before = await steps();
      await eventually('some steps were taken', async () => (await steps()) > before + 5, 60_000);
      // Some waits end in the same moments, others are cancelled.
      await workshop.query(`update automation_runs set due_at = 1
        where state = 'waiting' and abs(hashtext(session_id)) % 3 = 0`);
      await new Promise((resolve) => setTimeout(resolve, workshop.random() * 300));
      await program.kill();
      program = await workshop.start(shared);
      toCall = callsAtOnce;
    }
    await load.stop();
    const settled = () =>
      eventually(
        'every cause has been worked on',
        async () => {
          const open = await workshop.query('select from automation_causes where is_open limit 1');
          const running = await workshop.query("select from automation_runs where state = 'running' limit 1");
          return open.length + running.length === 0;
        },
        isFull ? 300_000 : 120_000,
      );
    await settled();
    const resolved = sent.filter((_, index) => index % 4 === 1);
    for (const sessionId of resolved) {
      const reply = await program.call(
        'PATCH',
        `/sessions/${sessionId}`,
        { status: 'resolved' },
        { authorization },
      );
      assert.equal(reply.status, 200);
    }
    await settled();
    await workshop.query("update automation_runs set due_at = 1 where state = 'waiting'");
    await eventually(
      'every wait has ended',
      async () =>
        (await workshop.query("select from automation_runs where state = 'waiting' limit 1")).length === 0,
      60_000,
    );
    await settled();

    const causes = await workshop.query<{ id: string; count: number; rules: number; sent: number }>(`
      select m.id, count(distinct c.id)::int as count,
        max(cardinality(c.rule_ids)) as sent,
        max((select count(distinct id) from unnest(c.rule_ids) id))::int as rules
      from messages m left join automation_verdicts c on c.source_id = m.id::text
      where m.role = 'user' group by m.id`);
    assert.ok(causes.length >= sent.length);
    for (const one of causes) assert.deepEqual([one.count, one.rules, one.sent], [1, rules, rules], one.id);
    const wrong = await workshop.query(`
      select r.id, r.state, r.rule_name, count(m.id) as notes
      from automation_runs r
      left join messages m on m.session_id = r.session_id and m.content like '% of ' || lower(r.rule_name)
      group by r.account_id, r.id
      having count(m.id) <> (case r.state when 'done' then 2 else 1 end)
        or count(distinct m.content) <> count(m.id)`);
    assert.deepEqual(wrong, []);
    const [states] = await workshop.query<{ runs: number; failed: number; cancelled: number }>(`
      select count(*)::int as runs, (count(*) filter (where state = 'failed'))::int as failed,
        (count(*) filter (where state = 'cancelled'))::int as cancelled from automation_runs`);
    const [called] = await workshop.query<{ count: number }>(
      "select count(*)::int as count from messages where role = 'user' and content like '%call'",
    );
    assert.ok(called!.count >= kills);
    assert.equal(states!.runs, causes.length * waiting + called!.count * calling);
    assert.equal(states!.failed, 0);
    assert.ok(states!.cancelled > 0);
    const keys = new Set(inbox.received.map(({ headers }) => headers['idempotency-key']));
    assert.equal(keys.size, called!.count * calling);
  });
});
