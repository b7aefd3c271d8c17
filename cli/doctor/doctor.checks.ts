/** The checks of `talkboard doctor`. A check changes nothing and says what to do about a problem. */
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import type { Config } from '../../server/config.ts';
import { findFfmpeg } from '../../server/platform/audio/ffmpeg-system.find.ts';
import { hasWasmFfmpeg } from '../../server/platform/audio/ffmpeg-wasm.ts';
import { hasOfflineRecogniser } from '../../server/platform/audio/recogniser.offline.ts';
import { createBlobStore, probeBlobStore } from '../../server/platform/blobs/blob-store.ts';
import { createDb, type Db } from '../../server/platform/db/db.ts';
import {
  findSchemaProblem,
  migrationStatus,
  minimumPostgresVersion,
} from '../../server/platform/db/migrate.ts';
import { createMailer } from '../../server/platform/mail.ts';
import { checkOutboundUrl } from '../../server/platform/outbound/outbound-address.ts';
import { findKeyProblem } from '../../server/platform/secrets/open-secrets.ts';
import { reasonOf } from '../../server/platform/start/start-error.ts';
import type { Terminal } from '../command.ts';
import { openDatabase } from '../database.ts';
import { checkServers } from './doctor.servers.sql.ts';
import { selectServerVersion } from './doctor.sql.ts';

export interface Finding {
  status: 'ok' | 'warn' | 'fail';
  message: string;
  /** What to do about it. */
  advice?: string;
}

const neededNodeMajor = 24;
const reachMs = 3_000;
const gigabyte = 2 ** 30;

export const ok = (message: string): Finding => ({ status: 'ok', message });
export const warn = (message: string, advice: string): Finding => ({ status: 'warn', message, advice });
export const fail = (message: string, advice: string): Finding => ({ status: 'fail', message, advice });

export function checkNode(): Finding {
  const { node } = process.versions;
  return Number.parseInt(node, 10) >= neededNodeMajor
    ? ok(`Node ${node}`)
    : fail(`Node ${node}`, `Run npm ci: it brings Node ${neededNodeMajor}.`);
}

export async function checkDatabase(
  config: Config,
  terminal: Terminal,
  checkBackups: (db: Db | null) => Promise<Finding>,
): Promise<{
  servers?: Finding;
  database: Finding;
  migrations: Finding;
  secretKey: Finding;
  backups: Finding;
}> {
  if (!config.databaseUrl && !existsSync(join(config.dataDir, 'postgres', 'data'))) {
    const message = 'no embedded database yet; the first start creates it';
    return {
      database: ok(message),
      migrations: ok('the first start applies them'),
      secretKey: ok('nothing is encrypted yet'),
      backups: await checkBackups(null),
    };
  }
  const servers = config.databaseUrl
    ? { servers: await checkServers({ connectionString: config.databaseUrl }) }
    : {};
  try {
    const opened = await openDatabase(config, terminal);
    try {
      const db = createDb({ connection: opened.connection, poolSize: 2 });
      try {
        const server = await selectServerVersion(db);
        const place = {
          url: 'the server of DATABASE_URL',
          attached: 'embedded, of the running service',
          started: 'embedded, started for this check',
        }[opened.how];
        const message = `PostgreSQL ${server.text} (${place})`;
        const tooOld = server.major < minimumPostgresVersion;
        const status = await migrationStatus(db);
        return {
          ...servers,
          database: tooOld
            ? fail(message, `Version ${minimumPostgresVersion} or later is needed.`)
            : ok(message),
          migrations: judgeMigrations(status, await findSchemaProblem(db)),
          secretKey: await checkSecretKey(db, config, status.pending.length === 0),
          backups: await checkBackups(status.pending.length === 0 ? db : null),
        };
      } finally {
        await db.close();
      }
    } finally {
      await opened.close();
    }
  } catch (error) {
    const log = join(config.dataDir, 'postgres', 'postgres.log');
    const database: Finding = config.databaseUrl
      ? { status: 'fail', message: reasonOf(error) }
      : fail(reasonOf(error), `Its log is ${log}.`);
    return {
      ...servers,
      database,
      migrations: warn('not checked', 'The database is needed to check them.'),
      secretKey: warn('not checked', 'The database is needed to check it.'),
      backups: await checkBackups(null),
    };
  }
}

async function checkSecretKey(db: Db, config: Config, isMigrated: boolean): Promise<Finding> {
  if (!isMigrated) return warn('not checked', 'Apply the migrations first.');
  const problem = await findKeyProblem(db, config);
  if (problem) return fail(problem, 'Encrypted values cannot be read before that.');
  const previous = config.previousSecretKeys.length;
  return previous === 0
    ? ok('decrypts all secrets')
    : warn(
        `decrypts all secrets, with ${previous} more in SECRET_KEY_PREVIOUS`,
        'Run talkboard rotate-key, then remove SECRET_KEY_PREVIOUS.',
      );
}

export function judgeMigrations(
  { applied, pending, unknown }: Awaited<ReturnType<typeof migrationStatus>>,
  problem: string | null,
): Finding {
  if (problem !== null) {
    return fail(
      `the database has ${unknown.join(', ')}, which this release does not know`,
      'A newer release has used it: run that release or a later one.',
    );
  }
  if (applied.length === 0) {
    return fail(
      'the database has no tables of the service',
      'Is it the right one? Then start the service, or run talkboard migrate.',
    );
  }
  if (pending.length > 0) {
    return warn(`pending: ${pending.join(', ')}`, 'Start the service, or run talkboard migrate.');
  }
  if (unknown.length > 0) {
    return warn(
      `${applied.length} applied, with ${unknown.join(', ')} of a newer release, which this one can serve`,
      'Upgrade the other processes too.',
    );
  }
  return ok(`${applied.length} applied, none pending`);
}

export async function checkStorage(config: Config): Promise<Finding> {
  const { dataDir, s3 } = config;
  let place = dataDir;
  while (!existsSync(place)) place = dirname(place);
  try {
    accessSync(place, constants.W_OK | constants.X_OK);
  } catch {
    return fail(
      `${place} cannot be written to`,
      'Give the user that runs the service write access to this folder, or set DATA_DIR.',
    );
  }
  if (!statSync(place).isDirectory()) return fail(`${place} is not a folder`, 'Set DATA_DIR to a folder.');
  const { bavail, bsize } = statfsSync(place);
  const free = (bavail * bsize) / gigabyte;
  const space = `${dataDir}, ${free.toFixed(1)} GB free`;
  if (free < 0.1) return fail(space, 'Free some space: the database stops when the disk is full.');
  if (free < 1) return warn(space, 'Free some space soon.');
  if (!s3.bucket) {
    // Only where the service has run: before that there is nothing to write to, and a check creates nothing.
    const filesProblem = existsSync(join(dataDir, 'files')) ? await findStoreProblem(config) : null;
    return filesProblem
      ? fail(
          `files under ${space}: ${filesProblem}`,
          `Give the user that runs the service write access to ${join(dataDir, 'files')}.`,
        )
      : ok(`files under ${space}`);
  }
  const address = new URL(s3.endpoint || `https://s3.${s3.region}.amazonaws.com`);
  const files = `files in the bucket ${s3.bucket} at ${address.host}; database under ${space}`;
  const problem = await findReachProblem(address);
  if (problem) return fail(`${files}: ${problem}`, 'Check S3_ENDPOINT and S3_REGION.');
  const storeProblem = await findStoreProblem(config);
  return storeProblem
    ? fail(
        `${files}: ${storeProblem}`,
        'Check S3_BUCKET, the keys and their permissions: write, read, delete.',
      )
    : ok(files);
}

/** Writes a byte, reads it and deletes it. */
async function findStoreProblem(config: Config): Promise<string | null> {
  const store = createBlobStore(config);
  try {
    await probeBlobStore(store);
    return null;
  } catch (error) {
    return reasonOf(error);
  } finally {
    await store.close();
  }
}

export async function checkFfmpeg({ executables }: Config): Promise<Finding> {
  const system = await findFfmpeg(executables);
  if (system) return ok(`${system.version} (the system's)`);
  const advice = 'Install ffmpeg (with libopus) for a faster conversion of voice messages.';
  return hasWasmFfmpeg()
    ? warn(
        'not installed on the system; voice messages are converted by FFmpeg as WASM (@ffmpeg/core)',
        advice,
      )
    : warn('none, and @ffmpeg/core is not installed: voice messages are not converted', advice);
}

export async function checkMail({ mail }: Config): Promise<Finding> {
  if (mail === null)
    return ok(
      'not configured (SMTP_URL is not set): administrators pass on links for invitations and passwords, and transcripts are not offered',
    );
  const host = `${mail.host}:${mail.port}`;
  try {
    await createMailer(mail).verify();
    return ok(`${host}, from ${mail.from.address}`);
  } catch (error) {
    return fail(`${host}: ${reasonOf(error)}`, 'Check SMTP_URL: address, user and password.');
  }
}

export async function checkTranscription({ transcribe, outboundAllow }: Config): Promise<Finding> {
  if (!transcribe.url) {
    return hasOfflineRecogniser()
      ? ok('offline recogniser, English only: Moonshine base (TRANSCRIBE_URL is not set)')
      : warn(
          'not available: TRANSCRIBE_URL is not set and the offline recogniser is not installed',
          'Set TRANSCRIBE_URL, or run npm ci.',
        );
  }
  const address = new URL(transcribe.url);
  const refused = await checkOutboundUrl(transcribe.url, outboundAllow);
  if (refused) return fail(`TRANSCRIBE_URL ${refused}`, 'Add the address to OUTBOUND_ALLOW.');
  const problem = await findReachProblem(address);
  if (problem) return fail(`${address.host}: ${problem}`, 'Check TRANSCRIBE_URL.');
  if (!transcribe.apiKey)
    return warn(`${address.host}, without a key`, 'Set TRANSCRIBE_API_KEY if it requires one.');
  return ok(`${address.host}${transcribe.model && `, model ${transcribe.model}`}`);
}

/** Whether something listens there; whether it is the right server and the keys fit shows only in use. */
function findReachProblem(address: URL): Promise<string | null> {
  const port = Number(address.port) || (address.protocol === 'https:' ? 443 : 80);
  const host = address.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: reachMs });
    const end = (problem: string | null) => {
      socket.destroy();
      resolve(problem);
    };
    socket.once('connect', () => end(null));
    socket.once('timeout', () => end(`no answer within ${reachMs / 1000} s`));
    socket.once('error', (error) => end(reasonOf(error)));
  });
}
