/** kill -9 while a deleted label is taken off: every card and conversation loses it once, with one event or entry each. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createToken, eventually, isFull, openWorkshop, type Program, type Workshop } from './support.ts';

const kills = isFull ? 10 : 1;
const records = isFull ? 10_000 : 500;
const conversations = isFull ? 500 : 20;

describe('kill -9 after a label was deleted', () => {
  let workshop: Workshop;
  let token: string;
  before(() => {
    workshop = openWorkshop();
  });
  after(() => workshop.close());

  const call = async (program: Program, method: string, path: string, body?: object) => {
    const reply = await program.call(method, path, body, { authorization: `Bearer ${token}` });
    assert.ok(reply.status < 300, JSON.stringify(reply.body));
    return reply.body;
  };

  it('loses no event and writes none twice', async () => {
    let program = await workshop.start();
    token = await createToken(program);
    const { id } = await call(program, 'POST', '/labels', { name: 'Leaving' });
    for (let at = 0; at < records; at += 100) {
      const items = Array.from({ length: 100 }, (_, i) => ({ title: `Record ${at + i}`, labelIds: [id] }));
      await call(program, 'POST', '/crm/records/batch', { items });
    }
    for (let n = 0; n < conversations; n++) {
      const sessionId = `labelled-${n}`;
      await call(program, 'POST', '/messages', { fromChannelIdentifier: 'api', sessionId, content: 'Hello' });
      await call(program, 'PATCH', `/sessions/${sessionId}`, { labelIds: [id] });
    }
    const waiting = async () => {
      const [row] = await workshop.query<{ count: number }>(
        `select ((select count(*) from records where label_ids <> '{}')
          + (select count(*) from sessions where label_ids <> '{}'))::int as count`,
      );
      return row!.count;
    };
    await call(program, 'DELETE', `/labels/${id}`);
    // The first of many right after the answer, the others when a random share of what was left is done.
    for (let kill = 0; kill < kills; kill++) {
      const left = await waiting();
      const until = kill === 0 && kills > 1 ? left : Math.floor(left * (0.5 + workshop.random() / 2));
      await eventually('some have lost it', async () => (await waiting()) <= until, 60_000);
      await program.kill();
      program = await workshop.start();
    }
    await eventually(
      'all have lost it',
      async () =>
        (await waiting()) === 0 &&
        (await workshop.query("select from jobs where kind = 'deleted_label'")).length === 0,
      120_000,
    );
    const told = await workshop.query<{ times: number; records: number }>(
      `select times, count(*)::int as records from (
         select count(*)::int as times from records r
         join events e on e.account_id = r.account_id and e.subject_id = r.id::text
         where e.event = 'crm_field_update' and e.field_id = 'labelIds' group by r.id) as each group by times`,
    );
    assert.deepEqual(told, [{ times: 1, records }]);
    const history = await workshop.query<{ times: number; sessions: number }>(
      `select times, count(*)::int as sessions from (
         select count(*)::int as times from session_changes
         where session_id like 'labelled-%' group by session_id) as each group by times`,
    );
    assert.deepEqual(history, [{ times: 2, sessions: conversations }], 'labelled, and no longer');
  });
});
