/**
 * Finds the server that takes writes among those of DATABASE_URL. All are asked at once. Where two take writes, as when
 * an old primary came back beside the one that was promoted, the later timeline wins.
 */
import pg from 'pg';
import { reasonOf } from '../start/start-error.ts';
import { parseDatabaseUrl } from './database-url.ts';

export interface Server {
  name: string;
  connection: pg.ClientConfig;
}

/** A server in use. A new object for every change, so that connections made before differ from later ones. */
export interface Located {
  server: Server;
}

export interface ServerSearch {
  /** Null: not known right now. */
  readonly current: Located | null;
  /** The current one, or the last one before the search. */
  readonly latest: Located;
  /** Fails with NoWritableServer, at once if the last search has just failed. */
  locate(): Promise<Located>;
  /** A connection broke or could not be made: the server is checked before it is used again. */
  lost(located: Located | null | undefined): void;
  /** It rejected a write: none of its connections is used again. */
  isReadOnly(located: Located | null | undefined): void;
}

/** SQLSTATE of a standby, or of a server that was set to read-only. */
export const readOnlyCode = '25006';
const fullCode = '53300';
/** After the first server that takes writes, the others may still answer for this long. */
const othersMs = 200;
const searchEveryMs = 200;

export class NoWritableServer extends Error {
  /** As the driver has it: no connection, or a server without a free one. */
  readonly code: string;

  constructor(message: string, code = '08001') {
    super(message);
    this.code = code;
  }
}

export function serversOf(connection: pg.ClientConfig): Server[] {
  const { connectionString } = connection;
  if (!connectionString) {
    return [{ name: `${connection.host ?? 'localhost'}:${connection.port ?? 5432}`, connection }];
  }
  return parseDatabaseUrl(connectionString).map(({ name, url }) => ({
    name,
    connection: { ...connection, connectionString: url },
  }));
}

export interface Writable {
  server: Server;
  timeline: number;
  /** The backend is not the one that was connected to. */
  hasPooler: boolean;
}

export async function findWritable(servers: readonly Server[], withinMs: number): Promise<Writable> {
  const found: Writable[] = [];
  const problems: { text: string; code: string | undefined }[] = [];
  const waiting = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  const all = servers.map(async (server) => {
    try {
      found.push(await requireWritable(server, withinMs));
      timer ??= setTimeout(waiting.resolve, othersMs);
    } catch (error) {
      const text = servers.length === 1 ? reasonOf(error) : `${server.name}: ${reasonOf(error)}`;
      problems.push({ text, code: (error as { code?: string }).code });
    }
  });
  await Promise.race([Promise.all(all), waiting.promise]);
  clearTimeout(timer);
  if (found.length === 0) {
    const isFull = problems.some(({ code }) => code === fullCode);
    throw new NoWritableServer(
      problems.map(({ text }) => text).join('; '),
      isFull ? fullCode : (servers.length === 1 && problems[0]?.code) || undefined,
    );
  }
  const rank = ({ server }: Writable) => servers.indexOf(server);
  found.sort((a, b) => b.timeline - a.timeline || rank(a) - rank(b));
  return found[0]!;
}

async function requireWritable(server: Server, withinMs: number): Promise<Writable> {
  const client = new pg.Client({ ...server.connection, connectionTimeoutMillis: withinMs });
  client.on('error', () => {});
  try {
    await client.connect();
    const pid = await checkWritable(client, withinMs);
    const { processID } = client as unknown as { processID: number };
    return { server, timeline: await timelineOf(client, withinMs), hasPooler: pid !== processID };
  } finally {
    await client.end().catch(() => {});
  }
}

/**
 * `transaction_read_only` is on in recovery and after `default_transaction_read_only = on`. Returns the process id of the
 * backend.
 */
export async function checkWritable(client: pg.ClientBase, withinMs: number): Promise<number> {
  const { rows } = await client.query({
    text: `select current_setting('transaction_read_only') = 'on' as "readOnly", pg_is_in_recovery() as standby,
      pg_backend_pid() as pid`,
    query_timeout: withinMs,
  } as pg.QueryConfig);
  if (!rows[0].readOnly) return rows[0].pid;
  const problem = rows[0].standby ? 'it is a standby and takes no writes' : 'it is set to read-only';
  throw Object.assign(new Error(problem), { code: readOnlyCode });
}

/** 0 where the engine has no write-ahead log of its own. */
async function timelineOf(client: pg.Client, withinMs: number): Promise<number> {
  const text = 'select pg_walfile_name(pg_current_wal_lsn()) as file';
  try {
    const { rows } = await client.query({ text, query_timeout: withinMs } as pg.QueryConfig);
    return Number.parseInt(String(rows[0].file).slice(0, 8), 16) || 0;
  } catch {
    return 0;
  }
}

export function createServerSearch(servers: readonly Server[], withinMs: number): ServerSearch {
  const only = servers.length === 1 ? servers[0]! : null;
  let current: Located | null = only && { server: only };
  let latest: Located = current ?? { server: servers[0]! };
  /** The last one in use: found again, its connections are still good. */
  let previous: Located | null = null;
  let searching: Promise<Located> | null = null;
  let failure: { at: number; error: unknown } | null = null;
  let foundAt = Number.NEGATIVE_INFINITY;

  const search = async (): Promise<Located> => {
    try {
      const { server } = await findWritable(servers, withinMs);
      current = previous?.server === server ? previous : { server };
      latest = current;
      foundAt = performance.now();
      failure = null;
      return current;
    } catch (error) {
      failure = { at: performance.now(), error };
      throw error;
    } finally {
      searching = null;
    }
  };

  return {
    get current() {
      return current;
    },
    get latest() {
      return latest;
    },
    locate() {
      if (current) return Promise.resolve(current);
      if (failure && performance.now() - failure.at < searchEveryMs) return Promise.reject(failure.error);
      searching ??= search();
      return searching;
    },
    lost(located) {
      if (only || !located || located !== current || performance.now() - foundAt < searchEveryMs) return;
      previous = current;
      current = null;
    },
    isReadOnly(located) {
      if (!located || located !== current) return;
      previous = null;
      latest = { server: located.server };
      current = only && latest;
    },
  };
}
