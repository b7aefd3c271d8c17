/** What time does to the log and to failing endpoints; the days are shifted in the tables, not waited for. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { deliveryStatuses } from '../../../contract/webhooks.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';
import {
  answerWith,
  type Hooks,
  hooksOf,
  loopbackAllowed,
  startInbox,
} from '../../../test/support/webhooks.ts';
import { sql } from '../../platform/db/sql.ts';
import { disableFailing } from './webhooks.health.ts';
import { pruneWebhooks } from './webhooks.prune.ts';

const hour = 3_600_000;
const day = 24 * hour;
const url = 'https://hooks.invalid/';

describe('retention and health', () => {
  let service: TestService;
  let hooks: Hooks;
  before(async () => {
    service = await joinTestService({ worker: true, env: loopbackAllowed });
    hooks = hooksOf(service);
  });
  after(() => service.close());
  afterEach(() => hooks.change(sql`delete from webhooks`));

  const prune = () => pruneWebhooks(service.context.db, service.context.clock.now(), 2);
  const keepLog = (logDays: number) => service.call('PATCH', '/webhook-settings', { body: { logDays } });
  const age = (eventId: string, ms: number) => {
    const at = service.context.clock.now() - ms;
    return service.context.db.transaction(async (tx) => {
      await tx.query(sql`update events set created_at = ${at} where id = ${eventId}`);
      await tx.query(sql`update webhook_deliveries set created_at = ${at} where event_id = ${eventId}`);
    });
  };
  const exists = async (eventId: string) => (await service.call('GET', `/events/${eventId}`)).status === 200;
  /** An event that the webhook holds. */
  const heldEvent = async (webhookId: string) => {
    await hooks.createRecord();
    return (await hooks.deliveries(webhookId))[0]!;
  };
  const setStatus = (deliveryId: string, status: string) =>
    hooks.change(sql`update webhook_deliveries set status = ${status},
      next_attempt_at = now() + interval '1 day' where id = ${deliveryId}`);

  it('pruning removes what is older than the log and done, and never what is undelivered', async () => {
    await keepLog(7);
    const hook = await hooks.create(url);
    await hooks.change(sql`update webhooks set enabled = false where id = ${hook.id}`);
    const expected: { [status: string]: [number, boolean][] } = {
      delivered: [
        [8 * day, false],
        [6 * day, true],
      ],
      exhausted: [
        [8 * day, false],
        [6 * day, true],
      ],
      held: [
        [31 * day, false],
        [29 * day, true],
        [8 * day, true],
      ],
      pending: [[400 * day, true]],
      retrying: [[400 * day, true]],
    };
    assert.deepEqual(Object.keys(expected).sort(), [...deliveryStatuses].sort());
    const made: [string, string, number, boolean][] = [];
    for (const [status, ages] of Object.entries(expected)) {
      for (const [ms, stays] of ages) {
        const { id, eventId } = await heldEvent(hook.id);
        // A disabled webhook would have them held by the worker.
        await hooks.change(sql`update webhook_deliveries set forced = true where id = ${id}`);
        await setStatus(id, status);
        await age(eventId, ms);
        made.push([eventId, status, ms / day, stays]);
      }
    }
    const nobodys = await (async () => {
      await hooks.change(sql`update webhooks set events = '{ai_pause}'`);
      await hooks.createRecord();
      const [row] = await service.context.db.query<{ id: string }>(
        sql`select id from events e where account_id = ${service.admin.accountId}
          and not exists (select from webhook_deliveries d where d.event_id = e.id)`,
      );
      await age(row!.id, 8 * day);
      return row!.id;
    })();
    await prune();
    for (const [eventId, status, days, stays] of made) {
      assert.equal(await exists(eventId), stays, `${status}, ${days} days old`);
    }
    assert.equal(await exists(nobodys), false);
  });

  it('an event that one webhook still holds keeps the verdicts of all', async () => {
    await keepLog(7);
    const [holding, done] = [
      await hooks.create(url, { enabled: false }),
      await hooks.create(url, { enabled: false }),
    ];
    const { eventId } = await heldEvent(holding.id);
    const [delivery] = await hooks.deliveries(done.id);
    await setStatus(delivery!.id, 'delivered');
    await age(eventId, 20 * day);
    await prune();
    assert.deepEqual(await hooks.verdicts(eventId), { [holding.id]: 'held', [done.id]: 'delivered' });
    await age(eventId, 31 * day);
    await prune();
    assert.equal(await exists(eventId), false);
  });

  it('the log of another account is kept as long as that one says', async () => {
    await keepLog(1);
    const other = await service.createAccount();
    await service.call('POST', '/crm/records', { token: other.token, body: { title: 'theirs' } });
    const [row] = await service.context.db.query<{ id: string }>(
      sql`select id from events where account_id = ${other.accountId}`,
    );
    await age(row!.id, 5 * day);
    await prune();
    assert.equal((await service.call('GET', `/events/${row!.id}`, { token: other.token })).status, 200);
  });

  const setHealthy = (webhookId: string, ago: number) =>
    hooks.change(sql`
      update webhooks set healthy_at = ${service.context.clock.now() - ago} where id = ${webhookId}`);
  const isEnabled = async (webhookId: string) =>
    (await service.call('GET', `/webhooks/${webhookId}`)).body.enabled as boolean;
  const exhaust = async (webhookId: string) => {
    await hooks.createRecord();
    await hooks.delivery(webhookId, 'retrying');
    await hooks.change(sql`
      update webhook_deliveries set attempts = 11, next_attempt_at = now()
      where webhook_id = ${webhookId} and status = 'retrying'`);
    await hooks.delivery(webhookId, 'exhausted');
  };

  it('120 hours without a success and an event exhausted disable a webhook, with the reason and a notice', async (t) => {
    const inbox = await startInbox(answerWith(500));
    t.after(() => inbox.close());
    const hook = await hooks.create(inbox.url());
    await exhaust(hook.id);
    assert.equal(await isEnabled(hook.id), true, 'disabled before the 120 hours are over');
    await hooks.createRecord();
    await hooks.delivery(hook.id, 'retrying');
    await setHealthy(hook.id, 119 * hour);
    await disableFailing(service.context.db, service.context.clock.now());
    assert.equal(await isEnabled(hook.id), true);
    await setHealthy(hook.id, 120 * hour + 1);
    await hooks.createRecord();
    await hooks.change(sql`
      update webhook_deliveries set attempts = 11, next_attempt_at = now()
      where webhook_id = ${hook.id} and status in ('retrying', 'pending')`);
    const { db } = service.context;
    await eventually(
      async () =>
        (await db.query(sql`select from webhooks where id = ${hook.id} and not enabled`)).length > 0,
    );
    const { body } = await service.call('GET', `/webhooks/${hook.id}`);
    assert.equal(body.disabledReason, 'no delivery succeeded for 120 hours');
    const [notice] = (await service.call('GET', '/audit-log?limit=1')).body.items;
    assert.deepEqual([notice.action, notice.target.id], ['webhook.disabled', hook.id]);
    await hooks.createRecord();
    assert.equal((await hooks.states(hook.id))[0]!.status, 'held');
    const again = await service.call('PATCH', `/webhooks/${hook.id}`, { body: { enabled: true } });
    assert.equal(again.body.enabled, true);
    await disableFailing(db, service.context.clock.now());
    assert.equal(await isEnabled(hook.id), true, 'enabling begins the 120 hours anew');
  });

  it('the exhausted event may have come first: housekeeping disables when the 120 hours are over', async (t) => {
    const inbox = await startInbox(answerWith(500));
    t.after(() => inbox.close());
    const hook = await hooks.create(inbox.url());
    await exhaust(hook.id);
    await setHealthy(hook.id, 121 * hour);
    await disableFailing(service.context.db, service.context.clock.now());
    assert.equal(await isEnabled(hook.id), false);
  });

  it('a quiet webhook stays enabled, however long ago its last success and its last failure are', async (t) => {
    const inbox = await startInbox();
    t.after(() => inbox.close());
    const hook = await hooks.create(inbox.url());
    await hooks.createRecord();
    const { id } = await hooks.delivery(hook.id, 'delivered');
    await hooks.change(sql`
      update webhook_deliveries set status = 'exhausted', next_attempt_at = now() - interval '300 hours' where id = ${id}`);
    await setHealthy(hook.id, 200 * hour);
    await disableFailing(service.context.db, service.context.clock.now());
    assert.equal(await isEnabled(hook.id), true);
  });

  it('a success is remembered as the webhook’s health', async (t) => {
    const inbox = await startInbox();
    t.after(() => inbox.close());
    const hook = await hooks.create(inbox.url());
    await setHealthy(hook.id, 200 * hour);
    await hooks.createRecord();
    await hooks.delivery(hook.id, 'delivered');
    const [row] = await service.context.db.query<{ healthy_at: number }>(
      sql`select healthy_at from webhooks where id = ${hook.id}`,
    );
    assert.ok(Math.abs(row!.healthy_at - Date.now()) < 60_000);
  });
});
