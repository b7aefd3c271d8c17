import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { copyCluster } from '../test/support/cluster.ts';
import { urlOf } from '../test/support/database.ts';
import { eventually } from '../test/support/eventually.ts';
import { connectLive, type LiveClient } from '../test/support/live.ts';
import { newFolder } from '../test/support/scratch.ts';
import { password, startTestService, type TestService } from '../test/support/service.ts';
import { cellOfAccount } from './platform/cells/directory.ts';
import { startEmbeddedPostgres } from './platform/embedded-postgres/embedded-postgres.ts';

const silent = { info() {}, warn() {}, error() {} };

describe('a cell that dies while the service runs', () => {
  const dataDir = newFolder('talkboard-cell-');
  const startServer = () =>
    startEmbeddedPostgres({ dataDir, logger: silent, settings: { fsync: 'off', full_page_writes: 'off' } });
  let server: Awaited<ReturnType<typeof startServer>>;
  let service: TestService;
  let base: string;
  let home: LiveClient;
  type Account = Awaited<ReturnType<TestService['createAccount']>>;
  let inHome: Account;
  let inEu2: Account;
  let recordId: string;

  const get = async (path: string, token?: string) => {
    const answer = await fetch(
      `${base}${path}`,
      token ? { headers: { authorization: `Bearer ${token}` } } : {},
    );
    // biome-ignore lint/suspicious/noExplicitAny: asserted member by member
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any };
  };
  const createRecord = async (token: string) => {
    const [kanban] = (await service.call('GET', '/kanbans', { token })).body.items;
    return service.call('POST', '/crm/records', { token, body: { kanbanId: kanban.id, title: 'Sofa' } });
  };
  const cellStatus = async () => {
    const { status, body } = await get('/health/ready');
    assert.equal(status, 200);
    return body.cells;
  };
  const emailOf = async ({ jwt }: Account) =>
    (await service.call('GET', '/auth/me', { token: jwt })).body.user.email as string;

  before(async () => {
    copyCluster(dataDir);
    server = await startServer();
    service = await startTestService({
      worker: true,
      env: { CELLS: `eu2=${urlOf(server.connection)}`, PROCESS_ROLE: 'all' },
    });
    base = await service.app.listen({ host: '127.0.0.1', port: 0 });
    inEu2 = await service.createAccount();
    inHome = await service.createAccount();
    assert.equal(await cellOfAccount(service.context.db, inEu2.accountId), 'eu2');
    recordId = (await createRecord(inEu2.token)).body.recordId;
    home = await connectLive(`${base.replace('http', 'ws')}/ws`, service.call, inHome.jwt);
  });
  after(async () => {
    await home?.end();
    await service?.close();
    await server?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('takes its own accounts away, and nothing else', async () => {
    assert.deepEqual(await cellStatus(), [{ name: 'eu2', status: 'ok' }]);
    const [emailInEu2, emailInHome] = await Promise.all([inEu2, inHome].map(emailOf));
    await server.stop();

    const away = await get('/account', inEu2.token);
    assert.equal(away.status, 503);
    assert.ok(Number(away.headers.get('retry-after')) >= 1);
    assert.equal(away.body.code, 'UNAVAILABLE');
    assert.equal((await createRecord(inHome.token)).status, 201);
    const many = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        index % 2 === 0 ? get('/account', inHome.token) : get(`/crm/records/${recordId}`, inEu2.token),
      ),
    );
    assert.deepEqual([...new Set(many.map(({ status }, index) => `${index % 2} ${status}`))].sort(), [
      '0 200',
      '1 503',
    ]);
    assert.deepEqual(await cellStatus(), [{ name: 'eu2', status: 'unavailable' }]);

    const login = (email: string) =>
      service.call('POST', '/auth/login', { token: null, body: { email, password } });
    assert.equal((await login(emailInEu2!)).status, 503);
    assert.equal((await login(emailInHome!)).status, 200);
    const { body } = await createRecord(inHome.token);
    await home.next('record.created', ({ record }) => record.recordId === body.recordId);
    const placed = await service.createAccount();
    assert.equal(await cellOfAccount(service.context.db, placed.accountId), 'home');
  });

  it('is served again after its restart', async () => {
    server = await startServer();
    await eventually(async () => (await get('/account', inEu2.token)).status === 200, 20_000);
    assert.equal((await get(`/crm/records/${recordId}`, inEu2.token)).status, 200);
    assert.deepEqual(await cellStatus(), [{ name: 'eu2', status: 'ok' }]);
    const created = await createRecord(inEu2.token);
    assert.equal(created.status, 201);
    const found = await service.call('GET', '/crm/search?q=sofa', { token: inEu2.token });
    assert.equal(found.body.items.length, 2);
    // Its own: nothing was lost for home meanwhile.
    assert.equal(home.gaps, 0);
    assert.equal(home.closeCode, null);
  });

  it('is served again after kill -9, with what was acknowledged', async () => {
    const { body } = await createRecord(inEu2.token);
    const killed = server.pid()!;
    process.kill(killed, 'SIGKILL');
    await eventually(() => server.pid() !== killed && server.pid() !== null, 20_000);
    await eventually(
      async () => (await get(`/crm/records/${body.recordId}`, inEu2.token)).status === 200,
      20_000,
    );
    assert.equal((await createRecord(inEu2.token)).status, 201);
    assert.equal((await get('/account', inHome.token)).status, 200);
  });
});
