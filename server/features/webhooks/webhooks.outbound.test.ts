/** Whatever is in the table, no call reaches an address that is not public. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { type Canary, startCanary } from '../../../test/support/receivers.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';
import { ssrfVectors } from '../../../test/support/ssrf-vectors.ts';
import { answerWith, attemptsMade, type Hooks, hooksOf, startInbox } from '../../../test/support/webhooks.ts';
import { sql } from '../../platform/db/sql.ts';
import { parseOutboundAllow } from '../../platform/outbound/outbound-address.ts';
import { createSafeFetch } from '../../platform/outbound/safe-fetch.ts';
import { startDeliverer } from './webhooks.deliver.ts';

describe('addresses at delivery', () => {
  let service: TestService;
  let hooks: Hooks;
  let canary: Canary;
  before(async () => {
    service = await joinTestService();
    hooks = hooksOf(service);
    canary = await startCanary();
  });
  after(async () => {
    await service.close();
    await canary.close();
  });

  it(`each of ${ssrfVectors.length} forms is refused at the connection too`, async (t) => {
    const names = new Map<string, string>();
    for (const vector of ssrfVectors) {
      const url = vector.url(canary.port);
      // PostgreSQL stores no NUL, so this one cannot even be smuggled in.
      if (url.includes('\0')) continue;
      names.set(await hooks.insert(url, 'webhook'), vector.name);
    }
    assert.ok(names.size >= 80);
    await hooks.createRecord();
    const deliverer = startDeliverer(service.context);
    t.after(() => deliverer.stop());
    const { db } = service.context;
    const own = sql`account_id = ${service.admin.accountId}`;
    await eventually(
      async () =>
        (await db.query(sql`select from webhook_deliveries where status = 'pending' and ${own}`)).length ===
        0,
      30_000,
    );
    const attempts = await db.query<{ webhook_id: string; error: string; status: string }>(sql`
      select d.webhook_id, d.status, a.error from (${attemptsMade}) a join webhook_deliveries d on d.id = a.delivery_id
      where ${own}`);
    assert.equal(attempts.length, names.size);
    for (const { webhook_id, error, status } of attempts) {
      assert.match(error, /^ADDRESS_REFUSED: /, names.get(webhook_id));
      assert.equal(status, 'retrying');
    }
    assert.equal(await canary.hits(), 0);
    await hooks.change(sql`delete from webhooks`);
  });

  it('a name that answers with another address after the configuration is refused, also beside a public one', async (t) => {
    const answers = [
      ['127.0.0.1'],
      ['93.184.216.34', '127.0.0.1'],
      ['::ffff:127.0.0.1'],
      ['::1', '127.0.0.1'],
    ];
    let asked = 0;
    const safeFetch = createSafeFetch({
      allow: parseOutboundAllow(''),
      lookup: async () =>
        answers[asked++ % answers.length]!.map((address) => ({
          address,
          family: address.includes(':') ? 6 : 4,
        })),
    });
    const deliverer = startDeliverer({ ...service.context, safeFetch });
    t.after(async () => {
      await deliverer.stop();
      await safeFetch.close();
    });
    const { id } = await hooks.create(`http://rebinding.invalid:${canary.port}/`);
    await hooks.createRecord();
    for (let attempt = 1; attempt <= answers.length; attempt++) {
      await eventually(async () => (await hooks.states(id))[0]!.made === attempt);
      await hooks.makeDue(id);
    }
    const [delivery] = await hooks.deliveries(id);
    for (const { error } of delivery!.attempts) assert.match(String(error), /^ADDRESS_REFUSED: /);
    assert.ok(asked >= answers.length);
    assert.equal(await canary.hits(), 0);
    await hooks.change(sql`delete from webhooks`);
  });

  it('a redirect to a private address is not followed', async (t) => {
    const inbox = await startInbox(answerWith(307, { location: `http://127.0.0.1:${canary.port}/` }));
    const safeFetch = createSafeFetch({
      allow: parseOutboundAllow(`127.0.0.1/32:${new URL(inbox.url()).port}`),
    });
    const deliverer = startDeliverer({ ...service.context, safeFetch });
    t.after(async () => {
      await deliverer.stop();
      await safeFetch.close();
      await inbox.close();
    });
    const id = await hooks.insert(inbox.url(), 'webhook');
    await hooks.createRecord();
    const { attempts } = await hooks.delivery(id, 'retrying');
    assert.deepEqual([attempts[0]!.statusCode, attempts[0]!.error], [307, 'answered 307']);
    assert.equal(await canary.hits(), 0);
  });
});
