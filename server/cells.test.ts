import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { WebSocket } from 'ws';
import { createTestDatabase, urlOf } from '../test/support/database.ts';
import { eventually } from '../test/support/eventually.ts';
import { filesOf } from '../test/support/files.ts';
import { connectLive } from '../test/support/live.ts';
import { password, startTestService, type TestService } from '../test/support/service.ts';
import { visitorsOf } from '../test/support/visitors.ts';
import { type Inbox, startInbox } from '../test/support/webhooks.ts';
import { cellOfAccount } from './platform/cells/directory.ts';
import { sql } from './platform/db/sql.ts';
import { sha256 } from './platform/secrets/secrets.ts';

describe('an instance of two cells', () => {
  let service: TestService;
  let base: string;
  let inbox: Inbox;
  /** By cell. */
  const accounts: Record<string, { accountId: string; jwt: string; token: string }> = {};

  before(async () => {
    inbox = await startInbox();
    service = await startTestService({
      cells: ['eu2'],
      worker: true,
      env: { OUTBOUND_ALLOW: new URL(inbox.url()).host },
    });
    base = await service.app.listen({ host: '127.0.0.1', port: 0 });
    // New accounts go where there is the most room: the home cell has the first account already.
    accounts.eu2 = await service.createAccount();
    accounts.home = await service.createAccount();
  });
  after(async () => {
    await service.close();
    await inbox.close();
  });

  const onSocket = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${base}${path}`, init);
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: text.startsWith('{') ? JSON.parse(text) : text,
    };
  };

  it('has each account in one of them, and lists both', async () => {
    for (const [cell, { accountId }] of Object.entries(accounts)) {
      assert.equal(await cellOfAccount(service.context.db, accountId), cell);
      for (const name of ['home', 'eu2']) {
        const rows = await service
          .contextOf(name)
          .db.query(sql`select from users where account_id = ${accountId}`);
        assert.equal(rows.length, name === cell ? 1 : 0);
      }
    }
    const listed = await service.call('GET', '/admin/accounts', { token: service.admin.jwt });
    const ids = listed.body.items.map((one: { id: string }) => one.id);
    assert.deepEqual(ids, [...ids].sort());
    for (const { accountId } of Object.values(accounts)) assert.ok(ids.includes(accountId));
    const pages: string[] = [];
    for (let next = ''; ; ) {
      const { body } = await service.call('GET', `/admin/accounts?limit=1${next}`, {
        token: service.admin.jwt,
      });
      pages.push(...body.items.map((one: { id: string }) => one.id));
      if (!body.nextToken) break;
      next = `&nextToken=${body.nextToken}`;
    }
    assert.deepEqual(pages, ids);
  });

  for (const cell of ['home', 'eu2']) {
    describe(`an account in ${cell}`, () => {
      let own: { accountId: string; jwt: string; token: string };
      let call: TestService['call'];
      let channelId: string;
      before(async () => {
        own = accounts[cell]!;
        call = (method, path, options) => service.call(method, path, { token: own.token, ...options });
        const { items } = (await call('GET', '/channels')).body;
        channelId = items.find(({ type }: { type: string }) => type === 'web').id;
      });

      it('has a help center, whose slug no account of another cell can take', async () => {
        const slug = `help-of-${cell}`;
        const settings = { enabled: true, slug, name: `Help of ${cell}` };
        assert.equal((await call('PATCH', '/help-center', { body: settings })).status, 200);
        const other = accounts[cell === 'home' ? 'eu2' : 'home']!;
        const taken = await call('PATCH', '/help-center', { token: other.token, body: { slug } });
        assert.deepEqual([taken.status, taken.body.message], [409, 'slug is used by another account']);
        const { status, body } = await onSocket(`/help/${slug}/en/`);
        assert.equal(status, 200);
        assert.ok(body.includes(`<h1>Help of ${cell}</h1>`), body);
        assert.equal((await onSocket(`/help/${slug}-2/en/`)).status, 404);
      });

      it('signs in, renews its login and signs out', async () => {
        const { email } = (await call('GET', '/auth/me', { token: own.jwt })).body.user;
        const login = await onSocket('/auth/login', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ email: ` ${email.toUpperCase()}`, password }),
        });
        assert.equal(login.status, 200);
        assert.equal(login.body.account.id, own.accountId);
        const cookie = login.headers.get('set-cookie')!.split(';')[0]!;
        const renewed = await onSocket('/auth/refresh', { method: 'POST', headers: { cookie } });
        assert.equal(renewed.status, 200);
        assert.equal(renewed.body.account.id, own.accountId);
        const next = renewed.headers.get('set-cookie')!.split(';')[0]!;
        assert.equal(
          (await onSocket('/auth/logout', { method: 'POST', headers: { cookie: next } })).status,
          200,
        );
        assert.equal(
          (await onSocket('/auth/refresh', { method: 'POST', headers: { cookie: next } })).status,
          401,
        );
      });

      it('counts wrong passwords in the home cell', async () => {
        const { email } = (await call('GET', '/auth/me', { token: own.jwt })).body.user;
        const address = cell === 'home' ? '198.51.100.1' : '198.51.100.2';
        const login = (secret: string) =>
          service.call('POST', '/auth/login', { token: null, address, body: { email, password: secret } });
        for (let i = 0; i < 5; i++) assert.equal((await login('wrong')).status, 401);
        const refused = await login(password);
        assert.equal(refused.status, 429);
        assert.ok(Number(refused.headers['retry-after']) > 200);
        const [row] = await service.context.db.query<{ count: number }>(
          sql`select count(*)::int as count from login_failures where address = ${sha256(address)}`,
        );
        assert.equal(row!.count, 5);
      });

      it('uses tokens from before cells too', async () => {
        const old = `tb_${'a'.repeat(42)}${cell === 'home' ? '0' : '1'}`;
        await service.contextOf(cell).db.autocommit(sql`
          update api_tokens set token_hash = ${sha256(old)}
          where id = ${(await service.createToken(own.jwt)).id}`);
        const { body, status } = await call('GET', '/account', { token: old });
        assert.equal(status, 200);
        assert.equal(body.id, own.accountId);
      });

      it('finds a record that it has just created, and delivers the event', async () => {
        const webhook = { url: inbox.url(`/${cell}`), events: ['crm_record_created'] };
        assert.equal((await call('POST', '/webhooks', { body: webhook })).status, 201);
        const [kanban] = (await call('GET', '/kanbans')).body.items;
        const created = await call('POST', '/crm/records', {
          body: { kanbanId: kanban.id, title: `Velvet sofa ${cell}` },
        });
        assert.equal(created.status, 201, created.text);
        const found = await call('GET', '/crm/search?q=velvet');
        assert.deepEqual(
          found.body.items.map((one: { recordId: string }) => one.recordId),
          [created.body.recordId],
        );
        await eventually(() => inbox.received.some(({ path }) => path === `/${cell}`));
        const [delivered] = inbox.received.filter(({ path }) => path === `/${cell}`);
        assert.ok(delivered!.text.includes(created.body.recordId));
      });

      it('chats with visitors of its site', async () => {
        assert.equal((await onSocket(`/widget.js?channel=${channelId}`)).status, 200);
        const visitors = visitorsOf(base);
        const token = await visitors.guest(channelId, 'Is it in stock?');
        const [first] = await visitors.history(token);
        assert.equal(first.text, 'Is it in stock?');
        const socket = new WebSocket(`${base.replace('http', 'ws')}/widget/live?channel=${channelId}`);
        await once(socket, 'open');
        socket.send(JSON.stringify({ type: 'hello', token, position: 0, since: 0 }));
        const [data] = await once(socket, 'message');
        assert.equal(JSON.parse(String(data)).messages[0].text, 'Is it in stock?');
        socket.terminate();
      });

      it('sends live updates of its own changes', async () => {
        const url = `${base.replace('http', 'ws')}/ws`;
        const live = await connectLive(url, service.call, own.jwt);
        const [kanban] = (await call('GET', '/kanbans')).body.items;
        const { body } = await call('POST', '/crm/records', { body: { kanbanId: kanban.id, title: 'Lamp' } });
        await live.next('record.created', ({ record }) => record.recordId === body.recordId);
        await live.end();
      });

      it('stores files and serves them by their addresses', async () => {
        const files = await filesOf(service, base);
        const bytes = Buffer.from(`a file of ${cell}`);
        const file = await files.upload('text/plain', bytes, 'a.txt', { token: own.token });
        const { body } = await call('GET', `/attachments/${file.fileKey}`);
        const fetched = await files.fetchFile(body.downloadUrl);
        assert.equal(fetched.status, 200);
        assert.deepEqual(fetched.bytes, bytes);
      });

      it('receives in its test receiver', async () => {
        const { body } = await call('POST', '/webhook-inbox', { token: own.jwt });
        const { pathname } = new URL(body.url);
        const sent = await onSocket(pathname, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"a":1}',
        });
        assert.equal(sent.status, 200);
        const read = await call('GET', '/webhook-inbox', { token: own.jwt });
        assert.equal(read.body.inbox.requests.length, 1);
      });
    });
  }

  it('an e-mail address belongs to one user of the instance', async () => {
    const { email } = (await service.call('GET', '/auth/me', { token: accounts.eu2!.jwt })).body.user;
    const user = (address: string) => ({ email: address, name: 'Ana', role: 'operator', password });
    const create = (cell: string, address: string) =>
      service.call('POST', '/users', { token: accounts[cell]!.jwt, body: user(address) });
    assert.equal((await create('home', email)).status, 409);
    assert.equal((await create('eu2', service.admin.email)).status, 409);
    const both = await Promise.all([create('home', 'ana@example.com'), create('eu2', 'ana@example.com')]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409]);
    const again = await service.call('POST', '/admin/accounts', {
      token: service.admin.jwt,
      body: { name: 'Twice', adminEmail: email, adminPassword: password },
    });
    assert.equal(again.status, 409);
    const placed = await service.context.db.query(sql`select from cell_accounts`);
    assert.equal(placed.length, 1, 'nothing is left of the account that was not created');
  });

  it('creating an account again after a crash continues with it', async () => {
    const body = { name: 'Once', adminEmail: 'once@example.com', adminPassword: password };
    const headers = { 'idempotency-key': 'once' };
    const create = () => service.call('POST', '/admin/accounts', { token: service.admin.jwt, headers, body });
    await service.context.db.autocommit(sql`
      insert into cells (name, weight) values ('eu2', 1000000)
      on conflict (name) do update set weight = excluded.weight`);
    const first = await create();
    assert.equal(first.status, 201, first.text);
    const { id } = first.body.account;
    assert.equal(await cellOfAccount(service.context.db, id), 'eu2');
    // As if the process had died before the home cell's transaction was committed.
    await service.context.db.autocommit(sql`delete from idempotency_keys where key = 'once'`);
    await service.context.db.autocommit(
      sql`update cell_accounts set reserved_at = now() where account_id = ${id}`,
    );
    const again = await create();
    assert.equal(again.status, 201, again.text);
    assert.deepEqual(again.body, first.body);
    const [row] = await service.context.db.query<{ isReserved: boolean }>(
      sql`select reserved_at is not null as "isReserved" from cell_accounts where account_id = ${id}`,
    );
    assert.deepEqual(row, { isReserved: false });
    // The stored answer.
    assert.deepEqual((await create()).body, first.body);
    const placed = await service.context.db.query(
      sql`select from cell_accounts where request_hash is not null`,
    );
    assert.equal(placed.length, 1);
    await service.context.db.autocommit(sql`update cells set weight = 100`);
  });

  it('channels of another cell are in the directory, and found without it too', async () => {
    const { token, accountId } = accounts.eu2!;
    const { items } = (await service.call('GET', '/channels', { token })).body;
    const web = items.find(({ type }: { type: string }) => type === 'web');
    const isNoted = async (id: string) => {
      const [row] = await service.context.db.query<{ accountId: string }>(
        sql`select account_id as "accountId" from cell_channels where channel_id = ${id}`,
      );
      return row?.accountId === accountId;
    };
    await eventually(() => isNoted(web.id));
    const body = { name: 'Shop', identifier: 'shop', type: 'web', defaultAgentId: web.defaultAgentId };
    const created = await service.call('POST', '/channels', { token, body });
    assert.equal(created.status, 201, created.text);
    await eventually(() => isNoted(created.body.id));
    await service.context.db.autocommit(sql`delete from cell_channels`);
    const second = await service.startSecond({ PROCESS_ROLE: 'api' });
    try {
      const found = await second.call('GET', `/widget.js?channel=${created.body.id}`);
      assert.equal(found.status, 200);
      await eventually(() => isNoted(created.body.id));
    } finally {
      await second.close();
    }
  });

  it('the address of a removed user can be used in another cell', async () => {
    const body = { email: 'leo@example.com', name: 'Leo', role: 'operator', password };
    const { id } = (await service.call('POST', '/users', { token: accounts.eu2!.jwt, body })).body;
    assert.equal((await service.call('DELETE', `/users/${id}`, { token: accounts.eu2!.jwt })).status, 200);
    await service.context.db.autocommit(
      sql`update cell_emails set claimed_at = now() - interval '2 minutes' where email = 'leo@example.com'`,
    );
    assert.equal((await service.call('POST', '/users', { token: accounts.home!.jwt, body })).status, 201);
    assert.ok(await service.login('leo@example.com', password));
  });

  it('the administrator of the instance changes an account of another cell', async () => {
    const { accountId } = accounts.eu2!;
    const path = `/admin/accounts/${accountId}`;
    const changed = await service.call('PATCH', path, { token: service.admin.jwt, body: { name: 'In eu2' } });
    assert.equal(changed.status, 200);
    assert.equal(changed.body.name, 'In eu2');
    const own = await service.call('GET', '/account', { token: accounts.eu2!.token });
    assert.equal(own.body.name, 'In eu2');
  });

  it('uses the same key for web push everywhere', async () => {
    const keys = await Promise.all(
      Object.values(accounts).map(({ jwt }) => service.call('GET', '/push/key', { token: jwt })),
    );
    assert.deepEqual(keys[0]!.body, keys[1]!.body);
  });
});

describe('an instance with a cell that is away', () => {
  const absent = '01890000-0000-7000-8000-000000000001';

  it('starts, answers for the others, and lets the cell join later', async () => {
    const { connection, drop } = await createTestDatabase();
    const rename = async (from: string, to: string) => {
      const client = new pg.Client({ ...connection, database: 'postgres' });
      await client.connect();
      await client.query(`alter database ${from} rename to ${to}`);
      await client.end();
    };
    const name = connection.database;
    await rename(name, `${name}_away`);
    const service = await startTestService({
      env: { CELLS: `eu2=${urlOf(connection)}`, PROCESS_ROLE: 'api' },
    });
    try {
      const ready = () => service.call('GET', '/health/ready');
      const before = await ready();
      assert.equal(before.status, 200);
      assert.deepEqual(before.body.cells, [{ name: 'eu2', status: 'unavailable' }]);
      const own = await service.createAccount();
      assert.equal((await service.call('GET', '/account', { token: own.token })).status, 200);
      await service.context.db.autocommit(
        sql`insert into cell_accounts (account_id, cell) values (${absent}, 'eu2')`,
      );
      const base = await service.app.listen({ host: '127.0.0.1', port: 0 });
      const away = await fetch(`${base}/files/${absent}/x`);
      assert.equal(away.status, 503);
      assert.equal(away.headers.get('retry-after'), '5');
      assert.equal(((await away.json()) as { code: string }).code, 'UNAVAILABLE');
      // A token of nobody could be one of the cell that is away.
      const token = { authorization: `Bearer tb_${'x'.repeat(43)}` };
      assert.equal((await fetch(`${base}/account`, { headers: token })).status, 503);
      assert.equal((await fetch(`${base}/account`)).status, 401);

      await rename(`${name}_away`, name);
      await eventually(async () => (await ready()).body.cells[0].status === 'ok', 20_000);
      assert.equal((await fetch(`${base}/files/${absent}/x`)).status, 403);
      assert.equal((await fetch(`${base}/account`, { headers: token })).status, 401);
    } finally {
      await service.close();
      await drop();
    }
  });

  it('does not use a database that belongs to another instance', async () => {
    const other = await startTestService();
    const service = await startTestService({
      env: { CELLS: `eu2=${urlOf(other.connection)}`, PROCESS_ROLE: 'api' },
    });
    const { body } = await service.call('GET', '/health/ready');
    assert.deepEqual(body.cells, [{ name: 'eu2', status: 'unavailable' }]);
    await service.close();
    await other.close();
  });
});
