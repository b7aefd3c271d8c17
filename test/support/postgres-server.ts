/**
 * A PostgreSQL as an administrator runs it: on TCP, with passwords. Separate from the one that the other tests share.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { locateBinaries } from '../../server/platform/embedded-postgres/binaries.ts';
import { directoryArguments, spawnOptions } from '../../server/platform/embedded-postgres/cluster.ts';
import { chooseRunUser } from '../../server/platform/embedded-postgres/run-user.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { newFolder } from './scratch.ts';

export interface PostgresServer {
  host: string;
  port: number;
  superuser: { user: string; password: string };
  query(text: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startPostgresServer(): Promise<PostgresServer> {
  const dir = newFolder('talkboard-postgres-');
  const user = await chooseRunUser(join(dir, 'absent'));
  if (user.switched) chownSync(dir, user.uid, user.gid);
  const { initdb, postgres } = await locateBinaries(user);
  const superuser = { user: 'postgres', password: 'of the administrator' };
  const place = { dir, user };
  const passwordFile = newFolder('talkboard-password-');
  const passwordPath = join(passwordFile, 'password');
  writeFileSync(passwordPath, `${superuser.password}\n`);
  if (user.switched) for (const path of [passwordFile, passwordPath]) chownSync(path, user.uid, user.gid);
  const made = spawnSync(
    initdb,
    [
      ...directoryArguments(place),
      '--username=postgres',
      '--auth=scram-sha-256',
      `--pwfile=${passwordPath}`,
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ],
    { ...spawnOptions(place), encoding: 'utf8' },
  );
  rmSync(passwordFile, { recursive: true });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const host = '127.0.0.1';
  const port = await freePort();
  const settings = { listen_addresses: host, port, unix_socket_directories: '', fsync: 'off' };
  const server = spawn(
    postgres,
    [
      ...directoryArguments(place),
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    { ...spawnOptions(place), stdio: 'ignore' },
  );
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const query = async (text: string) => {
    const client = new pg.Client({ host, port, ...superuser, database: 'postgres' });
    await client.connect();
    await client.query(text).finally(() => client.end());
  };
  await eventually(
    () =>
      query('select 1').then(
        () => true,
        () => false,
      ),
    30_000,
  );
  return {
    host,
    port,
    superuser,
    query,
    async stop() {
      server.kill('SIGINT');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
