import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { freePort } from '../../../test/support/free-port.ts';
import {
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from '../../../test/support/replicated-postgres.ts';
import { AppError } from '../http/errors.ts';
import { requireDatabase } from './database-check.ts';
import { createDb, type Db } from './db.ts';
import { createServerSearch, findWritable, NoWritableServer, serversOf } from './servers.ts';
import { sql } from './sql.ts';

const is503 = (error: unknown) =>
  error instanceof AppError && error.status === 503 && error.retryAfterSeconds === 1;

describe('several servers in DATABASE_URL', () => {
  let servers: ReplicatedPostgres;
  let db: Db;
  const reversed = () => {
    const { primary, standby } = servers;
    return `postgres://postgres@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/postgres`;
  };
  before(async () => {
    servers = await startReplicatedPostgres();
    db = createDb({ connection: { connectionString: reversed() }, poolSize: 4 });
    await servers.primary.query('create table things (id int primary key)');
  });
  after(async () => {
    await db.close();
    await servers.stop();
  });

  const insert = (id: number) =>
    db.transaction((tx) => tx.query(sql`insert into things (id) values (${id})`));
  /** Until then nothing but 503. */
  const untilInserted = (id: number) =>
    eventually(async () => {
      const problem = await insert(id).catch((error: unknown) => error);
      const isInserted = Array.isArray(problem);
      assert.ok(isInserted || is503(problem), String(problem));
      return isInserted;
    });
  const port = async () =>
    (await db.query<{ port: number }>(sql`select inet_server_port() as port`))[0]!.port;

  it('the one that takes writes is used, wherever it is in the list', async () => {
    await insert(1);
    assert.equal(await port(), servers.primary.port);
    const { server: found } = await findWritable(
      serversOf({ connectionString: servers.url('postgres') }),
      5_000,
    );
    assert.equal(found.name, `127.0.0.1:${servers.primary.port}`);
    await requireDatabase({ connectionString: reversed() });
  });

  it('a standby alone is no database to start with, and the message says why', async () => {
    const { standby } = servers;
    const gone = await freePort();
    await assert.rejects(
      requireDatabase({ connectionString: `postgres://postgres@127.0.0.1:${standby.port}/postgres` }),
      /DATABASE_URL names cannot be used: it is a standby and takes no writes\. Check the address,/,
    );
    await assert.rejects(
      requireDatabase({
        connectionString: `postgres://postgres:secret@127.0.0.1:${standby.port},127.0.0.1:${gone}/postgres`,
      }),
      (error: Error) => {
        assert.match(error.message, new RegExp(`127\\.0\\.0\\.1:${standby.port}: it is a standby`));
        assert.match(error.message, new RegExp(`127\\.0\\.0\\.1:${gone}: connect ECONNREFUSED`));
        assert.doesNotMatch(error.message, /secret/);
        return true;
      },
    );
  });

  it('a server that rejects writes is a 503, and its connections are replaced when it takes them again', async () => {
    const pid = async () => (await db.query<{ pid: number }>(sql`select pg_backend_pid() as pid`))[0]!.pid;
    await servers.primary.query('alter database postgres set default_transaction_read_only = on');
    const before = await pid();
    await assert.rejects(
      db.transaction(async (tx) => {
        await tx.query(sql`set transaction read only`);
        await tx.query(sql`insert into things (id) values (2)`);
      }),
      is503,
    );
    // No server takes writes now: new connections find none.
    await assert.rejects(insert(2), is503);
    await servers.primary.query('alter database postgres reset default_transaction_read_only', 'template1');
    await untilInserted(2);
    assert.notEqual(await pid(), before);
  });

  it('after a promotion, requests in between are 503 and later ones reach the new primary', async () => {
    await servers.makeSynchronous();
    await insert(3);
    await servers.primary.end('SIGQUIT');
    await assert.rejects(insert(4), is503);
    await servers.promote();
    await untilInserted(5);
    assert.equal(await port(), servers.standby.port);
    const rows = await db.query<{ id: number }>(sql`select id from things order by id`);
    assert.deepEqual(
      rows.map(({ id }) => id),
      [1, 2, 3, 5],
    );
  });
});

describe('the search for the server', () => {
  it('fails with every reason, is shared by all who wait, and is not repeated at once', async () => {
    const ports = [await freePort(), await freePort()];
    const list = ports.map((port) => `127.0.0.1:${port}`).join(',');
    const search = createServerSearch(serversOf({ connectionString: `postgres://u@${list}/x` }), 1_000);
    assert.equal(search.current, null);
    const waiting = [search.locate(), search.locate()];
    assert.equal(waiting[0], waiting[1]);
    const [first, second] = await Promise.allSettled(waiting);
    assert.ok(first?.status === 'rejected' && first.reason instanceof NoWritableServer);
    for (const port of ports) assert.match(first.reason.message, new RegExp(`${port}: connect ECONNREFUSED`));
    const again = await search.locate().catch((error) => error);
    assert.equal(again, first.reason);
    assert.equal((second as PromiseRejectedResult).reason, first.reason);
  });

  it('is not needed for one server, whose connections are replaced only after it rejected a write', () => {
    const search = createServerSearch(serversOf({ host: '127.0.0.1', port: 1 }), 1_000);
    const { current } = search;
    search.lost(current);
    assert.equal(search.current, current);
    search.isReadOnly(current);
    assert.notEqual(search.current, current);
    assert.equal(search.current?.server, current?.server);
  });
});
