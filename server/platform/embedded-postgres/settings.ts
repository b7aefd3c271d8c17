// The server's configuration, rewritten before every start so that an update of the service updates it too. An
// administrator's own settings belong in `alter system`, which overrides it.
import { open, rename, rm } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { accountName, type RunUser } from './run-user.ts';

export const SETTINGS_FILE = 'talkboard.conf';
export const ADMIN_ROLE = 'postgres';
export const SERVICE_ROLE = 'talkboard';
export const DATABASE = 'talkboard';
/** Not a TCP port: only the number in the socket's file name. */
export const PORT = 5432;

function defaultSettings(): Record<string, string> {
  const memoryMb = Math.floor(totalmem() / 2 ** 20);
  const sharedMb = Math.min(256, Math.max(128, Math.floor(memoryMb / 8)));
  return {
    listen_addresses: '',
    port: String(PORT),
    // Relative to the data directory, where the server works: the full path may be too long for a socket, or below a
    // directory that the server's user cannot enter.
    unix_socket_directories: '.',
    unix_socket_permissions: '0700',
    cluster_name: 'talkboard',
    fsync: 'on',
    full_page_writes: 'on',
    synchronous_commit: 'on',
    max_connections: '60',
    shared_buffers: `${sharedMb}MB`,
    effective_cache_size: `${Math.max(256, Math.floor(memoryMb / 2))}MB`,
    work_mem: '8MB',
    // A statement whose request was abandoned ends too, instead of waiting for its lock on a connection.
    ...(process.platform === 'win32' ? {} : { client_connection_check_interval: '1s' }),
    maintenance_work_mem: '64MB',
    random_page_cost: '1.1',
    // Compiling costs more than it saves on statements that take milliseconds.
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_destination: 'stderr',
    logging_collector: 'off',
    log_min_messages: 'warning',
    // Rows and statements stay out of the log: they contain customers' data.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
    log_line_prefix: '%m [%p] ',
  };
}

/**
 * The kernel tells the server who is on the socket (`peer`), so there is no password, and a data directory whose mode
 * was loosened by mistake still admits only users who could read its files anyway.
 */
export async function writeSettings(
  clusterDir: string,
  user: RunUser,
  overrides: Record<string, string>,
): Promise<void> {
  const settings = Object.entries({ ...defaultSettings(), ...overrides });
  const lines = settings.map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'`);
  const people = [...new Set(['root', accountName(), user.name])].filter((name) => name !== '');
  const roles = [ADMIN_ROLE, SERVICE_ROLE];
  const mappings = people.flatMap((name) => roles.map((role) => `service "${name}" ${role}`));
  await writeOwnedFile(join(clusterDir, SETTINGS_FILE), lines.join('\n'), user);
  await writeOwnedFile(join(clusterDir, 'pg_hba.conf'), 'local all all peer map=service', user);
  await writeOwnedFile(join(clusterDir, 'pg_ident.conf'), mappings.join('\n'), user);
}

/**
 * Root writes into another user's directory here: never through a name that the user may have replaced with a link.
 */
export async function writeOwnedFile(path: string, text: string, user: RunUser): Promise<void> {
  const partial = `${path}.new`;
  await rm(partial, { force: true });
  const file = await open(partial, 'wx', 0o600);
  try {
    await file.writeFile(`${text}\n`);
    if (user.switched) await file.chown(user.uid, user.gid);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(partial, path);
}
