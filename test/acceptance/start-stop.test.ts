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
import { createTestDatabase, type TestDatabase, urlOf } from '../support/database.ts';
import { startLoad } from '../support/load.ts';
import { bringProgram } from '../support/packages.ts';
import { adminPassword, connectTo, createStage, runProgram } from '../support/program.ts';
import type { Json } from '../support/service.ts';

const stage = createStage();
after(() => stage.close());
const known = { ADMIN_PASSWORD: adminPassword };

describe('the first start', () => {
  it('prints a login once, and requests that work with it', async (t) => {
    const run = promisify(execFile);
    if (!bringProgram('curl')) return t.skip('there is no curl, and these tests may not install it');
    const program = await stage.start({ DATA_DIR: stage.newDataDir() });
    const password = /^ {2}password {2}(\S+)/m.exec(program.output())?.[1];
    assert.ok(password, program.output());
    assert.equal(program.output().split(password).length, 2, 'the password is printed once');
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
    assert.equal((await program.stop()).code, 0);
  });

  it('makes its addresses with the port that it has, where PORT is 0', async () => {
    const program = await stage.start({ ...known, DATA_DIR: stage.newDataDir() });
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
    await program.stop();
  });

  it('neither prints an ADMIN_PASSWORD nor makes a second account on the next start', async () => {
    const env = { ...known, DATA_DIR: stage.newDataDir() };
    const first = await (await stage.start(env)).stop();
    assert.match(first.stdout, /the ADMIN_PASSWORD that you set/);
    assert.ok(!(first.stdout + first.stderr).includes(adminPassword));
    const second = await stage.start({ ...env, ADMIN_PASSWORD: 'another password' });
    assert.doesNotMatch(second.output(), /first start/);
    await connectTo(second.base);
    await second.stop();
  });
});

describe('a start on a slow machine', () => {
  it('succeeds although the modules take longer to load than a database may take to answer', async () => {
    const database = await createTestDatabase();
    try {
      // 6 s in which nothing else runs, after the database was asked.
      const slow = `import { registerHooks } from 'node:module';
        registerHooks({ load(url, context, next) {
          if (url.endsWith('/server/serve.ts')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 6000);
          return next(url, context);
        } });`;
      const program = await stage.start({
        ...known,
        DATA_DIR: stage.newDataDir(),
        DATABASE_URL: urlOf(database.connection),
        NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(slow)}`,
      });
      await connectTo(program.base);
      assert.equal((await program.stop()).code, 0);
    } finally {
      await database.drop();
    }
  });
});

describe('a start that cannot succeed', () => {
  it('is rejected while another service uses the data folder, which keeps running', async () => {
    const env = { ...known, DATA_DIR: stage.newDataDir() };
    const program = await stage.start(env);
    const { code, stderr } = await runProgram(env);
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`in use by another running service \\(pid ${program.process.pid},`));
    assert.doesNotMatch(stderr, /\n\s+at /);
    const { call } = await connectTo(program.base);
    assert.equal((await call('GET', '/crm/records')).status, 200);
    await program.stop();
  });

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
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase();
  });
  after(() => database.drop());

  it('is created when it does not exist yet, also with a DATABASE_URL', async () => {
    const DATA_DIR = join(stage.newDataDir(), 'not', 'there', 'yet');
    const program = await stage.start({ ...known, DATABASE_URL: urlOf(database.connection), DATA_DIR });
    assert.ok(existsSync(join(DATA_DIR, 'secret-key')));
    await program.stop();
  });

  it('that cannot be created or written to ends the start with a message and no stack', async () => {
    const file = join(stage.newDataDir(), 'a-file');
    writeFileSync(file, '');
    const wrong: [string, RegExp][] = [
      ['/proc/talkboard', /DATA_DIR \/proc\/talkboard cannot be written to \(E[A-Z]+\)/],
      [join(file, 'data'), /DATA_DIR \S+ is not a folder/],
      [file, /DATA_DIR \S+ is not a folder/],
    ];
    for (const [DATA_DIR, message] of wrong) {
      for (const url of ['', urlOf(database.connection)]) {
        const { code, stderr } = await runProgram({ ...known, DATABASE_URL: url, DATA_DIR });
        assert.equal(code, 1);
        assert.match(stderr, message);
        assert.match(stderr, /set DATA_DIR to another folder/);
        assert.doesNotMatch(stderr, /\n\s+at /);
      }
    }
  });
});

describe('stopping', () => {
  it('finishes what was asked before SIGTERM and keeps every record that it answered for', async () => {
    const env = { ...known, DATA_DIR: stage.newDataDir() };
    const program = await stage.start(env);
    const { token } = await connectTo(program.base);
    const load = startLoad(program.base, token, 16);
    await load.answered(200);
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
    const again = await stage.start(env);
    const titles = await listTitles(again.base);
    assert.deepEqual(
      answered.filter((one) => !titles.has(one.title)),
      [],
    );
    await again.stop();
  });

  it('starts again after kill -9 with every record that it answered for', async () => {
    const env = { ...known, DATA_DIR: stage.newDataDir() };
    const program = await stage.start(env);
    const { token } = await connectTo(program.base);
    const load = startLoad(program.base, token, 8);
    await load.answered(100);
    const { signal } = await program.stop('SIGKILL');
    assert.equal(signal, 'SIGKILL');
    const answered = (await load.end()).filter((one) => one.status === 201);

    const again = await stage.start(env);
    const titles = await listTitles(again.base);
    assert.deepEqual(
      answered.filter((one) => !titles.has(one.title)),
      [],
    );
    assert.equal((await again.stop()).code, 0);
  });
});

describe('processes that share a DATABASE_URL', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase({ empty: true });
  });
  after(() => database.drop());

  it('start together on an empty database, make one account and serve the same records', async () => {
    const env = {
      ...known,
      DATABASE_URL: urlOf(database.connection),
      DATA_DIR: stage.newDataDir(),
      SECRET_KEY: 'the same for all processes of a service',
    };
    const [one, two, worker] = await Promise.all([
      stage.start({ ...env, PROCESS_ROLE: 'api' }),
      stage.start({ ...env, PROCESS_ROLE: 'api', DATA_DIR: stage.newDataDir() }),
      stage.start({ ...env, PROCESS_ROLE: 'worker', DATA_DIR: stage.newDataDir() }),
    ]);
    const firstStarts = [one, two, worker].filter((each) => each!.output().includes('first start'));
    assert.equal(firstStarts.length, 1);
    assert.equal(worker!.base, '');

    const { token, call } = await connectTo(one!.base);
    const created = await call('POST', '/crm/records', { title: 'Seen by both' });
    assert.equal(created.status, 201);
    const answer = await fetch(`${two!.base}/crm/records/${created.body.recordId}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    assert.deepEqual(await answer.json(), created.body);
    const ends = await Promise.all([one, two, worker].map((each) => each!.stop()));
    assert.deepEqual(
      ends.map((end) => end.code),
      [0, 0, 0],
    );
  });
});

async function listTitles(base: string): Promise<Set<string>> {
  const { call } = await connectTo(base);
  const titles = new Set<string>();
  let next = '';
  do {
    const { body } = await call('GET', `/crm/records?limit=100${next && `&nextToken=${next}`}`);
    for (const record of body.items) titles.add(record.title);
    next = body.nextToken ?? '';
  } while (next);
  return titles;
}
