/** kill -9 while the events of a deleted field are sent: every record emits exactly one, in every case. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createToken, eventually, isFull, openWorkshop, type Program, type Workshop } from './support.ts';

const kills = isFull ? 20 : 1;
const records = isFull ? 20_000 : 1_000;

describe('kill -9 after a field was deleted', () => {
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
  const waiting = async () => {
    const [row] = await workshop.query<{ count: number }>(
      'select count(*)::int as count from deleted_field_values',
    );
    return row!.count;
  };

  it('loses no event and sends none twice', async () => {
    let program = await workshop.start();
    token = await createToken(program);
    const field = await call(program, 'POST', '/crm/fields', { name: 'Note', type: 'text' });
    for (let at = 0; at < records; at += 100) {
      const items = Array.from({ length: 100 }, (_, i) => ({
        title: `Record ${at + i}`,
        customFields: { [field.fieldId]: `value ${at + i}` },
      }));
      await call(program, 'POST', '/crm/records/batch', { items });
    }
    await call(program, 'DELETE', `/crm/fields/${field.fieldId}`);
    // The first of many right after the answer, the others whenever a random share of what was left has gone out.
    for (let kill = 0; kill < kills; kill++) {
      const left = await waiting();
      const until = kill === 0 && kills > 1 ? left : Math.floor(left * (0.5 + workshop.random() / 2));
      await eventually('some of the events are out', async () => (await waiting()) <= until, 60_000);
      await program.kill();
      program = await workshop.start();
    }
    await eventually(
      'all events are out',
      async () =>
        (await waiting()) === 0 &&
        (await workshop.query("select from jobs where kind = 'deleted_field'")).length === 0,
      120_000,
    );
    const told = await workshop.query<{ title: string; times: number; value: string; last: number }>(
      `select r.title, count(*)::int as times, min(e.body::json -> 'data' ->> 'oldValue') as value,
         max(r.event_sequence) as last
       from records r join events e on e.account_id = r.account_id and e.subject_id = r.id::text
       where e.event = 'crm_field_update' and e.field_id = $1 group by r.id, r.title`,
      [field.fieldId],
    );
    assert.equal(told.length, records, 'an event for each record');
    for (const { title, times, value, last } of told) {
      assert.deepEqual([times, value, last], [1, title.replace('Record', 'value'), 2], title);
    }
  });
});
