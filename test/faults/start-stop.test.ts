/** Starting and stopping the real program: what it prints, what it refuses, and what it leaves behind. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { WebSocket } from 'ws';
import { readConfig } from '../../server/config.ts';
import { openDatabase } from '../../server/open-database.ts';
import { createLogger } from '../../server/platform/logger.ts';
import { StartError } from '../../server/platform/start/start-error.ts';
import { createTestDatabase, type TestDatabase, urlOf } from '../support/database.ts';
import { startLoad } from '../support/load.ts';
import { bringProgram } from '../support/packages.ts';
import { adminPassword, connectTo, createStage, type Program, runProgram } from '../support/program.ts';
import type { Json } from '../support/service.ts';

const stage = createStage();
let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
});
after(async () => {
  await stage.close();
  await database.drop();
});
const known = { ADMIN_PASSWORD: adminPassword };

describe('a service on an empty DATA_DIR', () => {
  const env = { DATA_DIR: stage.newDataDir() };
  let program: Program;
  let password: string;
  before(async () => {
    program = await stage.start(env);
    const printed = /^ {2}password {2}(\S+)/m.exec(program.output())?.[1];
    assert.ok(printed, program.output());
    password = printed;
  });

  it('prints a login once, and requests that work with it', async (t) => {
    const run = promisify(execFile);
    assert.equal(program.output().split(password).length, 2, 'the password is printed once');
    if (!bringProgram('curl')) return t.skip('there is no curl, and these tests may not install it');
    const printed = /^ {2}JWT=[\s\S]*?My first customer"\}'$/m.exec(program.output())?.[0];
    assert.ok(printed, program.output());
    assert.match(printed, /YOUR-ADMIN-PASSWORD/);
    const steps = printed.replace('YOUR-ADMIN-PASSWORD', password);
    const { stdout } = await run('sh', ['-e', '-c', steps]);
    const record = JSON.parse(stdout);
    assert.equal(record.title, 'My first customer');
    assert.equal(record.status, 'new');
    const talk = /^ {2}SESSION=[\s\S]*?\$SESSION\/messages .*$/m.exec(program.output())?.[0];
    assert.ok(talk, program.output());
    const { stdout: chat } = await run('sh', ['-e', '-c', `{ ${steps}\n} > /dev/null\n${talk}`]);
    const [reply, question] = JSON.parse(chat).items;
    assert.deepEqual([question.role, reply.role, reply.inReplyTo], ['user', 'assistant', question.id]);
  });

  it('makes its addresses with the port that it has, where PORT is 0', async () => {
    const document = (await (await fetch(`${program.base}/openapi.json`)).json()) as Json;
    assert.deepEqual(document.servers, [{ url: program.base }]);
    const statusFor = async (origin: string) => {
      const socket = new WebSocket(`${program.base.replace('http', 'ws')}/ws`, { origin });
      const [, response] = await once(socket, 'unexpected-response');
      response.resume();
      return response.statusCode;
    };
    // Without a ticket nobody is let in, but the page is one of its own.
    assert.equal(await statusFor(program.base), 401);
    assert.equal(await statusFor('http://127.0.0.1:0'), 403);
  });

  it('keeps running while another one is rejected that would use the same folder', async () => {
    const { code, stderr } = await runProgram(env);
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`in use by another running service \\(pid ${program.process.pid},`));
    assert.doesNotMatch(stderr, /\n\s+at /);
    const { call } = await connectTo(program.base, password);
    assert.equal((await call('GET', '/crm/records')).status, 200);
  });

  it('finishes what was asked before SIGTERM and keeps every record that it answered for', async () => {
    const { token } = await connectTo(program.base, password);
    const load = startLoad(program.base, token, 16);
    await load.answered(100);
    const signalledAt = performance.now();
    const { code } = await program.stop();
    assert.equal(code, 0);
    assert.ok(performance.now() - signalledAt < 15_000);
    const sent = await load.end();

    const failed = sent.filter((one) => one.sentAt < signalledAt && one.status !== 201);
    assert.deepEqual(failed, []);
    // Later ones found a closed door, but never a wrong answer.
    const answered = sent.filter((one) => one.status !== null);
    assert.deepEqual([...new Set(answered.map((one) => one.status))], [201]);
    program = await stage.start({ ...env, ADMIN_PASSWORD: 'another password' });
    const titles = await listTitles(program.base, password);
    assert.deepEqual(
      answered.filter((one) => !titles.has(one.title)),
      [],
    );
  });

  it('makes no second account on the next start, nor another password', async () => {
    assert.doesNotMatch(program.output(), /first start/);
    await connectTo(program.base, password);
    await assert.rejects(connectTo(program.base, 'another password'), /401/);
    assert.equal((await program.stop()).code, 0);
  });
});

describe('a start on a slow machine', () => {
  it('succeeds although the modules take longer to load than a database may take to answer', async () => {
    // 6 s in which nothing else runs, after the database was asked.
    const slow = `import { registerHooks } from 'node:module';
      registerHooks({ load(url, context, next) {
        if (url.endsWith('/server/serve.ts')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6000);
        return next(url, context);
      } });`;
    const DATA_DIR = join(stage.newDataDir(), 'not', 'there', 'yet');
    const program = await stage.start({
      ...known,
      DATA_DIR,
      DATABASE_URL: urlOf(database.connection),
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(slow)}`,
    });
    await connectTo(program.base);
    assert.ok(existsSync(join(DATA_DIR, 'secret-key')), 'DATA_DIR was created');
    const { code, stdout, stderr } = await program.stop();
    assert.equal(code, 0);
    assert.match(stdout, /the ADMIN_PASSWORD that you set/);
    assert.ok(!(stdout + stderr).includes(adminPassword));
  });
});

describe('a start that cannot succeed', () => {
  it('names the port that is taken, before it makes anything or prints a password', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const dataDir = stage.newDataDir();
    const { code, stdout, stderr } = await runProgram({ DATA_DIR: dataDir, PORT: String(port) });
    other.close();
    assert.equal(code, 1);
    assert.doesNotMatch(stdout, /password/);
    assert.deepEqual(readdirSync(dataDir), []);
    assert.match(stderr, new RegExp(`could not start: Port ${port} of 127.0.0.1 is in use`));
  });

  it('names every setting that is wrong', async () => {
    const { code, stdout, stderr } = await runProgram({
      DATA_DIR: stage.newDataDir(),
      PORT: 'eighty',
      LOG_LEVEL: 'loud',
      OUTBOUND_ALLOW: '169.254.0.0/16',
    });
    assert.equal(code, 1);
    assert.equal(stdout, '');
    assert.match(stderr, /PORT: must be a whole number from 0 to 65535, not "eighty"/);
    assert.match(stderr, /LOG_LEVEL: must be one of fatal, error/);
    assert.match(stderr, /OUTBOUND_ALLOW: /);
  });

  it('says that the database of DATABASE_URL cannot be reached, without its password', async () => {
    const secret = 'not-for-the-terminal';
    const { code, stdout, stderr } = await runProgram({
      DATA_DIR: stage.newDataDir(),
      DATABASE_URL: `postgres://talkboard:${secret}@127.0.0.1:1/talkboard`,
    });
    assert.equal(code, 1);
    assert.match(stderr, /DATABASE_URL names cannot be used: connect ECONNREFUSED 127\.0\.0\.1:1/);
    assert.ok(!(stdout + stderr).includes(secret));
  });
});

describe('DATA_DIR', () => {
  it('that cannot be created or written to ends the start with a message and no stack', async () => {
    const file = join(stage.newDataDir(), 'a-file');
    writeFileSync(file, '');
    const wrong: [string, RegExp][] = [
      ['/proc/talkboard', /DATA_DIR \/proc\/talkboard cannot be written to \(E[A-Z]+\)/],
      [join(file, 'data'), /DATA_DIR \S+ is not a folder/],
      [file, /DATA_DIR \S+ is not a folder/],
    ];
    for (const [DATA_DIR, message] of wrong) {
      for (const DATABASE_URL of ['', urlOf(database.connection)]) {
        const config = readConfig({ DATABASE_URL, DATA_DIR });
        await assert.rejects(openDatabase(config, createLogger('fatal')), (error: Error) => {
          assert.ok(error instanceof StartError, 'printed without its stack');
          assert.match(error.message, message);
          assert.match(error.message, /set DATA_DIR to another folder/);
          return true;
        });
      }
    }
    const { code, stderr } = await runProgram({ ...known, DATA_DIR: file });
    assert.equal(code, 1);
    assert.match(stderr, /could not start: DATA_DIR \S+ is not a folder/);
    assert.doesNotMatch(stderr, /\n\s+at /);
  });
});

async function listTitles(base: string, password: string): Promise<Set<string>> {
  const { call } = await connectTo(base, password);
  const titles = new Set<string>();
  let next = '';
  do {
    const { body } = await call('GET', `/crm/records?limit=100${next && `&nextToken=${next}`}`);
    for (const record of body.items) titles.add(record.title);
    next = body.nextToken ?? '';
  } while (next);
  return titles;
}
