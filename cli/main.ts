/** The explicit list of commands, and how their outcome becomes an exit code: 0 done, 1 failed, 2 usage error. */
import { version } from '../contract/version.ts';
import { BackupError } from '../server/platform/backups/backup-error.ts';
import { AppError } from '../server/platform/http/errors.ts';
import { StartError } from '../server/platform/start/start-error.ts';
import { type Command, CommandError, type Terminal, UsageError } from './command.ts';

interface Entry {
  name: string;
  summary: string;
  /** Loaded on demand: the whole service behind it costs half a second. */
  load(): Promise<Command>;
}

const commands: readonly Entry[] = [
  {
    name: 'token create',
    summary: 'Create an API token and print it once.',
    load: async () => (await import('./token-create.ts')).tokenCreate,
  },
  {
    name: 'account create',
    summary: 'Create an account with its administrator and its default board.',
    load: async () => (await import('./account-create.ts')).accountCreate,
  },
  {
    name: 'account move',
    summary: 'Move an account to another database while it is in use.',
    load: async () => (await import('./cells/account-move.ts')).accountMove,
  },
  {
    name: 'account suspend',
    summary: 'Suspend an account: it cannot be used, and nothing is sent.',
    load: async () => (await import('./account-lifecycle.ts')).accountSuspend,
  },
  {
    name: 'account resume',
    summary: 'Resume a suspended account.',
    load: async () => (await import('./account-lifecycle.ts')).accountResume,
  },
  {
    name: 'account delete',
    summary: 'Delete an account with everything in it.',
    load: async () => (await import('./account-lifecycle.ts')).accountDelete,
  },
  {
    name: 'account restore',
    summary: 'Bring a deleted account back from a backup.',
    load: async () => (await import('./backup/account-restore.ts')).accountRestore,
  },
  {
    name: 'login-link',
    summary: 'Create a link that signs a user in once, without password and provider.',
    load: async () => (await import('./login-link.ts')).loginLink,
  },
  {
    name: 'account clear-addresses',
    summary: 'Let the administrators of an account sign in from everywhere again.',
    load: async () => (await import('./sign-in.ts')).accountClearAddresses,
  },
  {
    name: 'user reset-factors',
    summary: 'Remove the second factors of a user who has lost them.',
    load: async () => (await import('./sign-in.ts')).userResetFactors,
  },
  {
    name: 'cells weight',
    summary: 'Change how many of the new accounts a cell gets.',
    load: async () => (await import('./cells/cells.ts')).cellsWeight,
  },
  {
    name: 'cells drain',
    summary: 'Let a cell take no new accounts, or take them again.',
    load: async () => (await import('./cells/cells.ts')).cellsDrain,
  },
  {
    name: 'cells repair',
    summary: 'Compare the directory with what the cells hold, and correct it.',
    load: async () => (await import('./cells/cells-repair.ts')).cellsRepair,
  },
  {
    name: 'cells',
    summary: 'List the databases of the instance with their accounts, sizes and weights.',
    load: async () => (await import('./cells/cells.ts')).cellsList,
  },
  {
    name: 'migrate',
    summary: 'Apply pending migrations, or list them.',
    load: async () => (await import('./migrate.ts')).migrateCommand,
  },
  {
    name: 'doctor',
    summary: 'Check what the service needs and report what is missing.',
    load: async () => (await import('./doctor/doctor.ts')).doctor,
  },
  {
    name: 'knowledge add',
    summary: 'Add an article from a file, or a website.',
    load: async () => (await import('./knowledge/knowledge.ts')).knowledgeAdd,
  },
  {
    name: 'knowledge sync',
    summary: 'Have a website read again.',
    load: async () => (await import('./knowledge/knowledge.ts')).knowledgeSync,
  },
  {
    name: 'knowledge search',
    summary: 'Find passages of the knowledge.',
    load: async () => (await import('./knowledge/knowledge.ts')).knowledgeSearch,
  },
  {
    name: 'demo',
    summary: 'Fill an account with demo boards, users, records and conversations, or remove them.',
    load: async () => (await import('./demo.ts')).demo,
  },
  {
    name: 'reindex',
    summary: 'Compare the index of field values with the records and fix differences.',
    load: async () => (await import('./reindex.ts')).reindexCommand,
  },
  {
    name: 'rotate-key',
    summary: 'Re-encrypt every secret with SECRET_KEY after the key was replaced.',
    load: async () => (await import('./rotate-key.ts')).rotateKeyCommand,
  },
  {
    name: 'backup keygen',
    summary: 'Create the pair of keys that backups are encrypted with.',
    load: async () => (await import('./backup/backup-keygen.ts')).backupKeygen,
  },
  {
    name: 'backup list',
    summary: 'List the backups in a folder or a bucket.',
    load: async () => (await import('./backup/backup-list.ts')).backupList,
  },
  {
    name: 'backup verify',
    summary: 'Restore a backup into a scratch database and compare every row.',
    load: async () => (await import('./backup/backup-verify.ts')).backupVerify,
  },
  {
    name: 'backup',
    summary: 'Write the whole database and all files into one file.',
    load: async () => (await import('./backup/backup.ts')).backup,
  },
  {
    name: 'restore',
    summary: 'Fill an empty database and DATA_DIR from a backup.',
    load: async () => (await import('./backup/restore.ts')).restore,
  },
  {
    name: 'listen',
    summary: 'Receive webhooks on this machine: forward events, or verify and print them.',
    load: async () => (await import('./listen/listen.ts')).listen,
  },
];

export async function main(args: string[]): Promise<number> {
  const terminal: Terminal = {
    env: process.env,
    print: (text) => void process.stdout.write(`${text}\n`),
    say: (text) => void process.stderr.write(`${text}\n`),
  };
  // exit() tells a database that was started for this command to stop.
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  // `talkboard … | head` has read enough: not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  return runCommand(args, terminal);
}

export async function runCommand(args: string[], terminal: Terminal): Promise<number> {
  const entry = commands.find(({ name }) => name === args.slice(0, wordsOf(name)).join(' '));
  if (!entry) return runWithoutCommand(args, terminal);
  const { name, summary } = entry;
  const command = await entry.load();
  const rest = args.slice(wordsOf(name));
  if (rest.includes('--help') || rest.includes('-h')) {
    terminal.print(`Usage: talkboard ${name} ${command.usage}\n\n${summary}\n\n${command.help}`);
    return 0;
  }
  try {
    return await command.run(rest, terminal);
  } catch (error) {
    if (error instanceof UsageError) {
      terminal.say(`talkboard ${name}: ${error.message}\n\nUsage: talkboard ${name} ${command.usage}`);
      return 2;
    }
    const foreseen = [CommandError, StartError, AppError, BackupError].some((kind) => error instanceof kind);
    const told = foreseen ? (error as Error).message : ((error as Error).stack ?? String(error));
    terminal.say(`talkboard ${name}: ${told}`);
    return 1;
  }
}

function runWithoutCommand(args: string[], terminal: Terminal): number {
  const [first] = args;
  if (first === '--help' || first === '-h' || first === 'help') {
    terminal.print(overview());
    return 0;
  }
  if (first === '--version') {
    terminal.print(version);
    return 0;
  }
  if (first !== undefined) {
    const beginnings = commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name);
    terminal.say(
      beginnings.length > 0
        ? `talkboard ${first} needs a subcommand: ${beginnings.join(', ')}.\n`
        : `talkboard has no command "${args.slice(0, 2).join(' ')}".\n`,
    );
  }
  terminal.say(overview());
  return 2;
}

function wordsOf(name: string): number {
  return name.split(' ').length;
}

function overview(): string {
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(24)}${summary}`);
  return [
    'Usage: talkboard <command> [options]',
    '',
    ...lines,
    '',
    'Run `talkboard <command> --help` for details. The commands use the settings of the service (DATA_DIR,',
    'DATABASE_URL, …) and can run while the service runs.',
  ].join('\n');
}
