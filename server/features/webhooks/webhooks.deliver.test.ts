/** Every way a receiver may behave. The slow ones take their 15 seconds, so the tests run in parallel. */
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Delivery } from '../../../contract/webhooks.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { startRawReceiver, startReceiver } from '../../../test/support/receivers.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';
import {
  type Answering,
  answerWith,
  type Hooks,
  hooksOf,
  loopbackAllowed,
  startInbox,
  verify,
} from '../../../test/support/webhooks.ts';
import { sql } from '../../platform/db/sql.ts';
import { gaps } from './webhooks.schedule.ts';

const events = ['crm_record_created', 'crm_field_update', 'crm_record_deleted'];

describe('delivering', { concurrency: true }, () => {
  let service: TestService;
  let hooks: Hooks;
  before(async () => {
    service = await joinTestService({ worker: true, env: loopbackAllowed });
    hooks = hooksOf(service);
  });
  after(() => service.close());

  const inboxFor = async (t: TestContext, answer?: Answering) => {
    const inbox = await startInbox(answer);
    t.after(() => inbox.close());
    return inbox;
  };
  /** No record has its board: only test events come here. */
  const quietHook = async (url: string) => hooks.create(url, { events: ['note_deleted'] });
  const firstAttempt = async (url: string, status: Delivery['status'], withinMs?: number) => {
    const hook = await quietHook(url);
    await hooks.sendTest(hook.id);
    return { hook, delivery: await hooks.delivery(hook.id, status, withinMs) };
  };

  it('a change arrives signed, as frozen, with the record and its sequence', async (t) => {
    const inbox = await inboxFor(t);
    const board = (await service.call('POST', '/kanbans', { body: { name: 'Sequence' } })).body;
    const hook = await hooks.create(inbox.url(), { events, kanbanIds: [board.id] });
    const created = await service.call('POST', `/crm/records?kanbanId=${board.id}`, {
      body: { title: 'Zoë 🎉' },
    });
    const path = `/crm/records/${created.body.recordId}`;
    await service.call('PUT', path, { body: { title: 'Zoé', status: board.statuses[1].value } });
    await service.call('DELETE', path);
    const received = await inbox.first(4);
    for (const one of received) {
      verify(hook.secret, one);
      assert.equal(one.headers['webhook-id'], one.body.id);
      assert.equal(one.headers['content-type'], 'application/json');
      assert.match(String(one.headers['user-agent']), /^Talkboard\/1\.7\.\d+$/);
      const answer = await service.call('GET', `/events/${one.body.id}`);
      assert.equal(JSON.stringify(answer.body.body), one.text);
    }
    const bodies = received.map((one) => one.body).sort((a, b) => a.sequence - b.sequence);
    assert.deepEqual(
      bodies.map(({ sequence, event, data }) => [sequence, event, data.fieldId]),
      [
        [1, 'crm_record_created', undefined],
        [2, 'crm_field_update', 'title'],
        [3, 'crm_field_update', 'status'],
        [4, 'crm_record_deleted', undefined],
      ],
    );
    const [first, title] = bodies;
    assert.deepEqual(Object.keys(first), ['id', 'event', 'timestamp', 'accountId', 'sequence', 'data']);
    assert.deepEqual(first.data.record, created.body);
    assert.deepEqual([title.data.oldValue, title.data.newValue], ['Zoë 🎉', 'Zoé']);
    assert.equal(title.data.record.title, 'Zoé');
    await eventually(async () =>
      (await hooks.deliveries(hook.id)).every((one) => one.status === 'delivered'),
    );
    const log = await hooks.deliveries(hook.id);
    assert.equal(log.length, 4);
    for (const { attempts, nextAttemptAt } of log) {
      const [attempt, ...more] = attempts;
      assert.deepEqual([more, nextAttemptAt], [[], null]);
      const { at, durationMs, ...rest } = attempt!;
      assert.deepEqual(rest, { statusCode: 200, error: null, response: 'ok' });
      assert.ok(Math.abs(at - Date.now()) < 60_000 && durationMs >= 0 && durationMs < 15_000);
    }
  });

  it('500: twelve attempts of the same bytes, each in its time, then exhausted', async (t) => {
    const inbox = await inboxFor(t, answerWith(500, {}, 'broken'));
    const { hook } = await firstAttempt(inbox.url(), 'retrying');
    for (let attempt = 1; attempt < 12; attempt++) {
      const delivery = await hooks.delivery(hook.id, 'retrying');
      assert.equal(delivery.attempts.length, attempt);
      inGap(delivery, gaps[attempt]!, 1.2 * gaps[attempt]!);
      await hooks.makeDue(hook.id);
      await eventually(async () => (await hooks.states(hook.id))[0]!.made > attempt);
    }
    const [delivery] = await hooks.deliveries(hook.id);
    assert.deepEqual([delivery!.status, delivery!.nextAttemptAt], ['exhausted', null]);
    assert.equal(delivery!.attempts.length, 12);
    for (const { statusCode, error, response } of delivery!.attempts) {
      assert.deepEqual([statusCode, error, response], [500, 'answered 500', 'broken']);
    }
    assert.equal(inbox.received.length, 12);
    assert.deepEqual(new Set(inbox.received.map((one) => one.text)).size, 1);
    assert.deepEqual(new Set(inbox.received.map((one) => one.headers['webhook-id'])).size, 1);
    for (const [index, one] of inbox.received.entries()) {
      verify(hook.secret, one);
      const at = delivery!.attempts[index]!.at;
      assert.equal(one.headers['webhook-timestamp'], String(Math.floor(at / 1000)), 'not a fresh timestamp');
    }
  });

  const failures: [string, Answering, string][] = [
    ['503', answerWith(503), 'answered 503'],
    ['400', answerWith(400), 'answered 400'],
    ['304', answerWith(304), 'answered 304'],
    ['reset', (_one, response) => response.socket?.resetAndDestroy(), 'RESET: connection reset'],
    ['closing without an answer', (_one, response) => response.socket?.end(), 'RESET: '],
  ];
  for (const [name, answer, error] of failures) {
    it(`${name}: a failure, tried again after 5 s`, async (t) => {
      const inbox = await inboxFor(t, answer);
      const { delivery } = await firstAttempt(inbox.url(), 'retrying');
      assert.ok(delivery.attempts[0]!.error!.startsWith(error), delivery.attempts[0]!.error!);
      inGap(delivery, 5_000, 6_000);
    });
  }

  for (const status of [200, 201, 202, 204, 299]) {
    it(`${status}: delivered`, async (t) => {
      const inbox = await inboxFor(t, answerWith(status));
      const { delivery } = await firstAttempt(inbox.url(), 'delivered');
      assert.equal(delivery.attempts[0]!.statusCode, status);
    });
  }

  it('a redirect is a failure and is not followed', async (t) => {
    const target = await inboxFor(t);
    for (const status of [301, 302, 303, 307, 308]) {
      const inbox = await inboxFor(t, answerWith(status, { location: target.url() }));
      const { delivery } = await firstAttempt(inbox.url(), 'retrying');
      assert.equal(delivery.attempts[0]!.error, `answered ${status}`);
    }
    assert.deepEqual(target.received, []);
  });

  it('one that hangs is cut after 15 s, one that drips too', async (t) => {
    const hanging = await inboxFor(t, () => {});
    const dripping = await inboxFor(t, (_one, response) => {
      response.writeHead(200, { 'content-length': '1000000' });
      const drop = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(drop));
    });
    await Promise.all(
      [hanging, dripping].map(async (inbox) => {
        const { delivery } = await firstAttempt(inbox.url(), 'retrying', 20_000);
        const [attempt] = delivery.attempts;
        assert.deepEqual(
          [attempt!.statusCode, attempt!.error],
          [null, 'TIMEOUT: no complete answer within 15 s'],
        );
        assert.ok(attempt!.durationMs >= 15_000, `${attempt!.durationMs} ms`);
        inGap(delivery, 5_000, 6_000);
        await eventually(() => inbox.open === 0);
      }),
    );
  });

  it('a gigabyte is cut after 64 KiB; 4 KiB are kept, and the status counts', async (t) => {
    let written = 0;
    const chunk = Buffer.alloc(64 * 1024, 'y');
    const receiver = await startRawReceiver((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n');
        const pump = () => {
          do written += chunk.length;
          while (socket.writable && socket.write(chunk));
        };
        socket.on('drain', pump);
        pump();
      });
    });
    t.after(() => receiver.close());
    const { delivery } = await firstAttempt(`${receiver.origin}/`, 'delivered');
    assert.equal(delivery.attempts[0]!.response, 'y'.repeat(4_096));
    await receiver.idle();
    assert.ok(written < 64 * 1024 * 1024, `${written} bytes were written`);
  });

  it('nobody listening and a name that does not resolve are failures with their reason', async () => {
    const gone = await startReceiver(() => {});
    await gone.close();
    const refused = await firstAttempt(`${gone.origin}/`, 'retrying');
    assert.equal(refused.delivery.attempts[0]!.error, 'CONNECT: connection refused');
    const unknown = await firstAttempt('http://nobody.invalid/', 'retrying');
    assert.equal(unknown.delivery.attempts[0]!.error, 'DNS: the name does not resolve');
  });

  it('an answer is kept as text, whatever its bytes are', async (t) => {
    const inbox = await inboxFor(t, (_one, response) => response.end(Buffer.from([0x61, 0, 0xff, 0xc3])));
    const { delivery } = await firstAttempt(inbox.url(), 'delivered');
    assert.equal(delivery.attempts[0]!.response, 'a\ufffd\ufffd\ufffd');
  });

  it('429 and 503 with Retry-After: the gap is lengthened, at most to twice its length', async (t) => {
    const soon = () => new Date(Date.now() + 9_000).toUTCString();
    const cases: [string | (() => string), number, number][] = [
      ['1', 5_000, 6_000],
      ['8', 8_000, 9_600],
      ['86400', 10_000, 10_000],
      // Written when it is sent: a slow first attempt must not use up the wait.
      [soon, 7_000, 10_000],
      ['nonsense', 5_000, 6_000],
    ];
    await Promise.all(
      cases.map(async ([header, least, most], index) => {
        const inbox = await inboxFor(t, (received, response) => {
          const wait = typeof header === 'string' ? header : header();
          return answerWith(index % 2 ? 503 : 429, { 'retry-after': wait })(received, response);
        });
        const { delivery } = await firstAttempt(inbox.url(), 'retrying');
        inGap(delivery, least, most);
      }),
    );
  });

  it('410 disables the webhook with the reason, and everything for it is held', async (t) => {
    const inbox = await inboxFor(t, answerWith(410));
    const board = (await service.call('POST', '/kanbans', { body: { name: 'Gone' } })).body;
    const hook = await hooks.create(inbox.url(), { kanbanIds: [board.id] });
    const create = () => service.call('POST', `/crm/records?kanbanId=${board.id}`, { body: { title: 'x' } });
    await create();
    const { db } = service.context;
    await eventually(
      async () =>
        (await db.query(sql`select from webhooks where id = ${hook.id} and not enabled`)).length > 0,
    );
    const { body } = await service.call('GET', `/webhooks/${hook.id}`);
    assert.equal(body.disabledReason, 'the endpoint answered 410 Gone');
    assert.ok(Math.abs(body.disabledAt - Date.now()) < 60_000);
    await create();
    const log = await hooks.deliveries(hook.id);
    assert.deepEqual(
      log.map((one) => [one.status, one.attempts.length, one.nextAttemptAt]),
      [
        ['held', 0, null],
        ['held', 1, null],
      ],
    );
    const entry = (await service.call('GET', '/audit-log')).body.items.find(
      (one: { action: string; target: { id: string } }) =>
        one.action === 'webhook.disabled' && one.target.id === hook.id,
    );
    assert.equal(entry.changes.reason, 'the endpoint answered 410 Gone');
  });

  it('a webhook deleted while its call runs leaves nothing behind and disturbs nobody', async (t) => {
    let release = () => {};
    const inbox = await inboxFor(t, (_one, response) => {
      release = () => response.end();
    });
    const hook = await quietHook(inbox.url());
    const { eventId } = await hooks.sendTest(hook.id);
    await inbox.first(1);
    assert.equal((await service.call('DELETE', `/webhooks/${hook.id}`)).status, 200);
    release();
    const next = await inboxFor(t);
    await firstAttempt(next.url(), 'delivered');
    assert.equal((await hooks.verdicts(eventId))[hook.id], undefined);
    const left = await service.context.db.query(
      sql`select 1 from webhook_deliveries where webhook_id = ${hook.id}`,
    );
    assert.deepEqual(left, []);
  });

  it('a secret that cannot be read fails the attempt, and the others are delivered', async (t) => {
    const inbox = await inboxFor(t);
    const hook = await quietHook(inbox.url());
    await hooks.change(sql`update webhooks set secret = 'bm90aGluZw' where id = ${hook.id}`);
    await hooks.sendTest(hook.id);
    const { attempts } = await hooks.delivery(hook.id, 'retrying');
    assert.equal(attempts[0]!.error, 'the secret cannot be read with this SECRET_KEY');
    await firstAttempt(inbox.url(), 'delivered');
  });

  it('after a rotation every earlier secret signs along for its 24 hours', async (t) => {
    const inbox = await inboxFor(t);
    const hook = await quietHook(inbox.url());
    const rotate = async () =>
      (await service.call('POST', `/webhooks/${hook.id}/rotate-secret`)).body.secret as string;
    const secrets = [hook.secret, await rotate(), await rotate()];
    await hooks.sendTest(hook.id);
    const [first] = await inbox.first(1);
    assert.equal(String(first!.headers['webhook-signature']).split(' ').length, 3);
    for (const secret of secrets) verify(secret, first!);
    // 24 hours after the first rotation, which is not yet 24 hours after the second.
    const expire = (which: number) =>
      hooks.change(sql`
        update webhooks set previous_secrets = jsonb_set(previous_secrets, array[${String(which)}, 'until'], '1')
        where id = ${hook.id}`);
    const [row] = await service.context.db.query<{ until: number[] }>(sql`
      select array(select (p->>'until')::float8 from jsonb_array_elements(previous_secrets) p) as until
      from webhooks where id = ${hook.id}`);
    for (const until of row!.until) assert.ok(Math.abs(until - Date.now() - 86_400_000) < 60_000);
    await expire(1);
    await hooks.sendTest(hook.id);
    const [, second] = await inbox.first(2);
    assert.throws(() => verify(secrets[0]!, second!));
    verify(secrets[1]!, second!);
    verify(secrets[2]!, second!);
    await expire(0);
    await hooks.sendTest(hook.id);
    const [, , third] = await inbox.first(3);
    assert.throws(() => verify(secrets[1]!, third!));
    verify(secrets[2]!, third!);
    const log = await service.call('GET', `/webhooks/${hook.id}/deliveries`);
    for (const secret of secrets) assert.ok(!log.text.includes(secret.slice(6)));
  });
});

/** The next attempt is due this long after the last one ended; the commit of its result takes a moment too. */
function inGap({ attempts, nextAttemptAt }: Delivery, least: number, most: number): void {
  const last = attempts.at(-1)!;
  const gap = nextAttemptAt! - (last.at + last.durationMs);
  assert.ok(gap >= least - 50 && gap <= most + 2_000, `${gap} ms is not within ${least} to ${most}`);
}
