import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { webhookEvents } from '../../../contract/events.ts';
import { type Canary, startCanary } from '../../../test/support/receivers.ts';
import {
  type Json,
  joinTestService,
  startTestService,
  type TestService,
} from '../../../test/support/service.ts';
import { ssrfVectors } from '../../../test/support/ssrf-vectors.ts';
import { hooksOf } from '../../../test/support/webhooks.ts';
import { readConfig } from '../../config.ts';
import { sql } from '../../platform/db/sql.ts';
import { newId } from '../../platform/ids.ts';

const url = 'https://hooks.invalid/talkboard?key=1';
const events = ['crm_record_created'];

describe('webhook settings', () => {
  let service: TestService;
  let call: TestService['call'];
  before(async () => {
    service = await joinTestService();
    call = service.call;
  });
  after(() => service.close());

  const create = (body: object) => call('POST', '/webhooks', { body: { url, events, ...body } });
  const kanban = async () => (await call('GET', '/kanbans')).body.items[0];

  it('201 with the secret; no later answer has it', async () => {
    const board = await kanban();
    const full = {
      url,
      events: [...webhookEvents],
      kanbanIds: [board.id],
      fieldIds: [board.fields[0].id, 'title', 'status', 'assignedUserIds'],
      description: 'To the warehouse',
    };
    const created = await create(full);
    assert.equal(created.status, 201);
    const { id, secret, createdAt, updatedAt, ...rest } = created.body;
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.deepEqual(rest, { ...full, enabled: true, disabledReason: null, disabledAt: null });
    assert.equal(createdAt, updatedAt);
    const got = await call('GET', `/webhooks/${id}`);
    assert.deepEqual(got.body, { id, createdAt, updatedAt, ...rest });
    const listed = await call('GET', '/webhooks');
    assert.deepEqual(listed.body.items[0], got.body);
    const patched = await call('PATCH', `/webhooks/${id}`, { body: { description: '' } });
    for (const answer of [got, listed, patched, await call('GET', '/audit-log')]) {
      assert.equal(answer.status, 200);
      assert.ok(!answer.text.includes(secret.slice(6)), 'the secret is shown again');
    }
  });

  it('a webhook with nothing but url and events listens to all boards and fields', async () => {
    const { body } = await create({});
    assert.deepEqual([body.kanbanIds, body.fieldIds, body.description, body.enabled], [[], [], '', true]);
  });

  it('one that is created disabled says by whom and since when', async () => {
    const { body } = await create({ enabled: false });
    assert.equal(body.disabledReason, 'disabled by an administrator');
    assert.equal(body.disabledAt, body.createdAt);
  });

  it('400 names what is wrong', async () => {
    const cases: [object, RegExp][] = [
      [{ url: undefined }, /^url is required$/],
      [{ url: 5 }, /^url /],
      [{ url: 'https://hooks.invalid/'.padEnd(2_049, 'x') }, /^url /],
      [{ events: undefined }, /^events is required$/],
      [{ events: [] }, /^events /],
      [{ events: ['crm_record_created', 'nothing'] }, /^events/],
      [{ events: ['webhook_test'] }, /^events/],
      [{ events: ['message_created'] }, /^events/],
      [{ events: ['ai_pause', 'ai_pause'] }, /^events/],
      [{ kanbanIds: [newId()] }, /^kanbanIds has an unknown kanban: /],
      [{ kanbanIds: ['no id'] }, /^kanbanIds has an unknown kanban: no id$/],
      [{ fieldIds: [newId()] }, /^fieldIds has an unknown field: /],
      [{ fieldIds: ['Title'] }, /^fieldIds has an unknown field: Title$/],
      [{ enabled: 'yes' }, /^enabled /],
    ];
    const { id } = (await create({})).body;
    for (const [body, message] of cases) {
      const answers = [await create(body)];
      if (!Object.values(body).includes(undefined)) {
        answers.push(await call('PATCH', `/webhooks/${id}`, { body }));
      }
      for (const { status, body: answer } of answers) {
        assert.deepEqual([status, answer.code], [400, 'VALIDATION_FAILED'], JSON.stringify(body));
        assert.match(answer.message, message);
      }
    }
  });

  it('PATCH changes what is given and keeps the rest', async () => {
    const board = await kanban();
    const before = (await create({ kanbanIds: [board.id], description: 'x' })).body;
    const { status, body } = await call('PATCH', `/webhooks/${before.id}`, {
      body: { events: ['ai_pause'], fieldIds: ['title'] },
    });
    assert.equal(status, 200);
    const { secret, updatedAt: _old, ...same } = before;
    const { updatedAt, ...after } = body;
    assert.deepEqual(after, { ...same, events: ['ai_pause'], fieldIds: ['title'] });
    assert.ok(updatedAt >= before.updatedAt);
  });

  it('disabling gives reason and time, enabling takes both away, and repeating either changes nothing', async () => {
    const { id } = (await create({})).body;
    const patch = async (enabled: boolean) =>
      (await call('PATCH', `/webhooks/${id}`, { body: { enabled } })).body;
    const off = await patch(false);
    assert.deepEqual([off.enabled, off.disabledReason], [false, 'disabled by an administrator']);
    assert.equal((await patch(false)).disabledAt, off.disabledAt);
    const on = await patch(true);
    assert.deepEqual([on.enabled, on.disabledReason, on.disabledAt], [true, null, null]);
  });

  it('a filter that names a board or field that is gone by now may stay', async () => {
    const board = (await call('POST', '/kanbans', { body: { name: 'Short-lived' } })).body;
    const field = board.fields[0].id;
    const hook = (await create({ kanbanIds: [board.id], fieldIds: [field, 'title'] })).body;
    assert.equal((await call('DELETE', `/kanbans/${board.id}`)).status, 200);
    const patch = (body: object) => call('PATCH', `/webhooks/${hook.id}`, { body });
    assert.equal((await patch({ kanbanIds: [board.id], fieldIds: [field] })).status, 200);
    assert.equal((await patch({ kanbanIds: [] })).status, 200);
    assert.equal((await patch({ kanbanIds: [board.id] })).status, 400);
  });

  it('lists newest first in pages', async () => {
    const { token } = await service.createAccount();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      ids.unshift((await call('POST', '/webhooks', { token, body: { url, events } })).body.id);
    }
    const seen: string[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const path: string = `/webhooks?limit=2${next && `&nextToken=${next}`}`;
      const { body }: { body: Json } = await call('GET', path, { token });
      seen.push(...body.items.map((item: Json) => item.id));
      next = body.nextToken;
    }
    assert.deepEqual(seen, ids);
    assert.equal((await call('GET', '/webhooks?nextToken=abc', { token })).status, 400);
  });

  it('200 deleted, with its log; then 404 everywhere', async () => {
    const { id } = (await create({ enabled: false })).body;
    await call('POST', '/crm/records', { body: { title: 'held' } });
    const deleted = await call('DELETE', `/webhooks/${id}`);
    assert.equal(deleted.status, 200);
    assert.equal(typeof deleted.body.message, 'string');
    for (const [method, path, body] of routesOf(id)) {
      assert.equal((await call(method, path, { ...(body && { body }) })).status, 404, `${method} ${path}`);
    }
    const left = await service.context.db.query(
      sql`select 1 from webhook_deliveries where webhook_id = ${id}`,
    );
    assert.equal(left.length, 0);
  });

  const routesOf = (id: string): [string, string, object?][] => [
    ['GET', `/webhooks/${id}`],
    ['PATCH', `/webhooks/${id}`, { description: 'taken' }],
    ['DELETE', `/webhooks/${id}`],
    ['POST', `/webhooks/${id}/rotate-secret`],
    ['POST', `/webhooks/${id}/test`],
    ['POST', `/webhooks/${id}/replay`, { from: 0, to: 1 }],
    ['GET', `/webhooks/${id}/deliveries`],
  ];

  it('secrets are in the database only encrypted, wherever they pass through', async () => {
    const created = await call('POST', '/webhooks', {
      body: { url, events },
      headers: { 'idempotency-key': 'create-1' },
    });
    const rotated = await call('POST', `/webhooks/${created.body.id}/rotate-secret`, {
      headers: { 'idempotency-key': 'rotate-1' },
    });
    const secrets = [created.body.secret, rotated.body.secret].map((secret) => secret.slice(6));
    const forms = secrets.flatMap((text) => [
      text,
      Buffer.from(text, 'base64').toString('hex'),
      Buffer.from(text).toString('hex'),
    ]);
    const { db } = service.context;
    const client = await db.connect();
    try {
      const tables = await client.query(`select tablename from pg_tables where schemaname = 'public'`);
      assert.ok(tables.rows.length > 10);
      for (const { tablename } of tables.rows) {
        const { rows } = await client.query(`select t::text as row from ${tablename} t`);
        for (const { row } of rows) {
          assert.ok(!forms.some((form) => row.includes(form)), `a secret stands in ${tablename}`);
        }
      }
    } finally {
      client.release();
    }
    // The sealed text of one webhook cannot be used in the row of another.
    const [row] = await db.query<{ secret: string }>(
      sql`select secret from webhooks where id = ${created.body.id}`,
    );
    assert.throws(() => service.context.secrets.open(row!.secret, `webhook:${newId()}`));
  });

  it('GET and PATCH /webhook-settings: how long the log is kept', async () => {
    assert.deepEqual((await call('GET', '/webhook-settings')).body, { logDays: 30 });
    assert.deepEqual((await call('PATCH', '/webhook-settings', { body: { logDays: 7 } })).body, {
      logDays: 7,
    });
    assert.deepEqual((await call('GET', '/webhook-settings')).body, { logDays: 7 });
    for (const logDays of [0, 366, 1.5, '7', null]) {
      assert.equal((await call('PATCH', '/webhook-settings', { body: { logDays } })).status, 400);
    }
  });

  it('a record can be created while webhooks come and go', async () => {
    let coming = true;
    const churn = (async () => {
      while (coming) {
        const { id } = await hooksOf(service).create(url, { enabled: false });
        await call('DELETE', `/webhooks/${id}`);
      }
    })();
    const answers = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const statuses: number[] = [];
        for (let i = 0; i < 25; i++) {
          statuses.push(
            (await call('POST', '/crm/records', { body: { title: 'x' }, token: service.admin.jwt })).status,
          );
        }
        return statuses;
      }),
    );
    coming = false;
    await churn;
    assert.deepEqual(
      answers.flat().filter((status) => status !== 201),
      [],
    );
  });
});

describe('addresses that a webhook may not have', () => {
  let service: TestService;
  let canary: Canary;
  before(async () => {
    service = await joinTestService();
    canary = await startCanary();
  });
  after(async () => {
    await service.close();
    await canary.close();
  });

  it(`400 for each of ${ssrfVectors.length} forms, at create and at update, and nobody is called`, async () => {
    assert.ok(ssrfVectors.length >= 80);
    const good = await hooksOf(service).create(url);
    for (const vector of ssrfVectors) {
      const body = { url: vector.url(canary.port), events };
      const created = await service.call('POST', '/webhooks', { body });
      const changed = await service.call('PATCH', `/webhooks/${good.id}`, { body, token: service.admin.jwt });
      for (const { status, body: answer } of [created, changed]) {
        assert.deepEqual([status, answer.code], [400, 'VALIDATION_FAILED'], vector.name);
        assert.match(answer.message, /^url /, vector.name);
      }
    }
    assert.equal((await service.call('GET', `/webhooks/${good.id}`)).body.url, url);
    assert.equal((await service.call('GET', '/webhooks')).body.items.length, 1);
    assert.equal(await canary.hits(), 0);
  });

  it('a name that does not resolve is accepted', async () => {
    for (const name of ['nobody.invalid', 'hooks.nobody.invalid:8443']) {
      await hooksOf(service).create(`https://${name}/in`);
    }
  });

  it('OUTBOUND_ALLOW opens just what it names, and never link-local', async () => {
    const allowing = await startTestService({ env: { OUTBOUND_ALLOW: '127.0.0.1/32:8080, 10.1.0.0/16' } });
    try {
      const create = async (address: string) =>
        (await allowing.call('POST', '/webhooks', { body: { url: address, events } })).status;
      for (const open of [
        'http://127.0.0.1:8080/',
        'http://0x7f.1:8080/',
        'http://localhost:8080/',
        'http://10.1.2.3/',
      ]) {
        assert.equal(await create(open), 201, open);
      }
      for (const shut of [
        'http://127.0.0.1/',
        'http://127.0.0.2:8080/',
        'http://10.2.0.1/',
        'http://169.254.169.254/',
      ]) {
        assert.equal(await create(shut), 400, shut);
      }
    } finally {
      await allowing.close();
    }
    for (const range of ['169.254.0.0/16', '0.0.0.0/0', 'fe80::/10']) {
      assert.throws(() => readConfig({ OUTBOUND_ALLOW: range }), /link-local/);
    }
  });
});
