/** Everything a scenario needs, running: a durable PostgreSQL, the service, the floor, the load generator. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../server/platform/embedded-postgres/embedded-postgres.ts';
import { ADMIN_ROLE } from '../server/platform/embedded-postgres/settings.ts';
import { type CorpusWorkspace, prepareCorpusWorkspace, prepareWorkspace, type Workspace } from './api.ts';
import { type Corpus, customers } from './corpus/corpora.ts';
import { createFloorTables, fillCorpus, fillRecords } from './corpus/fill.ts';
import { Random } from './corpus/random.ts';
import type { Options } from './options.ts';
import { type LoadGenerator, type Side, startFloor, startLoadGenerator, startService } from './processes.ts';

export interface Stage {
  options: Options;
  say: (line: string) => void;
  random: Random;
  workspace: Workspace;
  /** Of the records that existed before the first request, oldest first. */
  recordIds: string[];
  pool: pg.Pool;
  connection: pg.PoolConfig;
  service: Side;
  /** Of the service and its PostgreSQL. */
  dataDir: string;
  floor: Side;
  postgresPid: () => number | null;
  load: LoadGenerator;
  /** An account with a corpus (`customers` if none is named), filled at the first call. */
  corpus(texts?: Corpus): Promise<CorpusWorkspace & { recordIds: string[] }>;
  /** One more database of the same PostgreSQL. */
  createDatabase(name: string): Promise<void>;
  /** A second service on a second database of the same PostgreSQL, empty. */
  startTwin(name: string, how?: TwinOptions): Promise<Twin>;
  /** One more process on the database of a twin. */
  startBeside(name: string, how?: TwinOptions): Promise<Side>;
  /** Runs at the end, last first. */
  onClose(step: () => unknown): void;
  close(): Promise<void>;
}

interface TwinOptions {
  /** `api`: without background work. */
  role?: 'all' | 'api';
  /** The checkout that it runs from, instead of this one. */
  folder?: string;
  env?: Record<string, string>;
}

export interface Twin {
  service: Side;
  workspace: Workspace;
  pool: pg.Pool;
}

/** The service's default, so that both sides have the same number of connections. */
const poolSize = 16;
export const login = { email: 'bench@example.com', password: 'a password for one run' };

export async function openStage(
  options: Options,
  say: (line: string) => void,
  records = options.records,
): Promise<Stage> {
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const step of closers.splice(0).reverse()) await step();
  };
  try {
    return await open({ options, say, records, onClose: (step) => closers.push(step), close });
  } catch (error) {
    await close();
    throw error;
  }
}

interface Opening extends Pick<Stage, 'options' | 'say' | 'onClose' | 'close'> {
  records: number;
}

async function open({ options, say, records, onClose, close }: Opening): Promise<Stage> {
  const temporaryDir = () => {
    const dir = mkdtempSync(join(tmpdir(), 'talkboard-bench-'));
    onClose(() => rmSync(dir, { recursive: true, force: true }));
    return dir;
  };
  const dataDir = temporaryDir();
  const logger = {
    info() {},
    warn: (_: object, text: string) => say(text),
    error: (_: object, text: string) => say(text),
  };
  // The settings of production: fsync and synchronous_commit stay on.
  const postgres = await startEmbeddedPostgres({ dataDir, logger });
  onClose(() => postgres.stop());
  const { connection } = postgres;
  const flags = options.profileDir ? ['--cpu-prof', `--cpu-prof-dir=${options.profileDir}`] : [];

  const startProcess = async (database: string, serviceDir: string, how: TwinOptions): Promise<Side> => {
    const service = await startService(
      {
        DATA_DIR: serviceDir,
        DATABASE_URL: `postgres://${connection.user}@${encodeURIComponent(connection.host)}:${connection.port}/${database}`,
        ADMIN_EMAIL: login.email,
        ADMIN_PASSWORD: login.password,
        PROCESS_ROLE: how.role ?? 'all',
        // The receivers of webhooks are processes of this run.
        OUTBOUND_ALLOW: '127.0.0.0/8',
        ...how.env,
      },
      flags,
      how.folder,
    );
    onClose(() => service.stop());
    return service;
  };
  const startOn = async (database: string, serviceDir: string, how: TwinOptions = {}): Promise<Twin> => {
    const service = await startProcess(database, serviceDir, how);
    const pool = new pg.Pool({ ...connection, database, max: 2 });
    onClose(() => pool.end());
    return { service, pool, workspace: await prepareWorkspace(service.url, login) };
  };

  const { service, pool, workspace } = await startOn(connection.database, dataDir);
  const random = new Random(options.seed);
  say(`filling ${records} records`);
  const recordIds = await fillRecords(pool, workspace, records, random);
  await createFloorTables(pool);
  const floor = await startFloor(connection, poolSize, flags);
  onClose(() => floor.stop());
  const load = startLoadGenerator();
  onClose(() => load.stop());

  const openCorpus = async (texts: Corpus) => {
    const { seed } = options;
    say(`filling ${options.records} records of the corpus ${texts.name}`);
    const made = await prepareCorpusWorkspace(service.url, workspace.jwt, seed, undefined, texts);
    return { ...made, recordIds: await fillCorpus(pool, made, seed, options.records, undefined, texts) };
  };
  const opened = new Map<string, ReturnType<typeof openCorpus>>();
  const createDatabase = async (name: string) => {
    const admin = new pg.Client({ ...connection, user: ADMIN_ROLE });
    await admin.connect();
    await admin.query(`create database ${name} owner ${connection.user}`).finally(() => admin.end());
  };
  return {
    options,
    say,
    random,
    workspace,
    recordIds,
    pool,
    connection,
    service,
    dataDir,
    floor,
    postgresPid: postgres.pid,
    load,
    corpus(texts = customers) {
      const corpus = opened.get(texts.name) ?? openCorpus(texts);
      opened.set(texts.name, corpus);
      return corpus;
    },
    createDatabase,
    async startTwin(name, how) {
      await createDatabase(name);
      return startOn(name, temporaryDir(), how);
    },
    startBeside: (name, how = {}) => startProcess(name, temporaryDir(), how),
    onClose,
    close,
  };
}
