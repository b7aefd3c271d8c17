/** PgBouncer in transaction mode before a PostgreSQL, where a version is available that knows prepared statements. */
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { chooseRunUser } from '../../server/platform/embedded-postgres/run-user.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { findProgram, installPackage } from './packages.ts';
import type { PostgresServer } from './postgres-server.ts';

export interface PgBouncer {
  port: number;
  stop(): Promise<void>;
}

const needed = [1, 21] as const;

const isNewEnough = (text: string) => {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(text) ?? [];
  return Number(major) > needed[0] || (Number(major) === needed[0] && Number(minor) >= needed[1]);
};

/** The program, or why there is none. Only a version that can be used is installed, unless any will do. */
export function bringPgBouncer({ anyVersion = false } = {}): { path: string } | { problem: string } {
  const tooOld = (version: string) => ({
    problem: `PgBouncer ${needed.join('.')} or later is needed; here is ${version}`,
  });
  const found = findProgram('pgbouncer', '../sbin/pgbouncer');
  if (found) {
    const version = spawnSync(found, ['--version'], { encoding: 'utf8' }).stdout.split('\n')[0] ?? '';
    return anyVersion || isNewEnough(version) ? { path: found } : tooOld(version);
  }
  const policy = spawnSync('apt-cache', ['policy', 'pgbouncer'], { encoding: 'utf8' }).stdout ?? '';
  const candidate = /Candidate: (\S+)/.exec(policy)?.[1] ?? '(none)';
  if (!anyVersion && !isNewEnough(candidate)) return tooOld(`the package ${candidate}`);
  const problem = installPackage('pgbouncer');
  return problem === null ? { path: '/usr/sbin/pgbouncer' } : { problem };
}

/** Without prepared statements a new version behaves as one before 1.21. */
export async function startPgBouncer(
  path: string,
  server: PostgresServer,
  { preparedStatements = true } = {},
): Promise<PgBouncer> {
  const version = spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout;
  const statements = isNewEnough(version) ? `max_prepared_statements = ${preparedStatements ? 1000 : 0}` : '';
  const dir = mkdtempSync(join(tmpdir(), 'talkboard-pgbouncer-'));
  const user = await chooseRunUser(join(dir, 'absent'));
  const port = await freePort();
  const file = join(dir, 'pgbouncer.ini');
  const { user: role, password } = server.superuser;
  writeFileSync(
    file,
    `[databases]
* = host=${server.host} port=${server.port} user=${role} password='${password}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
${statements}
default_pool_size = 10
max_client_conn = 200
`,
  );
  if (user.switched) for (const path of [dir, file]) chownSync(path, user.uid, user.gid);
  const child = spawn(path, ['-q', file], {
    cwd: dir,
    stdio: 'ignore',
    ...(user.switched && { uid: user.uid, gid: user.gid }),
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error('PgBouncer ended while it started');
    const client = new pg.Client({ host: '127.0.0.1', port, user: role, database: 'postgres' });
    client.on('error', () => {});
    return client.connect().then(
      () => client.end().then(() => true),
      () => false,
    );
  }, 30_000);
  return {
    port,
    async stop() {
      child.kill('SIGTERM');
      await exited;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
