/** What `talkboard doctor` says about the servers of DATABASE_URL: roles, versions, pooler, replication. */
import pg from 'pg';
import { type Server, serversOf } from '../../server/platform/db/servers.ts';
import { reasonOf } from '../../server/platform/start/start-error.ts';
import type { Finding } from './doctor.checks.ts';

const withinMs = 5_000;

interface Standby {
  name: string;
  state: string | null;
  sync: string | null;
}

interface ServerState {
  name: string;
  problem: string | null;
  version: string;
  isWritable: boolean;
  isStandby: boolean;
  /** The backend is not the one that was connected to. */
  hasPooler: boolean;
  standbys: Standby[];
}

export async function checkServers(connection: pg.ClientConfig): Promise<Finding> {
  const states = await Promise.all(serversOf(connection).map(inspect));
  const message = states.map(describeState).join('; ');
  const writable = states.filter(({ isWritable }) => isWritable);
  if (writable.length === 0) {
    return { status: 'fail', message, advice: 'None of the servers takes writes: promote one of them.' };
  }
  if (writable.length > 1) {
    return {
      status: 'fail',
      message,
      advice: 'Two servers take writes: stop the old primary and make it a standby again.',
    };
  }
  if (states.some(({ problem }) => problem !== null)) {
    return { status: 'warn', message, advice: 'The service works with the others; repair this server.' };
  }
  return { status: 'ok', message };
}

async function inspect({ name, connection }: Server): Promise<ServerState> {
  const client = new pg.Client({
    ...connection,
    application_name: 'talkboard-cli',
    connectionTimeoutMillis: withinMs,
    query_timeout: withinMs,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query(`
      select current_setting('server_version') as version, pg_backend_pid() as pid,
        pg_is_in_recovery() as "isStandby", current_setting('transaction_read_only') = 'off' as "isWritable"`);
    const { version, pid, isStandby, isWritable } = rows[0];
    const connected = (client as unknown as { processID: number }).processID;
    const standbys = await client
      .query(`select application_name as name, state, sync_state as sync from pg_stat_replication order by 1`)
      .then(
        (result) => result.rows as Standby[],
        () => [],
      );
    return { name, problem: null, version, isWritable, isStandby, hasPooler: connected !== pid, standbys };
  } catch (error) {
    const problem = reasonOf(error);
    return {
      name,
      problem,
      version: '',
      isWritable: false,
      isStandby: false,
      hasPooler: false,
      standbys: [],
    };
  } finally {
    await client.end().catch(() => {});
  }
}

function describeState(state: ServerState): string {
  const { name, problem, version, isWritable, isStandby, hasPooler, standbys } = state;
  if (problem !== null) return `${name}: ${problem}`;
  const role = isWritable ? 'takes writes' : isStandby ? 'standby' : 'read-only';
  const parts = [`PostgreSQL ${version}`, role];
  if (hasPooler) parts.push('through a pooler');
  // Others' details are hidden from a role without pg_monitor.
  for (const { name: standby, state: flow, sync } of standbys) {
    parts.push(
      `standby ${standby || 'without a name'} ${flow ?? '(state hidden)'}${sync ? `, ${sync}` : ''}`,
    );
  }
  return `${name}: ${parts.join(', ')}`;
}
