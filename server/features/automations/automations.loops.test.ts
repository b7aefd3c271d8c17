/** Many events, and rules that cause each other: it ends, and each rule has a verdict for each of its causes. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { limits } from '../../../contract/limits.ts';
import { conversationsOf, unique } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { isFull } from '../../../test/support/sample.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

const conversations = isFull ? 200 : 1;
/** Of two changes of each conversation. */
const rounds = isFull ? 25 : 12;

describe('rules that start themselves', () => {
  let service: TestService;
  before(async () => {
    service = await joinTestService({ worker: true });
  });
  after(() => service.close());

  it(`${conversations * rounds * 2} events end`, async () => {
    const { call, context, admin } = service;
    const talk = conversationsOf(service);
    const post = (path: string, body: object): Promise<Json> =>
      talk.expect(201, call('POST', path, { body }));
    const label = (): Promise<Json> => post('/labels', { name: unique('Loop') });
    const [one, two, flag] = [await label(), await label(), await label()];
    const rule = (on: Json, steps: object[]) =>
      post('/automations', {
        name: unique('Loop'),
        enabled: true,
        trigger: { on: 'label_added', labelIds: [on.id] },
        steps,
      });
    const turn = (from: Json, to: Json) => [
      { type: 'label', addLabelIds: [to.id] },
      { type: 'label', removeLabelIds: [from.id] },
    ];
    const rules = [
      // Each causes the other, and one causes itself.
      await rule(one, turn(one, two)),
      await rule(two, turn(two, one)),
      await rule(flag, [{ type: 'label', removeLabelIds: [flag.id] }]),
      await post('/automations', {
        name: unique('Loop'),
        enabled: true,
        trigger: { on: 'label_removed' },
        steps: [{ type: 'label', addLabelIds: [flag.id] }],
      }),
    ];
    const ids = await Promise.all(
      Array.from(
        { length: conversations },
        async () => (await talk.accepted({ sessionId: unique('loop') })).sessionId,
      ),
    );
    const { db } = context;
    const open = sql`select from automation_causes where account_id = ${admin.accountId} and is_open limit 1`;
    // The worker takes all connections: the pool may refuse this one.
    const settled = () =>
      eventually(
        () =>
          db.query(open).then(
            (found) => found.length === 0,
            () => false,
          ),
        isFull ? 600_000 : 30_000,
      );
    const change = async (body: object) => {
      for (let at = 0; at < ids.length; at += 40) {
        const sessionIds = ids.slice(at, at + 40);
        const { results } = await talk.expect(
          200,
          call('POST', '/sessions/bulk', { body: { sessionIds, change: body } }),
        );
        assert.ok(results.every(({ status }: Json) => status === 200));
      }
      await settled();
    };
    for (let round = 0; round < rounds; round++) {
      await change({ addLabelIds: [one.id] });
      await change({ removeLabelIds: [one.id, two.id, flag.id] });
    }
    const runs = await db.query<{ count: number; longest: number }>(sql`
      select count(*)::int as count, max(jsonb_array_length(chain)) as longest from automation_runs
      where account_id = ${admin.accountId} group by rule_id, subject`);
    assert.equal(runs.length, rules.length * ids.length);
    const { runsPerHour, chain } = limits.automation;
    assert.ok(runs.every(({ count, longest }) => count <= runsPerHour && longest <= chain));
    const reasons = await db.query<{ reason: string; count: number }>(sql`
      select split_part(p ->> 2, ':', 1) as reason, count(*)::int as count
      from automation_verdicts v, json_array_elements(v.packed::json) p
      where v.account_id = ${admin.accountId} and p ->> 2 is not null group by 1 order by 1`);
    assert.deepEqual(
      reasons.map(({ reason }) => reason),
      ['too_often', 'would repeat itself'],
    );
  });
});
