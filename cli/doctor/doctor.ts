import { version } from '../../contract/version.ts';
import type { Config } from '../../server/config.ts';
import { parseDatabaseUrl } from '../../server/platform/db/database-url.ts';
import { type Command, readOptions, type Terminal, UsageError } from '../command.ts';
import { readSettings } from '../database.ts';
import { checkBackups } from './doctor.backups.ts';
import { checkCells } from './doctor.cells.ts';
import {
  checkDatabase,
  checkFfmpeg,
  checkMail,
  checkNode,
  checkStorage,
  checkTranscription,
  type Finding,
} from './doctor.checks.ts';
import { checkEngine } from './doctor.engine.sql.ts';
import { checkOidc } from './doctor.provider.ts';

export const doctor: Command = {
  usage: '[--json] [--database [url]]',
  help: `Options:
  --json            { ok, version, <check>: { status, message, advice? } } for scripts
  --database [url]  try what the service needs from this database, or from that of DATABASE_URL, in a schema of its own
                    that is removed afterwards; nothing else is checked

Checks settings, node, servers, database, migrations, the secret key, backups, cells, storage, ffmpeg, transcription, mail
and the sign-in provider. Each is ok, warn or fail; any fail makes the exit code 1. Nothing is changed: a stopped embedded
database is started for the check only.`,

  async run(args, terminal) {
    const { rest, database } = takeDatabase(args);
    const options = readOptions(rest, { json: { type: 'boolean', default: false } });
    const findings: Record<string, Finding> = { node: checkNode() };
    if (database !== null) {
      Object.assign(findings, await checkEngine(chooseDatabase(database, terminal)));
      return report(findings, options.json, terminal);
    }
    const config = findSettings(terminal, findings);
    if (config) {
      Object.assign(findings, await checkDatabase(config, terminal, (db) => checkBackups(config, db)));
      Object.assign(findings, await checkCells(config));
      findings.storage = await checkStorage(config);
      findings.ffmpeg = await checkFfmpeg(config);
      findings.transcription = await checkTranscription(config);
      findings.mail = await checkMail(config);
      findings.provider = await checkOidc(config);
    }
    return report(findings, options.json, terminal);
  },
};

function report(findings: Record<string, Finding>, asJson: boolean, terminal: Terminal): number {
  const isOk = Object.values(findings).every(({ status }) => status !== 'fail');
  if (asJson) terminal.print(JSON.stringify({ ok: isOk, version, ...findings }, null, 2));
  else for (const [name, finding] of Object.entries(findings)) terminal.print(lineOf(name, finding));
  return isOk ? 0 : 1;
}

/** The address after --database may be left out, which the parser of options does not know. */
function takeDatabase(args: string[]): { rest: string[]; database: string | null } {
  const at = args.indexOf('--database');
  if (at === -1) return { rest: args, database: null };
  const next = args[at + 1];
  const given = next === undefined || next.startsWith('--') ? [] : [next];
  return { rest: args.toSpliced(at, 1 + given.length), database: given[0] ?? '' };
}

function chooseDatabase(given: string, terminal: Terminal): { connectionString: string } {
  const connectionString = given || readSettings(terminal).databaseUrl;
  if (!connectionString) throw new UsageError('--database needs an address, or DATABASE_URL');
  try {
    parseDatabaseUrl(connectionString);
  } catch (error) {
    throw new UsageError(`--database: ${(error as Error).message}`);
  }
  return { connectionString };
}

function findSettings(terminal: Terminal, findings: Record<string, Finding>): Config | null {
  try {
    const config = readSettings(terminal);
    findings.settings = { status: 'ok', message: 'all settings are valid' };
    return config;
  } catch (error) {
    const advice = 'Correct them and run this again; nothing else was checked.';
    findings.settings = { status: 'fail', message: (error as Error).message, advice };
    return null;
  }
}

function lineOf(name: string, { status, message, advice }: Finding): string {
  const line = `${status.padEnd(5)} ${name.padEnd(14)} ${message}`;
  return advice ? `${line}\n${' '.repeat(21)}${advice}` : line;
}
