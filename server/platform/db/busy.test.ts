import assert from 'node:assert/strict';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase, urlOf } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { freePort } from '../../../test/support/free-port.ts';
import { AppError } from '../http/errors.ts';
import { createDb, type Db } from './db.ts';
import { sql } from './sql.ts';

const codeOf = (error: unknown) => {
  assert.ok(error instanceof AppError, String(error));
  return [error.status, error.code, error.retryAfterSeconds];
};
const busyAnswer = [503, 'BUSY', 2];
const away = [503, 'UNAVAILABLE', 1];

describe('a database that has too much to do', () => {
  let database: TestDatabase;
  let db: Db;
  before(async () => {
    database = await createTestDatabase();
    db = createDb({ connection: database.connection, poolSize: 1 });
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  it('503 BUSY with a clear message when no connection is free in time', async () => {
    const only = await db.connect();
    const error = await db.query(sql`select 1`).then(
      () => null,
      (reason) => reason,
    );
    assert.deepEqual(codeOf(error), busyAnswer);
    assert.equal(error.message, 'The service is busy, retry in 2 seconds');
    only.release();
  });

  it('503 BUSY also when the database is named by a connection string, as with DATABASE_URL', async () => {
    const external = createDb({ connection: { connectionString: urlOf(database.connection) }, poolSize: 1 });
    const only = await external.connect();
    await assert.rejects(external.query(sql`select 1`), (error) => {
      assert.deepEqual(codeOf(error), busyAnswer);
      return true;
    });
    only.release();
    await external.close();
  });

  it('503 BUSY for a query that takes longer than it may while the server answers', async () => {
    await assert.rejects(db.query(sql`select pg_sleep(60)`, { timeoutMs: 200 }), (error) => {
      assert.deepEqual(codeOf(error), busyAnswer);
      return true;
    });
  });

  it('503 BUSY at once when too many wait already', async () => {
    const only = await db.connect();
    let settled = 0;
    const waiting = Array.from({ length: 1_000 }, () =>
      db.query(sql`select 1`).then(
        () => settled++,
        () => settled++,
      ),
    );
    await assert.rejects(db.query(sql`select 1`), (error) => {
      assert.deepEqual(codeOf(error), busyAnswer);
      return true;
    });
    assert.equal(settled, 0, 'before any of those that wait');
    only.release();
    // On a slow machine some of these wait too long themselves.
    await Promise.all(waiting);
  });
});

describe('a database that makes no new connections', () => {
  let database: TestDatabase;
  let db: Db;
  let proxy: Server;
  const sockets = new Set<Socket>();
  /** Only the first connection gets through. */
  const forward = (socket: Socket) => {
    const isFirst = sockets.size === 0;
    sockets.add(socket.on('error', () => {}));
    if (!isFirst) return;
    const { host, port } = database.connection;
    const upstream = connect(join(host, `.s.PGSQL.${port}`)).on('error', () => {});
    sockets.add(upstream);
    socket.pipe(upstream).pipe(socket);
  };
  before(async () => {
    database = await createTestDatabase();
    proxy = createServer(forward);
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const { port } = proxy.address() as { port: number };
    db = createDb({ connection: { ...database.connection, host: '127.0.0.1', port }, poolSize: 2 });
  });
  after(async () => {
    await db.close();
    for (const socket of sockets) socket.destroy();
    proxy.close();
    await database.drop();
  });

  it('a request that waits for a new one takes one that has become free', async () => {
    const taken = await db.connect();
    const waiting = db.query<{ one: number }>(sql`select 1 as one`);
    await eventually(() => sockets.size === 3);
    taken.release();
    assert.deepEqual(await waiting, [{ one: 1 }]);
  });

  it('503 when none is free either', async () => {
    const taken = await db.connect();
    await assert.rejects(db.query(sql`select 1`), (error) => {
      assert.equal(codeOf(error)[0], 503);
      return true;
    });
    taken.release();
  });
});

describe('a database that cannot be reached', () => {
  it('503 UNAVAILABLE where nobody listens', async () => {
    const db = createDb({ connection: { host: '127.0.0.1', port: await freePort(), user: 'nobody' } });
    await assert.rejects(db.query(sql`select 1`), (error) => {
      assert.deepEqual(codeOf(error), away);
      return true;
    });
    await db.close();
  });

  it('503 UNAVAILABLE where the connection is taken and nothing ever answers', async () => {
    const sockets = new Set<Socket>();
    const server: Server = createServer((socket) => void sockets.add(socket.on('error', () => {})));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const db = createDb({ connection: { host: '127.0.0.1', port, user: 'nobody' }, poolSize: 1 });
    const errors = await Promise.all(
      [1, 2, 3].map(() =>
        db.query(sql`select 1`).then(
          () => null,
          (reason) => reason,
        ),
      ),
    );
    for (const error of errors) assert.deepEqual(codeOf(error), away);
    for (const socket of sockets) socket.destroy();
    server.close();
    await db.close();
  });
});
