import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { cellOfAccount } from '../../server/platform/cells/directory.ts';
import { cancelMove, moveAccount } from '../../server/platform/cells/move/move.ts';
import type { Move } from '../../server/platform/cells/move/moves.sql.ts';
import { removeMovedAccounts } from '../../server/platform/cells/move/settle.ts';
import { findUnknownTables, readTables } from '../../server/platform/cells/move/tables.ts';
import { sql } from '../../server/platform/db/sql.ts';
import { eventually } from '../support/eventually.ts';
import { connectLive } from '../support/live.ts';
import { password, startTestService, type TestService } from '../support/service.ts';
import { type Inbox, startInbox } from '../support/webhooks.ts';

interface Own {
  accountId: string;
  jwt: string;
  token: string;
}

/** docs/cells.md */
const refusedForMs = 2_000;

describe('moving an account', () => {
  let service: TestService;
  let second: Awaited<ReturnType<TestService['startSecond']>>;
  let base: string;
  let inbox: Inbox;

  before(async () => {
    inbox = await startInbox();
    service = await startTestService({
      cells: ['eu2'],
      worker: true,
      env: { OUTBOUND_ALLOW: new URL(inbox.url()).host },
    });
    second = await service.startSecond({ PROCESS_ROLE: 'api' });
    base = await service.app.listen({ host: '127.0.0.1', port: 0 });
  });
  after(async () => {
    await second.close();
    await service.close();
    await inbox.close();
  });

  const cells = () => ({ home: service.context.db, dbOf: (cell: string) => service.contextOf(cell).db });
  const move = (accountId: string, to: string, options = {}) =>
    moveAccount({ ...cells(), accountId, to, ...options });
  const otherOf = (cell: string) => (cell === 'home' ? 'eu2' : 'home');
  const cellOf = ({ accountId }: Own) => cellOfAccount(service.context.db, accountId);
  const rowsOf = async (cell: string, accountId: string) => {
    const { db } = service.contextOf(cell);
    const counts: Record<string, number> = {};
    for (const { name, table, account } of await readTables(db)) {
      const [row] = await db.query<{ count: number }>(
        sql`select count(*)::int as count from ${table} where ${account} = ${accountId}`,
      );
      if (row!.count > 0) counts[name] = row!.count;
    }
    return counts;
  };
  const call = (own: Own, method: string, path: string, body?: object) =>
    service.call(method, path, { token: own.token, ...(body && { body }) });
  const createRecord = async (own: Own, title: string): Promise<string> => {
    const [kanban] = (await call(own, 'GET', '/kanbans')).body.items;
    const created = await call(own, 'POST', '/crm/records', { kanbanId: kanban.id, title });
    assert.equal(created.status, 201, created.text);
    return created.body.recordId;
  };

  it('knows every table', async () => {
    assert.deepEqual(await findUnknownTables(service.context.db), []);
    await service.context.db.autocommit(sql`create table forgotten (name text)`);
    assert.deepEqual(await findUnknownTables(service.context.db), ['forgotten']);
    await service.context.db.autocommit(sql`drop table forgotten`);
  });

  it('takes everything along, and each process finds it at once', async () => {
    const own = await service.createAccount();
    const from = await cellOf(own);
    const to = otherOf(from);
    await call(own, 'POST', '/webhooks', { url: inbox.url('/moved'), events: ['crm_record_created'] });
    const asAdmin = async (path: string, body: object) => {
      const created = await service.call('POST', path, { token: own.jwt, body });
      assert.equal(created.status, 201, created.text);
      return created.body.id as string;
    };
    const ruleId = await asAdmin('/automations', {
      name: 'Notes',
      enabled: true,
      trigger: { on: 'customer_message' },
      steps: [{ type: 'note', text: 'A customer wrote.' }],
    });
    await asAdmin('/sla-policies', { name: 'All', firstResponseMinutes: 60 });
    const runs = async () =>
      (await service.call('GET', `/automations/${ruleId}/runs`, { token: own.jwt })).body.items?.length;
    const first = await createRecord(own, 'Velvet sofa');
    const odd = await createRecord(own, 'He said "a\\\\b", (c, d) {e} \u{1F600} and left');
    const { db } = service.contextOf(from);
    // A JSON null is not the same as no value.
    await db.autocommit(sql`
      insert into deleted_field_values (account_id, field_id, record_id, value)
      values (${own.accountId}, gen_random_uuid(), ${odd}, 'null')`);
    const sent = await call(own, 'POST', '/messages', {
      fromChannelIdentifier: 'api',
      sessionId: 'a-customer',
      content: 'Is the velvet sofa in stock?',
    });
    assert.equal(sent.status, 202, sent.text);
    const { email } = (await service.call('GET', '/auth/me', { token: own.jwt })).body.user;
    const live = await connectLive(`${base.replace('http', 'ws')}/ws`, service.call, own.jwt);
    // Both processes have indexes.
    for (const one of [service, second]) await one.call('GET', '/crm/search?q=velvet', { token: own.token });
    const oddRecord = (await call(own, 'GET', `/crm/records/${odd}`)).body;
    const wasTold = (id: string) => inbox.received.filter(({ text }) => text.includes(id)).length;
    await eventually(() => wasTold(first) === 1 && wasTold(odd) === 1);
    await eventually(async () => {
      const { body } = await call(own, 'GET', '/channels/api/sessions/a-customer/messages');
      return (
        body.items?.some(({ role }: { role: string }) => role === 'assistant') || body.code !== undefined
      );
    });
    await eventually(async () => (await runs()) === 1);
    // Causes that no rule was for leave nothing.
    await eventually(async () => {
      const open = await db.query(sql`
        select from automation_causes where account_id = ${own.accountId} and is_open`);
      return open.length === 0;
    });
    const before = await rowsOf(from, own.accountId);

    const states: string[] = [];
    const moved = await move(own.accountId, to, { report: ({ state }: Move) => states.push(state) });
    assert.equal(moved.state, 'done');
    assert.deepEqual(
      [...new Set(states)].filter((state) => state !== 'waiting'),
      ['copying', 'checking', 'closing', 'done'],
    );
    assert.equal(await cellOf(own), to);
    assert.deepEqual((await call(own, 'GET', `/crm/records/${odd}`)).body, oddRecord);
    const overview = await service.call('GET', '/admin/cells', { token: service.admin.jwt });
    assert.equal(overview.status, 200, overview.text);
    assert.deepEqual(
      overview.body.cells.map(({ name, status }: { name: string; status: string }) => [name, status]),
      [
        ['home', 'ok'],
        ['eu2', 'ok'],
      ],
    );
    assert.equal(overview.body.moves[0].accountId, own.accountId);
    assert.equal(overview.body.moves[0].state, 'done');
    assert.equal((await service.call('GET', '/admin/cells', { token: own.jwt })).status, 403);
    for (const one of [second, service]) {
      const { body, status } = await one.call('GET', '/crm/search?q=velvet', { token: own.token });
      assert.equal(status, 200);
      assert.deepEqual(
        body.items.map(({ recordId }: { recordId: string }) => recordId),
        [first],
      );
      const found = await one.call('GET', '/messages/search?q=velvet', { token: own.token });
      assert.ok(found.body.total >= 1, found.text);
    }
    const now = await rowsOf(to, own.accountId);
    for (const [table, count] of Object.entries(before)) {
      // The name of the website is the other cell's. What is queued is worked off meanwhile.
      if (!['jobs', 'sla_passes', 'sla_queue', 'pending_replies', 'web_identifiers'].includes(table))
        assert.ok(now[table]! >= count, `${table}: ${now[table]} of ${count}`);
    }
    assert.ok(await service.login(email, password));
    // No rule ran for what was copied, and it runs for what comes.
    assert.equal(await runs(), 1);
    const more = { fromChannelIdentifier: 'api', sessionId: 'a-customer', content: 'And a velvet chair?' };
    assert.equal((await call(own, 'POST', '/messages', more)).status, 202);
    await eventually(async () => (await runs()) === 2);
    const chair = await createRecord(own, 'Velvet chair');
    const both = await second.call('GET', '/crm/search?q=velvet', { token: own.token });
    assert.equal(both.body.total, 2);
    await eventually(() => wasTold(chair) === 1);
    assert.deepEqual([first, odd].map(wasTold), [1, 1]);
    // The connection has ended, and a new one is in the new cell.
    await live.end();
    const again = await connectLive(`${base.replace('http', 'ws')}/ws`, service.call, own.jwt);
    const third = await createRecord(own, 'Velvet stool');
    await again.next('record.created', ({ record }) => record.recordId === third);
    await again.end();
    const listed = (await service.call('GET', '/admin/accounts?limit=100', { token: service.admin.jwt })).body
      .items;
    assert.equal(listed.filter(({ id }: { id: string }) => id === own.accountId).length, 1);
  });

  it('refuses accounts with an administrator of the instance, and those that are there', async () => {
    const { accountId } = service.admin;
    await assert.rejects(() => move(accountId, 'eu2'), /administrator of the instance/);
    const own = await service.createAccount();
    await assert.rejects(async () => move(own.accountId, await cellOf(own)), /is in the cell/);
    await assert.rejects(() => move('01890000-0000-7000-8000-000000000001', 'eu2'), { status: 404 });
  });

  it('is cancelled without a trace, and goes on after it was interrupted at any step', async () => {
    const own = await service.createAccount();
    const from = await cellOf(own);
    const to = otherOf(from);
    await createRecord(own, 'Marble zero');
    const interruptAt = async (state: string) => {
      const report = (one: Move) => {
        const isThere = one.state === state && (state !== 'copying' || one.tablesDone.length > 20);
        if (isThere) throw new Error(`interrupted while ${state}`);
      };
      await assert.rejects(() => move(own.accountId, to, { report }), new RegExp(`while ${state}`));
    };
    await interruptAt('checking');
    assert.ok(Object.keys(await rowsOf(to, own.accountId)).length > 5);
    await assert.rejects(
      () =>
        service
          .contextOf(to)
          .db.autocommit(sql`update records set title = 'x' where account_id = ${own.accountId}`),
      { status: 503 },
    );
    const cancelled = await cancelMove(cells(), own.accountId);
    assert.equal(cancelled.state, 'abandoned');
    assert.deepEqual(await rowsOf(to, own.accountId), {});
    assert.equal(await cellOf(own), from);

    const { db } = service.contextOf(from);
    const kept: string[] = [];
    let gone = await createRecord(own, 'Marble one');
    for (const state of ['copying', 'checking', 'waiting', 'closing']) {
      if (state === 'waiting') {
        await db.autocommit(sql`
          insert into jobs (account_id, id, kind, payload, max_attempts, lease_token, run_at)
          values (${own.accountId}, gen_random_uuid(), 'nothing', '{}', 1, gen_random_uuid(), 'infinity')`);
      }
      await interruptAt(state);
      await db.autocommit(
        sql`update jobs set run_at = now() where account_id = ${own.accountId} and kind = 'nothing'`,
      );
      kept.push(await createRecord(own, `Marble ${state}`));
      assert.equal((await call(own, 'DELETE', `/crm/records/${gone}`)).status, 200);
      gone = await createRecord(own, `Marble after ${state}`);
    }
    assert.equal((await move(own.accountId, to)).state, 'done');
    const { body } = await second.call('GET', '/crm/search?q=marble', { token: own.token });
    const found = body.items.map(({ recordId }: { recordId: string }) => recordId);
    assert.equal(found.length, kept.length + 2, 'with the first and the last one');
    assert.deepEqual(
      [...kept, gone].filter((id) => !found.includes(id)),
      [],
    );
  });

  it('is ended by the service if the command was killed after the account had left', async () => {
    const own = await service.createAccount();
    const from = await cellOf(own);
    const to = otherOf(from);
    await createRecord(own, 'Oak');
    const dbOf = (cell: string) => {
      const { db } = service.contextOf(cell);
      if (cell !== to) return db;
      // The first step after the account has left reads its users.
      const query: typeof db.query = (statement, options) =>
        statement.strings.join('').includes('select email from users')
          ? Promise.reject(new Error('killed'))
          : db.query(statement, options);
      return { ...db, query };
    };
    await assert.rejects(
      () => moveAccount({ home: service.context.db, dbOf, accountId: own.accountId, to }),
      /killed/,
    );
    const [kanban] = (await call(own, 'GET', '/kanbans')).body.items;
    assert.equal((await call(own, 'GET', '/crm/search?q=oak')).body.total, 1, 'reads are answered');
    const body = { kanbanId: kanban.id, title: 'Oak two' };
    await eventually(
      async () => (await call(own, 'POST', '/crm/records', body)).status === 201,
      refusedForMs,
    );
    assert.equal(await cellOf(own), to);
    assert.equal((await second.call('GET', '/crm/search?q=oak', { token: own.token })).body.total, 2);
    assert.equal((await move(own.accountId, to)).state, 'done');
  });

  it('says what is different, and does not move then', async () => {
    const own = await service.createAccount();
    const from = await cellOf(own);
    const to = otherOf(from);
    const id = await createRecord(own, 'Pine');
    const { db } = service.contextOf(to);
    await db.autocommit(sql`create function test_writes_another_title() returns trigger language plpgsql as
      $$ begin new.title = 'Fir'; return new; end $$`);
    await db.autocommit(sql`create trigger test_writes_another_title before insert on records
      for each row execute function test_writes_another_title()`);
    try {
      await assert.rejects(() => move(own.accountId, to), /table records are different/);
    } finally {
      await db.autocommit(sql`drop function test_writes_another_title cascade`);
    }
    assert.equal(await cellOf(own), from);
    assert.deepEqual(await rowsOf(to, own.accountId), {});
    assert.equal((await call(own, 'GET', `/crm/records/${id}`)).body.title, 'Pine');
  });

  it('loses nothing that is written meanwhile, sends everything once and answers all reads', async () => {
    const own = await service.createAccount();
    await call(own, 'POST', '/webhooks', { url: inbox.url('/load'), events: ['crm_record_created'] });
    const [kanban] = (await call(own, 'GET', '/kanbans')).body.items;
    const acknowledged = new Map<string, string>();
    let isRunning = true;
    // Of each line. Most of the time of a move is spent waiting: only around the switch there is no pause.
    let pauseMs = 100;
    const report = ({ state }: Move) => {
      pauseMs = state === 'closing' ? 0 : 100;
    };
    const failures: string[] = [];
    const write = async (line: number) => {
      for (let n = 0; isRunning; n++) {
        const title = `Item ${line}-${n}`;
        const began = performance.now();
        for (;;) {
          const one = n % 2 ? second : service;
          const answer = await one.call('POST', '/crm/records', {
            token: own.token,
            body: { kanbanId: kanban.id, title },
          });
          if (answer.status === 201) {
            acknowledged.set(answer.body.recordId, title);
            const other = one === service ? second : service;
            const read = await other.call('GET', `/crm/records/${answer.body.recordId}`, {
              token: own.token,
            });
            if (read.status !== 200) failures.push(`read ${read.status} ${read.text}`);
            break;
          }
          await sleep(5);
          if (answer.status !== 503 || answer.headers['retry-after'] === undefined)
            failures.push(`write ${answer.status} ${answer.text}`);
          if (performance.now() - began > 10_000) failures.push('refused for 10 s');
          if (failures.length > 5) return;
        }
        await sleep(pauseMs);
      }
    };
    const read = async () => {
      for (; isRunning; await sleep(pauseMs)) {
        const { status, text } = await second.call('GET', '/crm/records?limit=1', { token: own.token });
        if (status !== 200) failures.push(`list ${status} ${text}`);
        if (failures.length > 5) return;
      }
    };
    const load = Promise.all([write(1), write(2), write(3), read()]);
    const from = await cellOf(own);
    const moves = [
      await move(own.accountId, otherOf(from), { report }),
      await move(own.accountId, from, { report }),
    ];
    isRunning = false;
    await load;
    assert.deepEqual(failures, []);
    assert.ok(moves.every(({ state }) => state === 'done'));
    const found = new Map<string, string>();
    for (let next = ''; ; ) {
      const { body } = await call(own, 'GET', `/crm/records?limit=100${next}`);
      for (const { recordId, title } of body.items) found.set(recordId, title);
      if (!body.nextToken) break;
      next = `&nextToken=${body.nextToken}`;
    }
    assert.ok(acknowledged.size > 20);
    for (const [id, title] of acknowledged) assert.equal(found.get(id), title);
    const search = await second.call('GET', '/crm/search?q=item&pageSize=1', { token: own.token });
    assert.equal(search.body.total, found.size);
    const delivered = () =>
      inbox.received.filter(({ path }) => path === '/load').map(({ text }) => JSON.parse(text));
    await eventually(() => delivered().length >= found.size, 30_000);
    const ids = delivered().map((event) => event.data?.recordId ?? event.recordId ?? event.id);
    assert.equal(ids.length, new Set(ids).size, 'no delivery is sent twice');
    assert.equal(ids.length, found.size);
  });

  // The last one: it ends with no account on its way, and no table is guarded any more.
  it('leaves rows behind that nobody can write, comes back before they are removed, and they are after a day', async () => {
    const own = await service.createAccount();
    const from = await cellOf(own);
    const to = otherOf(from);
    const kept = await createRecord(own, 'Walnut table');
    const gone = await createRecord(own, 'Walnut shelf');
    await second.call('GET', '/crm/search?q=walnut', { token: own.token });
    await move(own.accountId, to);
    const old = service.contextOf(from).db;
    const change = () => old.autocommit(sql`update records set title = 'Other' where id = ${kept}`);
    await assert.rejects(change, { status: 503, code: 'UNAVAILABLE', retryAfterSeconds: 1 });
    await assert.rejects(
      () =>
        old.autocommit(sql`insert into jobs (account_id, id, kind, payload, max_attempts)
        values (${own.accountId}, gen_random_uuid(), 'reply', '{}', 1)`),
      { status: 503 },
    );
    assert.ok(Object.keys(await rowsOf(from, own.accountId)).length > 5);
    assert.equal((await call(own, 'DELETE', `/crm/records/${gone}`)).status, 200);

    await move(own.accountId, from);
    for (const one of [second, service]) {
      const { body } = await one.call('GET', '/crm/search?q=walnut', { token: own.token });
      assert.deepEqual(
        body.items.map(({ recordId }: { recordId: string }) => recordId),
        [kept],
      );
      assert.equal(body.total, 1);
    }
    await createRecord(own, 'Walnut desk');
    assert.equal((await second.call('GET', '/crm/search?q=walnut', { token: own.token })).body.total, 2);

    const left = service.contextOf(to).db;
    await removeMovedAccounts({ db: left, home: service.context.db });
    assert.ok(Object.keys(await rowsOf(to, own.accountId)).length > 5, 'not before');
    for (const name of ['home', 'eu2']) {
      await removeMovedAccounts({ db: service.contextOf(name).db, home: service.context.db }, -1);
    }
    assert.deepEqual(await rowsOf(to, own.accountId), {});
    assert.equal((await call(own, 'GET', `/crm/records/${kept}`)).status, 200);
    await eventually(async () => {
      await removeMovedAccounts({ db: left, home: service.context.db }, -1);
      const triggers = await left.query(sql`select from pg_trigger where tgname = 'guard_account_row'`);
      return triggers.length === 0;
    });
  });
});
