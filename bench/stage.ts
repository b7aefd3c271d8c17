/** Everything a scenario needs, running: a durable PostgreSQL of its own, the service, the floor, the load generator. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../server/platform/embedded-postgres.ts';
import { prepareWorkspace, type Workspace } from './api.ts';
import { fillRecords } from './fill.ts';
import type { Options } from './options.ts';
import { type LoadGenerator, type Side, startFloor, startLoadGenerator, startService } from './processes.ts';
import { Random } from './random.ts';

export interface Stage {
  options: Options;
  random: Random;
  workspace: Workspace;
  /** Of the records that were there before the first request, oldest first. */
  recordIds: string[];
  pool: pg.Pool;
  service: Side;
  floor: Side;
  postgresPid: () => number | null;
  load: LoadGenerator;
  close(): Promise<void>;
}

/** The service's own default, so that neither side has more connections than the other. */
const poolSize = 16;
export const login = { email: 'bench@example.com', password: 'a password for one run' };

export async function openStage(options: Options, say: (line: string) => void): Promise<Stage> {
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const step of closers.splice(0).reverse()) await step();
  };
  try {
    return await open(options, say, closers, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(
  options: Options,
  say: (line: string) => void,
  closers: (() => unknown)[],
  close: () => Promise<void>,
): Promise<Stage> {
  const dataDir = mkdtempSync(join(tmpdir(), 'talkboard-bench-'));
  closers.push(() => rmSync(dataDir, { recursive: true, force: true }));
  const logger = {
    info() {},
    warn: (_: object, text: string) => say(text),
    error: (_: object, text: string) => say(text),
  };
  // The settings of production: fsync and synchronous_commit stay on.
  const postgres = await startEmbeddedPostgres({ dataDir, logger });
  closers.push(() => postgres.stop());
  const { connection } = postgres;
  const flags = options.profileDir ? ['--cpu-prof', `--cpu-prof-dir=${options.profileDir}`] : [];
  const service = await startService(
    {
      DATA_DIR: dataDir,
      DATABASE_URL: `postgres://${connection.user}@${encodeURIComponent(connection.host)}:${connection.port}/${connection.database}`,
      ADMIN_EMAIL: login.email,
      ADMIN_PASSWORD: login.password,
      // The receivers of webhooks are processes of this run.
      OUTBOUND_ALLOW: '127.0.0.0/8',
    },
    flags,
  );
  closers.push(() => service.stop());
  const pool = new pg.Pool({ ...connection, max: 2 });
  closers.push(() => pool.end());
  const workspace = await prepareWorkspace(service.url, login);
  const random = new Random(options.seed);
  say(`filling ${options.records} records`);
  const recordIds = await fillRecords(pool, workspace, options.records, random);
  const floor = await startFloor(connection, poolSize, flags);
  closers.push(() => floor.stop());
  const load = startLoadGenerator();
  closers.push(() => load.stop());
  return {
    options,
    random,
    workspace,
    recordIds,
    pool,
    service,
    floor,
    postgresPid: postgres.pid,
    load,
    close,
  };
}
