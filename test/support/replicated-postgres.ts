/**
 * A primary and a standby that follows it, on TCP and without passwords. The standby begins as a copy of the new
 * primary's files, so that nothing but the embedded binaries is needed.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chownSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { locateBinaries } from '../../server/platform/embedded-postgres/binaries.ts';
import { directoryArguments, spawnOptions } from '../../server/platform/embedded-postgres/cluster.ts';
import { chooseRunUser } from '../../server/platform/embedded-postgres/run-user.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { newFolder } from './scratch.ts';

export interface PostgresNode {
  port: number;
  query<R = Record<string, unknown>>(text: string, database?: string): Promise<R[]>;
  /** `SIGQUIT`: as in a crash, without its last checkpoint. */
  end(signal: NodeJS.Signals): Promise<void>;
}

export interface ReplicatedPostgres {
  primary: PostgresNode;
  standby: PostgresNode;
  /** Both, in the format of DATABASE_URL. */
  url(database: string): string;
  /** The primary acknowledges a commit when the standby has written it. */
  makeSynchronous(): Promise<void>;
  /** Resolves when the standby takes writes. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

const host = '127.0.0.1';
const user = 'postgres';

export async function startReplicatedPostgres(): Promise<ReplicatedPostgres> {
  const parent = newFolder('talkboard-replicated-');
  const runUser = await chooseRunUser(join(parent, 'absent'));
  const { initdb, postgres } = await locateBinaries(runUser);
  const dirs = [join(parent, 'primary'), join(parent, 'standby')] as const;
  const own = (path: string) => runUser.switched && chownSync(path, runUser.uid, runUser.gid);
  mkdirSync(dirs[0], { mode: 0o700 });
  for (const path of [parent, dirs[0]]) own(path);
  const place = { dir: dirs[0], user: runUser };
  const made = spawnSync(
    initdb,
    [
      ...directoryArguments(place),
      '--username',
      user,
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
    ],
    { ...spawnOptions(place), encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  cpSync(dirs[0], dirs[1], { recursive: true, mode: 0 });
  if (runUser.switched) spawnSync('chown', ['-R', `${runUser.uid}:${runUser.gid}`, dirs[1]]);
  spawnSync('chmod', ['700', dirs[1]]);
  writeFileSync(join(dirs[1], 'standby.signal'), '');
  own(join(dirs[1], 'standby.signal'));

  const children: ChildProcess[] = [];
  const start = async (dir: string, settings: Record<string, string>): Promise<PostgresNode> => {
    const port = await freePort();
    const all = {
      listen_addresses: host,
      port,
      unix_socket_directories: '',
      fsync: 'off',
      max_connections: 100,
      ...settings,
    };
    const child = spawn(
      postgres,
      [
        ...directoryArguments({ dir, user: runUser }),
        ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      { ...spawnOptions({ dir, user: runUser }), stdio: 'ignore' },
    );
    children.push(child);
    const exited = new Promise((resolve) => child.once('exit', resolve));
    const query = async <R>(text: string, database = 'postgres') => {
      const client = new pg.Client({ host, port, user, database });
      client.on('error', () => {});
      await client.connect();
      try {
        return (await client.query(text)).rows as R[];
      } finally {
        await client.end();
      }
    };
    await eventually(() => {
      if (child.exitCode !== null) throw new Error('a PostgreSQL ended while it started');
      return query('select 1').then(
        () => true,
        () => false,
      );
    }, 60_000);
    return {
      port,
      query,
      async end(signal) {
        child.kill(signal);
        await exited;
      },
    };
  };

  const primary = await start(dirs[0], {});
  const standby = await start(dirs[1], {
    primary_conninfo: `host=${host} port=${primary.port} user=${user} application_name=standby`,
  });
  const isStreaming = async () =>
    (await primary.query(`select from pg_stat_replication where state = 'streaming'`)).length === 1;
  await eventually(isStreaming, 60_000);
  return {
    primary,
    standby,
    url: (database) => `postgres://${user}@${host}:${primary.port},${host}:${standby.port}/${database}`,
    async makeSynchronous() {
      await primary.query(`alter system set synchronous_standby_names = 'standby'`);
      await primary.query('select pg_reload_conf()');
      await eventually(
        async () =>
          (await primary.query(`select from pg_stat_replication where sync_state = 'sync'`)).length === 1,
        30_000,
      );
    },
    async promote() {
      await standby.query('select pg_promote(true, 60)');
    },
    async stop() {
      for (const child of children) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        child.kill('SIGQUIT');
        await new Promise((resolve) => child.once('exit', resolve));
      }
      rmSync(parent, { recursive: true, force: true });
    },
  };
}
