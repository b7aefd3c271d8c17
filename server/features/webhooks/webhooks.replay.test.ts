import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import {
  answerWith,
  type Hooks,
  hooksOf,
  type Inbox,
  loopbackAllowed,
  startInbox,
  verify,
} from '../../../test/support/webhooks.ts';
import { sql } from '../../platform/db/sql.ts';
import { newId } from '../../platform/ids.ts';

describe('holding, replaying, redelivering, testing', () => {
  let service: TestService;
  let hooks: Hooks;
  let inbox: Inbox;
  before(async () => {
    service = await joinTestService({ worker: true, env: loopbackAllowed });
    hooks = hooksOf(service);
  });
  after(() => service.close());
  beforeEach(async () => {
    inbox = await startInbox();
  });
  afterEach(async () => {
    await hooks.change(sql`delete from webhooks`);
    await inbox.close();
  });

  const patch = async (id: string, body: object) => {
    const answer = await service.call('PATCH', `/webhooks/${id}`, { body });
    assert.equal(answer.status, 200, answer.text);
  };
  const replay = (id: string, from: number, to: number) =>
    service.call('POST', `/webhooks/${id}/replay`, { body: { from, to } });
  const settled = (id: string, count: number) =>
    eventually(async () => {
      const states = await hooks.states(id);
      return states.length === count && states.every((one) => one.status === 'delivered');
    });

  it('while disabled, events are held; enabled and replayed, they arrive byte for byte with a new signature', async () => {
    const hook = await hooks.create(inbox.url(), { enabled: false });
    const records = [];
    for (let i = 0; i < 3; i++) records.push(await hooks.createRecord({ title: `Held ${i}` }));
    const held = await hooks.deliveries(hook.id);
    assert.deepEqual(
      held.map((one) => [one.status, one.attempts, one.nextAttemptAt]),
      Array(3).fill(['held', [], null]),
    );
    const frozen = await Promise.all(
      held.map(async (one) =>
        JSON.stringify((await service.call('GET', `/events/${one.eventId}`)).body.body),
      ),
    );
    const range = [records[0].createdAt, records[2].createdAt] as const;
    assert.deepEqual((await replay(hook.id, ...range)).status, 409, 'replayed while disabled');

    await patch(hook.id, { enabled: true });
    await hooks.createRecord({ title: 'Live' });
    await hooks.delivery(hook.id, 'delivered');
    assert.equal(inbox.received.length, 1, 'enabling alone sends nothing of what was held');

    const { status, body } = await replay(hook.id, ...range);
    assert.deepEqual([status, body.count], [202, 3]);
    const received = (await inbox.first(4)).slice(1);
    assert.deepEqual(received.map((one) => one.text).sort(), frozen.sort());
    for (const one of received) verify(hook.secret, one);
    await settled(hook.id, 4);
  });

  it('a replay repeats what was delivered before: same id, same bytes, fresh timestamp and signature', async () => {
    const hook = await hooks.create(inbox.url());
    const record = await hooks.createRecord();
    await settled(hook.id, 1);
    const { secret } = (await service.call('POST', `/webhooks/${hook.id}/rotate-secret`)).body;
    // The current second is over when the timestamp of a new signature differs.
    await eventually(
      () => Date.now() / 1000 >= Number(inbox.received[0]!.headers['webhook-timestamp']) + 1.05,
    );
    assert.equal((await replay(hook.id, record.createdAt, record.createdAt)).body.count, 1);
    const [first, second] = await inbox.first(2);
    assert.equal(first!.text, second!.text);
    assert.equal(first!.headers['webhook-id'], second!.headers['webhook-id']);
    assert.ok(Number(second!.headers['webhook-timestamp']) > Number(first!.headers['webhook-timestamp']));
    assert.notEqual(first!.headers['webhook-signature'], second!.headers['webhook-signature']);
    verify(secret, second!);
    await settled(hook.id, 1);
    const [delivery] = await hooks.deliveries(hook.id);
    assert.equal(delivery!.attempts.length, 2, 'the log keeps the first round');
  });

  it('the range is inclusive and only that; other webhooks are left alone', async () => {
    const hook = await hooks.create(inbox.url('/one'));
    const other = await hooks.create(inbox.url('/other'));
    const at: number[] = [];
    for (let i = 0; i < 4; i++) {
      const { createdAt } = await hooks.createRecord();
      at.push(createdAt);
      await eventually(() => service.context.clock.now() > createdAt);
    }
    await settled(hook.id, 4);
    await settled(other.id, 4);
    assert.equal((await replay(hook.id, at[1]!, at[2]!)).body.count, 2);
    assert.equal((await replay(hook.id, at[3]! + 1, at[3]! + 1_000)).body.count, 0);
    await inbox.first(10);
    await settled(hook.id, 4);
    const again = inbox.received.slice(8).map((one) => [one.path, one.body.timestamp]);
    assert.deepEqual(
      again.sort((a, b) => a[1] - b[1]),
      [
        ['/one', at[1]],
        ['/one', at[2]],
      ],
    );
  });

  it('an exhausted event begins a new round', async () => {
    inbox.answer = answerWith(500);
    const hook = await hooks.create(inbox.url());
    const record = await hooks.createRecord();
    await hooks.delivery(hook.id, 'retrying');
    await hooks.change(sql`
      update webhook_deliveries set attempts = 11, next_attempt_at = now() where webhook_id = ${hook.id}`);
    await hooks.delivery(hook.id, 'exhausted');
    await replay(hook.id, record.createdAt, record.createdAt);
    const delivery = await hooks.delivery(hook.id, 'retrying');
    assert.equal(delivery.attempts.length, 3);
    const last = delivery.attempts[2]!;
    const gap = delivery.nextAttemptAt! - last.at - last.durationMs;
    assert.ok(gap >= 4_950 && gap < 8_000, `the new round begins with ${gap} ms`);
  });

  it('400 for a range that is none', async () => {
    const hook = await hooks.create(inbox.url());
    for (const body of [
      {},
      { from: 1 },
      { from: 2, to: 1 },
      { from: '1', to: 2 },
      { from: -1, to: 2 },
      { from: 0.5, to: 2 },
    ]) {
      assert.equal((await service.call('POST', `/webhooks/${hook.id}/replay`, { body })).status, 400);
    }
  });

  it('one delivery is sent again', async () => {
    const hook = await hooks.create(inbox.url());
    await hooks.createRecord();
    await hooks.createRecord();
    await settled(hook.id, 2);
    const [, older] = await hooks.deliveries(hook.id);
    const answer = await service.call('POST', `/webhook-deliveries/${older!.id}/redeliver`);
    assert.equal(answer.status, 202);
    assert.deepEqual([answer.body.deliveryId, answer.body.eventId], [older!.id, older!.eventId]);
    const third = (await inbox.first(3))[2]!;
    assert.equal(third.headers['webhook-id'], older!.eventId);
    assert.equal(inbox.received.find((one) => one.body.id === older!.eventId)!.text, third.text);
    await settled(hook.id, 2);
    for (const id of [newId(), 'x']) {
      assert.equal((await service.call('POST', `/webhook-deliveries/${id}/redeliver`)).status, 404);
    }
    await patch(hook.id, { enabled: false });
    const refused = await service.call('POST', `/webhook-deliveries/${older!.id}/redeliver`);
    assert.deepEqual([refused.status, refused.body.code], [409, 'CONFLICT']);
  });

  it('disabling holds what waits for its next attempt, and what runs when it fails', async () => {
    inbox.answer = answerWith(500);
    const hook = await hooks.create(inbox.url());
    await hooks.createRecord();
    await hooks.delivery(hook.id, 'retrying');
    await patch(hook.id, { enabled: false });
    assert.equal((await hooks.states(hook.id))[0]!.status, 'held');

    await patch(hook.id, { enabled: true });
    let fail = () => {};
    inbox.answer = (_one, response) => {
      fail = () => response.writeHead(500).end();
    };
    await hooks.createRecord();
    await inbox.first(2);
    await patch(hook.id, { enabled: false });
    assert.equal((await hooks.states(hook.id))[0]!.status, 'pending');
    fail();
    await hooks.delivery(hook.id, 'held');
  });

  it('an event that commits just after its webhook was disabled is held, not sent', async () => {
    const hook = await hooks.create(inbox.url(), { enabled: false });
    await hooks.createRecord();
    // As left by a create whose snapshot was older than the disabling.
    await hooks.change(sql`update webhook_deliveries set status = 'pending' where webhook_id = ${hook.id}`);
    await hooks.delivery(hook.id, 'held');
    assert.deepEqual(inbox.received, []);
  });

  it('a test event arrives, also while the webhook is disabled, and is retried there', async () => {
    inbox.answer = answerWith(500);
    const hook = await hooks.create(inbox.url(), { enabled: false });
    const { eventId } = await hooks.sendTest(hook.id);
    const [received] = await inbox.first(1);
    verify(hook.secret, received!);
    assert.equal(received!.body.id, eventId);
    assert.equal(received!.body.event, 'webhook_test');
    assert.equal(received!.body.sequence, 1);
    assert.equal(received!.body.data.webhookId, hook.id);
    await hooks.delivery(hook.id, 'retrying');
    inbox.answer = answerWith(204);
    await hooks.makeDue(hook.id);
    await hooks.delivery(hook.id, 'delivered');
    assert.equal((await service.call('GET', `/webhooks/${hook.id}`)).body.enabled, false);
  });

  it('the log comes newest first, in pages, and by status', async () => {
    inbox.answer = ({ body }, response) =>
      void response.writeHead(body.data.record.title === 'bad' ? 500 : 200).end();
    const hook = await hooks.create(inbox.url());
    for (let i = 0; i < 9; i++) await hooks.createRecord({ title: i % 3 === 0 ? 'bad' : 'good' });
    await eventually(async () => (await hooks.states(hook.id)).every((one) => one.status !== 'pending'));
    const page = async (query: string) => {
      const { status, body } = await service.call('GET', `/webhooks/${hook.id}/deliveries?${query}`);
      assert.equal(status, 200);
      return body as { items: Json[]; nextToken: string | null };
    };
    const walk = async (query: string) => {
      const items: Json[] = [];
      for (let next: string | null = ''; next !== null; ) {
        const one: { items: Json[]; nextToken: string | null } = await page(
          `${query}${next && `&nextToken=${next}`}`,
        );
        items.push(...one.items);
        next = one.nextToken;
      }
      return items;
    };
    const all = await walk('limit=2');
    assert.equal(new Set(all.map((one) => one.id)).size, 9);
    const times = all.map((one) => one.createdAt);
    assert.deepEqual(
      times,
      [...times].sort((a, b) => b - a),
    );
    assert.equal((await walk('limit=2&status=retrying')).length, 3);
    assert.equal((await walk('limit=4&status=delivered')).length, 6);
    assert.equal((await walk('limit=4&status=exhausted')).length, 0);
    const { nextToken } = await page('limit=2&status=retrying');
    for (const query of [
      'status=filtered',
      'limit=0',
      'nextToken=x',
      `status=delivered&nextToken=${nextToken}`,
    ]) {
      const answer = await service.call('GET', `/webhooks/${hook.id}/deliveries?${query}`);
      assert.equal(answer.status, 400, query);
    }
  });
});
