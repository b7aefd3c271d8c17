/** The commands of docs/deploy.md for a PostgreSQL of one's own, as written there, in a bare copy of the project. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { findProgram } from '../support/packages.ts';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts';
import { adminPassword, connectTo, programEnv, root } from '../support/program.ts';

const page = readFileSync(join(root, 'docs/deploy.md'), 'utf8');
/** What the page tells its reader to replace. */
const placeholder = 'secret@db.example';
const password = 'a-password-of-the-test';

interface Started {
  process: ChildProcess;
  output(): string;
  ended: Promise<unknown>;
}

let copy: string;
let server: PostgresServer;
const running: Started[] = [];

before(async () => {
  copy = bareCopy();
  server = await startPostgresServer();
});

after(async () => {
  await Promise.all(running.map(stop));
  await server.stop();
  rmSync(copy, { recursive: true, force: true });
});

describe('deploy.md, "On a PostgreSQL of your own"', () => {
  const commands = commandsUnder('## On a PostgreSQL of your own');

  it('has commands that make a user and a database', async () => {
    const [createUser, createDatabase] = commands;
    if (findProgram('createuser') && findProgram('createdb')) {
      // Without a terminal `createuser --pwprompt` reads the password from its input, twice.
      await runAsAdministrator(createUser!, `${password}\n${password}\n`);
      await runAsAdministrator(createDatabase!, '');
    } else {
      await server.query(`create role talkboard login password '${password}'`);
      await server.query('create database talkboard owner talkboard');
    }
  });

  it('has a start that works in a fresh clone, which has no DATA_DIR yet', async () => {
    assert.equal(existsSync(join(copy, 'data')), false);
    const program = start([toServer(commands.at(-1)!)], { PORT: '0' });
    const base = await addressOf(program);
    assert.equal((await fetch(`${base}/health/ready`)).status, 200);
    assert.ok(existsSync(join(copy, 'data', 'secret-key')));
    await stop(program);
  });
});

describe('deploy.md, "Several processes"', () => {
  it('has commands that start one service of three processes', async () => {
    await server.query('create database several owner talkboard');
    const lines = commandsUnder('### Several processes').map(toServer);
    const exports = lines
      .filter((line) => line.startsWith('export '))
      .map((line) => line.replace(/\/talkboard$/, '/several'));
    const starts = await Promise.all(
      lines
        .filter((line) => line.includes('npm start'))
        .map(async (line) => line.replace(/PORT=\d+/, `PORT=${await freePort()}`)),
    );
    assert.equal(starts.length, 3);
    const [one, two, worker] = starts.map((line) => start([...exports, line], {}));
    const [first, second] = await Promise.all([portOf(one!, starts[0]!), portOf(two!, starts[1]!)]);
    await eventually(() => worker!.output().includes('"msg":"started"'), 60_000);

    // They began together on an empty database.
    const firstStarts = [one, two, worker].filter((each) => each!.output().includes('first start'));
    assert.equal(firstStarts.length, 1);
    assert.doesNotMatch(worker!.output(), /ready at/);
    const { token, call } = await connectTo(first);
    const created = await call('POST', '/crm/records', { title: 'Seen by both' });
    assert.equal(created.status, 201);
    const answer = await fetch(`${second}/crm/records/${created.body.recordId}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    assert.deepEqual(await answer.json(), created.body);
    await Promise.all([one, two, worker].map((each) => stop(each!)));
    for (const each of [one, two, worker]) {
      assert.match(each!.output(), /"msg":"stopping"/);
      assert.doesNotMatch(each!.output(), /stopping a part failed|stopping took too long/);
    }
  });
});

/** The lines of the first shell block below the heading, without comments. */
function commandsUnder(heading: string): string[] {
  const section = page.slice(page.indexOf(`\n${heading}\n`));
  const block = /```sh\n([\s\S]*?)```/.exec(section)?.[1];
  assert.ok(block, `${heading} has no commands`);
  return block.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

function toServer(command: string): string {
  return command.replace(placeholder, `${password}@${server.host}:${server.port}`);
}

/** What git knows of, without anything that a start makes; the dependencies and builds that `npm test` has made are reused. */
function bareCopy(): string {
  const stamp = join(root, 'node_modules', '.installed-lock');
  if (existsSync(stamp)) {
    // Otherwise the start would install into the folder that is linked below.
    assert.equal(
      readFileSync(stamp, 'utf8'),
      readFileSync(join(root, 'package-lock.json'), 'utf8'),
      'run npm test',
    );
  }
  const folder = mkdtempSync(join(tmpdir(), 'talkboard-clone-'));
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  // Deleted files are listed too until that is committed.
  const present = files.split('\0').filter((name) => name !== '' && existsSync(join(root, name)));
  const made = spawnSync('tar', ['-cf', '-', '--null', '-T', '-'], {
    cwd: root,
    input: present.join('\0'),
    maxBuffer: 2 ** 30,
  });
  assert.equal(made.status, 0, String(made.stderr));
  execFileSync('tar', ['-xf', '-'], { cwd: folder, input: made.stdout });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  if (existsSync(join(root, 'dist'))) cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
  return folder;
}

/** As from a terminal: npm and node are those of the machine, not those of the test run. */
function shellEnv(env: Record<string, string>): Record<string, string> {
  const { PATH = '', ...rest } = programEnv(env);
  const folders = PATH.split(delimiter).filter((folder) => !folder.endsWith(join('node_modules', '.bin')));
  return { ...rest, PATH: folders.join(delimiter) };
}

function start(lines: string[], env: Record<string, string>): Started {
  const child = spawn('sh', ['-e', '-c', lines.join('\n')], {
    cwd: copy,
    env: shellEnv({ ADMIN_PASSWORD: adminPassword, ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  }
  const ended = new Promise((resolve) => child.once('close', resolve));
  const started = { process: child, output: () => text, ended };
  running.push(started);
  return started;
}

async function addressOf(program: Started): Promise<string> {
  let hasEnded = false;
  void program.ended.then(() => {
    hasEnded = true;
  });
  const address = () => /ready at (\S+)/.exec(program.output())?.[1];
  await eventually(() => hasEnded || address() !== undefined, 60_000);
  assert.ok(address(), program.output());
  return address()!;
}

/** The process prints PUBLIC_URL; it listens on the port of its command. */
async function portOf(program: Started, command: string): Promise<string> {
  await addressOf(program);
  return `http://127.0.0.1:${/PORT=(\d+)/.exec(command)![1]}`;
}

async function stop({ process: shell, ended }: Started): Promise<void> {
  // The whole group: the shell does not pass signals on.
  if (shell.exitCode === null && shell.signalCode === null) process.kill(-shell.pid!, 'SIGTERM');
  await ended;
}

async function runAsAdministrator(command: string, input: string): Promise<void> {
  const { user, password: ownPassword } = server.superuser;
  const child = spawn('sh', ['-e', '-c', command], {
    env: shellEnv({
      PGHOST: server.host,
      PGPORT: String(server.port),
      PGUSER: user,
      PGPASSWORD: ownPassword,
    }),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  child.stdin.end(input);
  const code = await new Promise((resolve) => child.once('close', resolve));
  assert.equal(code, 0, text);
}
