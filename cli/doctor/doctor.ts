import { version } from '../../contract/version.ts';
import type { Config } from '../../server/config.ts';
import { type Command, readOptions, type Terminal } from '../command.ts';
import { readSettings } from '../database.ts';
import {
  checkDatabase,
  checkFfmpeg,
  checkMail,
  checkNode,
  checkStorage,
  checkTranscription,
  type Finding,
} from './doctor.checks.ts';

export const doctor: Command = {
  usage: '[--json]',
  help: `Options:
  --json  { ok, version, <check>: { status, message, advice? } } for scripts

Checks settings, node, database, migrations, the secret key, storage, ffmpeg, transcription and mail. Each is ok,
warn or fail; any fail makes the exit code 1. Nothing is changed: a stopped embedded database is started for the check only.`,

  async run(args, terminal) {
    const options = readOptions(args, { json: { type: 'boolean', default: false } });
    const findings: Record<string, Finding> = { node: checkNode() };
    const config = findSettings(terminal, findings);
    if (config) {
      Object.assign(findings, await checkDatabase(config, terminal));
      findings.storage = await checkStorage(config);
      findings.ffmpeg = await checkFfmpeg(config);
      findings.transcription = await checkTranscription(config);
      findings.mail = await checkMail(config);
    }
    const isOk = Object.values(findings).every(({ status }) => status !== 'fail');
    if (options.json) terminal.print(JSON.stringify({ ok: isOk, version, ...findings }, null, 2));
    else for (const [name, finding] of Object.entries(findings)) terminal.print(lineOf(name, finding));
    return isOk ? 0 : 1;
  },
};

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
