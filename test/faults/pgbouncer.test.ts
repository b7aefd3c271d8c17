/** The service behind PgBouncer in transaction mode: nothing of it may depend on a session of PostgreSQL. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { checkEngine } from '../../cli/doctor/doctor.engine.sql.ts';
import { findConnectionProblem, requireDatabase } from '../../server/platform/db/database-check.ts';
import { findWritable, serversOf } from '../../server/platform/db/servers.ts';
import { StartError } from '../../server/platform/start/start-error.ts';
import { runCli } from '../support/cli.ts';
import { bringPgBouncer, type PgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts';
import { createToken, eventually, openWorkshop, type Program, type Workshop } from './support.ts';

const brought = bringPgBouncer();
const any = bringPgBouncer({ anyVersion: true });

const skip = 'problem' in brought && `without PgBouncer: ${brought.problem}`;

describe('PgBouncer in transaction mode', { skip }, () => {
  let server: PostgresServer;
  let pooler: PgBouncer;
  let workshop: Workshop;
  let program: Program;
  let url: string;
  let auth: { authorization: string };
  before(async () => {
    workshop = openWorkshop();
    server = await startPostgresServer();
    await server.query('create database talkboard');
    pooler = await startPgBouncer((brought as { path: string }).path, server);
    url = `postgres://postgres@127.0.0.1:${pooler.port}/talkboard`;
    program = await workshop.start({ DATABASE_URL: url, SECRET_KEY: 'a key for tests that is long enough' });
    auth = { authorization: `Bearer ${await createToken(program)}` };
  });
  after(async () => {
    rmSync(`${workshop.dataDir}-backup.gz`, { force: true });
    await workshop.close();
    await pooler?.stop();
    await server?.stop();
  });

  it('migrates, creates, reads, searches and takes messages', async () => {
    const records = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        program.call(
          'POST',
          '/crm/records',
          { title: `Through ${n}`, ...(n % 2 && { channelId: 'c' }) },
          auth,
        ),
      ),
    );
    for (const { status, body } of records) assert.equal(status, 201, JSON.stringify(body));
    const reads = await Promise.all(
      records.map(({ body }) => program.call('GET', `/crm/records/${body.recordId}`, undefined, auth)),
    );
    for (const { status } of reads) assert.equal(status, 200);
    const found = await program.call('GET', '/crm/search?q=Through', undefined, auth);
    assert.equal(found.status, 200, JSON.stringify(found.body));
    const changed = await program.call(
      'PUT',
      `/crm/records/${records[0]!.body.recordId}`,
      { title: 'New' },
      auth,
    );
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    const sends = await Promise.all(
      Array.from({ length: 20 }, (_, n) => {
        const body = { fromChannelIdentifier: 'api', sessionId: `s${n % 5}`, content: 'Hello' };
        return program.call('POST', '/messages', body, auth);
      }),
    );
    for (const { status, body } of sends) assert.equal(status, 202, JSON.stringify(body));
    assert.equal((await program.call('GET', '/health/ready')).status, 200, program.output());
  });

  it('doctor sees the pooler, and finds everything that the service needs', async () => {
    const env = {
      DATABASE_URL: url,
      DATA_DIR: workshop.dataDir,
      SECRET_KEY: 'a key for tests that is long enough',
    };
    const { stdout } = await runCli(['doctor', '--json'], env);
    assert.match(JSON.parse(stdout).servers.message, /takes writes, through a pooler/);
    const engine = await runCli(['doctor', '--database', '--json'], env);
    assert.equal(engine.code, 0, engine.stdout);
  });

  it('a backup is read through it', async () => {
    const env = {
      DATABASE_URL: url,
      DATA_DIR: workshop.dataDir,
      SECRET_KEY: 'a key for tests that is long enough',
    };
    const { code, stderr } = await runCli(['backup', '--to', `${workshop.dataDir}-backup.gz`], env);
    assert.equal(code, 0, stderr);
    await eventually(
      'the service is ready',
      async () => (await program.call('GET', '/health/ready')).status === 200,
    );
  });
});

describe('a pooler that loses prepared statements', {
  skip: 'problem' in any && `without PgBouncer: ${any.problem}`,
}, () => {
  let server: PostgresServer;
  let pooler: PgBouncer;
  let connection: { connectionString: string };
  before(async () => {
    server = await startPostgresServer();
    await server.query('create database talkboard');
    pooler = await startPgBouncer((any as { path: string }).path, server, { preparedStatements: false });
    connection = { connectionString: `postgres://postgres@127.0.0.1:${pooler.port}/talkboard` };
  });
  after(async () => {
    await pooler?.stop();
    await server?.stop();
  });

  it('is refused at the start, with what to do', async () => {
    assert.equal(await findConnectionProblem(connection), null, 'it answers');
    await assert.rejects(requireDatabase(connection), (error) => {
      assert.ok(error instanceof StartError);
      assert.equal(
        error.message,
        'The database that DATABASE_URL names is behind a pooler that the service cannot use: prepared statements are ' +
          'lost between transactions. Use PgBouncer 1.21 or later with max_prepared_statements = 1000, or pool_mode = session.',
      );
      return true;
    });
  });

  it('is not approved by doctor', async () => {
    const { prepared_statements: found, version } = await checkEngine(connection);
    assert.equal(version!.status, 'ok');
    assert.deepEqual(
      [found!.status, found!.message],
      ['fail', 'prepared statements are lost between transactions'],
    );
  });

  it('is told from a server without a pooler, which a start does not try further', async () => {
    const { superuser, host, port } = server;
    const direct = { host, port, user: superuser.user, password: superuser.password, database: 'talkboard' };
    const hasPooler = async (to: object) => (await findWritable(serversOf(to), 5_000)).hasPooler;
    assert.deepEqual([await hasPooler(connection), await hasPooler(direct)], [true, false]);
    await requireDatabase(direct);
  });
});
