import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  access,
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import {
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from '../../server/platform/embedded-postgres/embedded-postgres.ts';
import { canReadAndEnter, chooseRunUser } from '../../server/platform/embedded-postgres/run-user.ts';
import { copyFolder } from '../support/cluster.ts';

const MODULE = new URL('../../server/platform/embedded-postgres/embedded-postgres.ts', import.meta.url).href;
const isRoot = process.getuid?.() === 0;
const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const unsynced = { fsync: 'off' };

let root = '';
/** The cluster of the first test, which the later ones copy: creating one takes longer than what they look at. */
let created: string | null = null;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'pg-test-'));
});
after(async () => {
  // What a failed test leaves would keep the run open.
  for (const child of elsewhere) child.kill('SIGKILL');
  for (const pid of await processesBelow(root)) process.kill(Number(pid), 'SIGKILL');
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
});

type Target = Awaited<ReturnType<typeof startEmbeddedPostgres>>['connection'];

async function query(connection: Target, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client(connection);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function copyCluster(dataDir: string): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  if (created) copyFolder(created, join(dataDir, 'postgres'));
  return dataDir;
}

function start(dataDir: string, more: Partial<EmbeddedPostgresOptions> = {}) {
  return startEmbeddedPostgres({ dataDir, logger: quiet, settings: unsynced, ...more });
}

/** Every process, under any name, that works below the directory. */
async function processesBelow(dataDir: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const places = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  return pids.filter((_, i) => places[i]?.startsWith(`${dataDir}/`));
}

async function until<T>(what: string, probe: () => Promise<T | false>): Promise<T> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const result = await probe();
    if (result !== false) return result;
    assert.ok(Date.now() < deadline, `waited in vain for: ${what}`);
    await sleep(20);
  }
}

const elsewhere = new Set<ChildProcess>();

/** A service in a separate process, which prints its connection and then does what `then` says. */
async function startElsewhere(dataDir: string, then: string, identity: { uid?: number; gid?: number } = {}) {
  const script = `
    import { startEmbeddedPostgres } from ${JSON.stringify(MODULE)};
    const logger = { info() {}, warn() {}, error() {} };
    const dataDir = ${JSON.stringify(dataDir)};
    const server = await startEmbeddedPostgres({ dataDir, logger, settings: ${JSON.stringify(unsynced)} });
    console.log(JSON.stringify({ connection: server.connection, pid: server.pid() }));
    ${then}`;
  const child: ChildProcess = spawn(process.execPath, ['--input-type=module', '-e', script], {
    ...identity,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  elsewhere.add(child);
  let printed = '';
  let complaint = '';
  child.stdout?.on('data', (text) => {
    printed += text;
  });
  child.stderr?.on('data', (text) => {
    complaint += text;
  });
  // However long it takes: a new cluster on a busy machine needs more than ten seconds.
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', () => printed.includes('\n') && resolve());
    void ended.then(() => reject(new Error(`no service on ${dataDir}: ${complaint}`)));
  });
  const { connection, pid } = JSON.parse(printed) as { connection: Target; pid: number };
  return { child, connection, pid, ended };
}

test('a fresh directory gets a crash-safe PostgreSQL 18, and a second start finds its data', async () => {
  const dataDir = join(root, 'fresh');
  const first = await startEmbeddedPostgres({ dataDir, logger: quiet });
  const [row] = await query(
    first.connection,
    `select current_setting('server_version_num')::int / 10000 as major, current_database() as database,
       current_setting('fsync') || current_setting('full_page_writes') || current_setting('synchronous_commit') as safe,
       current_setting('listen_addresses') as tcp, current_setting('server_encoding') as encoding,
       current_setting('TimeZone') as zone, current_setting('jit') as jit, current_setting('data_checksums') as checksums,
       (select datcollate from pg_database where datname = current_database()) as collation,
       (select rolsuper from pg_roles where rolname = current_user) as superuser`,
  );
  assert.deepEqual(row, {
    major: 18,
    database: 'talkboard',
    safe: 'ononon',
    tcp: '',
    encoding: 'UTF8',
    zone: 'UTC',
    jit: 'off',
    checksums: 'on',
    collation: 'C',
    superuser: false,
  });
  for (const extension of ['pg_trgm', 'fuzzystrmatch', 'unaccent', 'btree_gin']) {
    await query(first.connection, `create extension ${extension}`);
  }
  await query(first.connection, 'create table kept as select 42 as answer');
  await first.stop();
  assert.equal(first.pid(), null);
  assert.deepEqual(await processesBelow(dataDir), []);

  const second = await startEmbeddedPostgres({ dataDir, logger: quiet });
  try {
    assert.deepEqual(await query(second.connection, 'select answer from kept'), [{ answer: 42 }]);
    await query(second.connection, 'drop table kept');
  } finally {
    await second.stop();
  }
  created = join(dataDir, 'postgres');
});

test('the server listens on a unix socket inside DATA_DIR only, closed to other users', async () => {
  const dataDir = await copyCluster(join(root, 'socket'));
  const server = await start(dataDir);
  try {
    assert.ok(server.connection.host.startsWith(dataDir));
    const inodes = new Set<string>();
    for (const descriptor of await readdir(`/proc/${server.pid()}/fd`)) {
      const target = await readlink(`/proc/${server.pid()}/fd/${descriptor}`).catch(() => '');
      inodes.add(/^socket:\[(\d+)\]$/.exec(target)?.[1] ?? '');
    }
    inodes.delete('');
    assert.ok(inodes.size > 0, 'the server has no socket at all');
    for (const table of ['tcp', 'tcp6', 'udp', 'udp6']) {
      const lines = await readFile(`/proc/net/${table}`, 'utf8').catch(() => '');
      const owned = lines.split('\n').filter((line) => inodes.has(line.trim().split(/\s+/)[9] ?? ''));
      assert.deepEqual(owned, [], `the server has a ${table} socket`);
    }
    if (isRoot) {
      const status = await readFile(`/proc/${server.pid()}/status`, 'utf8');
      assert.doesNotMatch(status, /^Uid:.*\b0\b/m, 'the server runs as root');
      assert.match(status, /^Groups:\s*$/m, 'the server kept groups of root');
      const environment = await readFile(`/proc/${server.pid()}/environ`, 'utf8');
      assert.deepEqual(
        environment
          .split('\0')
          .filter(Boolean)
          .map((each) => each.split('=')[0])
          .sort(),
        ['LC_ALL', 'PATH', 'TZ'],
      );
    }
  } finally {
    await server.stop();
  }
});

test('a killed server is started again with its committed data', async () => {
  const dataDir = await copyCluster(join(root, 'killed-server'));
  const restarted = Promise.withResolvers<void>();
  const server = await start(dataDir, { onRestart: restarted.resolve });
  try {
    await query(server.connection, 'create table kept as select 7 as answer');
    const before = server.pid();
    assert.ok(before);
    // A backend in the middle of its work, which does not notice the death of the postmaster.
    const busy = query(server.connection, 'select count(*) from generate_series(1, 1000000000)');
    const broken = assert.rejects(busy);
    await until('the busy backend', async () => {
      const rows = await query(
        server.connection,
        `select pid from pg_stat_activity where query like '%generate_series(1, 1%' and pid <> pg_backend_pid()`,
      );
      return rows.length > 0;
    });
    process.kill(before, 'SIGKILL');
    await restarted.promise;
    await broken;
    assert.notEqual(server.pid(), before);
    assert.deepEqual(await query(server.connection, 'select answer from kept'), [{ answer: 7 }]);
  } finally {
    await server.stop();
  }
  assert.deepEqual(await processesBelow(dataDir), []);
});

test('a stop that meets a restart under way leaves no process', async () => {
  const dataDir = await copyCluster(join(root, 'stop-in-restart'));
  const errors: string[] = [];
  const died = Promise.withResolvers<void>();
  const error = (_: object, message: string) => {
    errors.push(message);
    died.resolve();
  };
  const server = await start(dataDir, { logger: { ...quiet, error } });
  process.kill(server.pid() ?? 0, 'SIGKILL');
  await died.promise;
  await Promise.all([server.stop(), server.stop()]);
  assert.deepEqual(await processesBelow(dataDir), []);
  assert.deepEqual(errors, ['PostgreSQL ended unexpectedly, restarting it']);
});

test('a second service on the directory is refused with the pid of the first, which works on; once that is killed, its server is replaced, with its data', async () => {
  const dataDir = await copyCluster(join(root, 'killed-service'));
  const service = await startElsewhere(dataDir, 'setInterval(() => {}, 60_000);');
  try {
    await assert.rejects(start(dataDir), new RegExp(`in use by another.*pid ${service.child.pid},`));
    await query(service.connection, 'create table kept as select 8 as answer');
  } finally {
    service.child.kill('SIGKILL');
    await service.ended;
  }
  assert.ok((await processesBelow(dataDir)).includes(String(service.pid)), 'there was no orphan to replace');

  const warnings: object[] = [];
  const logger = { ...quiet, warn: (details: object) => void warnings.push(details) };
  const server = await start(dataDir, { logger });
  try {
    assert.notEqual(server.pid(), service.pid);
    assert.ok(!(await processesBelow(dataDir)).includes(String(service.pid)), 'the orphan still runs');
    assert.deepEqual(await query(server.connection, 'select answer from kept'), [{ answer: 8 }]);
    assert.equal(warnings.length, 1);
  } finally {
    await server.stop();
  }
});

test('a service that exits without stopping takes its server along', async () => {
  const dataDir = await copyCluster(join(root, 'exit'));
  const service = await startElsewhere(dataDir, 'process.exit(0);');
  await service.ended;
  await until('the end of the server', async () => (await processesBelow(dataDir)).length === 0);
});

test('a postmaster.pid whose number went to another program does not hinder the start', async () => {
  const dataDir = await copyCluster(join(root, 'recycled'));
  if (!created) await (await start(dataDir)).stop();
  const cluster = join(dataDir, 'postgres', 'data');
  const { uid, gid, switched } = await chooseRunUser(cluster);
  // PostgreSQL ignores a pid of another user: the other process must have the same one.
  const stranger = spawn('sleep', ['60'], { stdio: 'ignore', ...(switched ? { uid, gid } : {}) });
  try {
    const text = `${stranger.pid}\n${cluster}\n1700000000\n5432\n.\n\n  1 1\nready\n`;
    for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
      await writeFile(join(cluster, name), text, { mode: 0o600 });
      await chown(join(cluster, name), uid, gid);
    }
    const server = await start(dataDir);
    await server.stop();
    assert.equal(stranger.exitCode ?? stranger.signalCode, null, 'the stranger was killed');
  } finally {
    stranger.kill();
  }
});

test('a long path with spaces and quotes below a closed directory works after an interrupted creation, and survives a restart', async () => {
  const closed = join(root, 'closed');
  await mkdir(closed, { mode: 0o700 });
  const dataDir = join(closed, `it's a "long" path ${'with many words '.repeat(10)}`.trim(), 'data');
  assert.ok(dataDir.length > 150);
  const leftover = join(dataDir, 'postgres', 'unfinished-abcdef');
  await mkdir(leftover, { recursive: true });
  await writeFile(join(leftover, 'PG_VERSION'), '18\n');
  for (const answer of [1, 2]) {
    const server = await start(dataDir);
    try {
      assert.ok(Buffer.byteLength(`${server.connection.host}/.s.PGSQL.5432`) < 104);
      await assert.rejects(access(leftover));
      await query(server.connection, `create table kept_${answer} as select ${answer} as answer`);
      assert.deepEqual(await query(server.connection, 'select answer from kept_1'), [{ answer: 1 }]);
    } finally {
      await server.stop();
    }
  }
});

test('a directory made by another major version is refused by name, and the lock is given back', async () => {
  const dataDir = join(root, 'old');
  const cluster = join(dataDir, 'postgres', 'data');
  await mkdir(cluster, { recursive: true, mode: 0o700 });
  await writeFile(join(cluster, 'PG_VERSION'), '17\n');
  if (isRoot) await chown(cluster, 65534, 65534);
  const refusal = /made by PostgreSQL 17, .* brings PostgreSQL 18/;
  await assert.rejects(start(dataDir), refusal);
  await assert.rejects(start(dataDir), refusal);
});

test('a setting the server rejects fails the start with the words of the server', async () => {
  const dataDir = await copyCluster(join(root, 'bad-setting'));
  await assert.rejects(
    start(dataDir, { settings: { ...unsynced, shared_buffers: 'much' } }),
    /shared_buffers/,
  );
  assert.deepEqual(await processesBelow(dataDir), []);
});

test('an unprivileged service runs the server as itself', async (t) => {
  if (!isRoot) return t.skip('every test of this run is unprivileged');
  const nobody = { name: 'nobody', uid: 65534, gid: 65534, switched: true };
  for (const needed of [process.execPath, dirname(fileURLToPath(MODULE))]) {
    if (!(await canReadAndEnter(needed, nobody))) return t.skip(`${needed} is closed to other users`);
  }
  const home = join(root, 'unprivileged');
  await mkdir(home);
  await chmod(root, 0o711);
  await chown(home, 65534, 65534);
  const dataDir = join(home, 'data');
  const service = await startElsewhere(
    dataDir,
    `process.once('SIGTERM', () => server.stop()); setInterval(() => {}, 60_000).unref();`,
    { uid: 65534, gid: 65534 },
  );
  const status = await readFile(`/proc/${service.pid}/status`, 'utf8');
  assert.match(status, /^Uid:\s+65534\s+65534/m);
  assert.deepEqual(await query(service.connection, 'select 1 as one'), [{ one: 1 }]);
  service.child.kill('SIGTERM');
  const [code] = await service.ended;
  assert.equal(code, 0);
  assert.deepEqual(await processesBelow(dataDir), []);
});
