import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, lstat, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually } from '../test/support/eventually.ts';

const run = promisify(execFile);
const scripts = fileURLToPath(new URL('.', import.meta.url));
const folders: string[] = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

/**
 * Notes its arguments, where it runs and whether it sees a secret. What it installs is a Node, its own copy of the lock
 * file and a package, which is complete with its second file. With `stays` it waits before that file for a signal.
 */
const npm = `#!${process.execPath}
import fs from 'node:fs';
const log = import.meta.dirname + '/../npm.log';
const args = process.argv.slice(2).filter((one) => !/^--(no-audit|no-fund|no-progress|loglevel=error)$/.test(one));
const { npm_config_refuses: refuses, npm_config_stays: stays, SECRET_KEY: secret } = process.env;
const isStaged = process.cwd().includes('.install-');
const note = (what) => fs.appendFileSync(log, JSON.stringify(what) + '\\n');
note({ isStaged, args, ...(secret && { secret }) });
const lock = fs.readFileSync('package-lock.json', 'utf8');
const hasAddresses = lock.includes('https:');
if (hasAddresses) fs.writeFileSync(log + '.staged', lock);
if (refuses && (hasAddresses || refuses !== 'addresses')) {
  console.error('npm error code ' + refuses);
  process.exit(1);
}
fs.mkdirSync('node_modules/.bin', { recursive: true });
fs.rmSync('node_modules/.bin/node', { force: true });
fs.symlinkSync(process.execPath, 'node_modules/.bin/node');
fs.mkdirSync('node_modules/one');
fs.writeFileSync('node_modules/one/package.json', args.join(' '));
if (stays) {
  let signals = 0;
  process.on('SIGTERM', () => {
    if (++signals === 1) setTimeout(() => (note({ ended: signals }), process.exit(1)), 300);
  });
  setTimeout(() => process.exit(1), 300_000);
  note({ pid: process.pid });
  await new Promise(() => {});
}
fs.writeFileSync('node_modules/one/index.js', '');
const installed = args.includes('--omit=dev') ? {} : { tool: { dev: true } };
fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify(installed, null, 2));
`;

const lock = {
  name: 'talkboard',
  packages: {
    '': { name: 'talkboard' },
    'node_modules/@scope/one': { version: '1.2.3', integrity: 'sha512-a' },
    'node_modules/two/node_modules/three': { version: '4.0.0', integrity: 'sha512-b' },
    'node_modules/two/node_modules/bundled': { version: '1.0.0', inBundle: true },
  },
};

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'talkboard-setup-'));
  folders.push(folder);
  return folder;
}

/** With a database, unless asked otherwise: creating one takes a process of its own in each start. */
async function bareClone({ hasDatabase = true } = {}) {
  const root = await newFolder();
  if (hasDatabase) await mkdir(join(root, 'data/postgres'), { recursive: true });
  const put = async (path: string, text: string, mode = 0o644) => {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), text, { mode });
  };
  for (const name of ['setup.mjs', 'setup-install.mjs', 'setup-lock.mjs', 'setup-run.mjs']) {
    await cp(join(scripts, name), join(root, 'scripts', name));
  }
  await put('package.json', '{ "type": "module" }');
  await put('package-lock.json', JSON.stringify(lock));
  const noting = (name: string) => `import { appendFileSync, mkdirSync } from 'node:fs';
    if (process.argv[2] === '--check') process.exit(process.env.OUTDATED ? 10 : 0);
    appendFileSync(import.meta.dirname + '/../npm.log.built', '${name} ');
    if ('${name}' !== 'database') mkdirSync(import.meta.dirname + '/../dist/${name}', { recursive: true });`;
  await put('scripts/build-dashboard.ts', noting('dashboard'));
  await put('scripts/build-widget.ts', noting('widget'));
  await put('cli/talkboard.mjs', noting('database'));
  await put('bin/npm', npm, 0o755);
  return cloneIn(root);
}

let started: Promise<string> | null = null;

/** A copy of a clone that is set up for a start. */
async function startedClone() {
  started ??= (async () => {
    const clone = await bareClone();
    await clone.setup(['--start']);
    await clone.calls();
    return clone.root;
  })();
  const root = await newFolder();
  await cp(await started, root, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  return cloneIn(root);
}

function cloneIn(root: string) {
  const log = join(root, 'npm.log');
  const { DATABASE_URL: _url, ...inherited } = process.env;
  const env = {
    ...inherited,
    PATH: `${join(root, 'bin')}:${process.env.PATH}`,
    SECRET_KEY: 'of the service',
    DATA_DIR: 'data',
  };
  const read = (path: string) => readFile(join(root, path), 'utf8').catch(() => '');
  const setup = (args: string[] = [], more: Record<string, string> = {}) =>
    run(process.execPath, [join(root, 'scripts/setup.mjs'), ...args], { env: { ...env, ...more } });
  return {
    root,
    setup,
    /** Until npm has half a package. */
    async setupWithinNpm(args: string[]) {
      const running = setup(args, { npm_config_stays: 'yes' });
      const ended = running.then(
        () => 0,
        (error) => error.code,
      );
      let npmPid = 0;
      await eventually(async () => {
        npmPid = Number(/"pid":(\d+)/.exec(await read('npm.log'))?.[1] ?? 0);
        return npmPid > 0;
      }, 60_000);
      return { setup: running.child, npmPid, ended };
    },
    read,
    /** What npm was called with since the last look. */
    async calls() {
      const lines = (await read('npm.log')).split('\n').filter((line) => line !== '');
      await rm(log, { force: true });
      return lines
        .map((line) => JSON.parse(line) as { isStaged: boolean; args?: string[] })
        .filter(({ args }) => args);
    },
    async built() {
      const names = (await read('npm.log.built')).split(' ').filter(Boolean).sort();
      await rm(`${log}.built`, { force: true });
      return names;
    },
  };
}

const startArguments = ['ci', '--omit=dev', '--replace-registry-host=always'];
const testArguments = ['ci', '--include=dev', '--replace-registry-host=always'];

describe('setup', () => {
  it('installs for a start what a start needs, builds, and creates the database', async () => {
    const clone = await bareClone({ hasDatabase: false });
    await clone.setup(['--start']);
    assert.doesNotMatch(await clone.read('npm.log'), /of the service/, 'npm sees no secret');
    assert.deepEqual(await clone.calls(), [{ isStaged: true, args: startArguments }]);
    assert.deepEqual(await clone.built(), ['dashboard', 'database', 'widget']);
    assert.equal(await clone.read('node_modules/.installed-lock'), JSON.stringify(lock));
    // npm got the addresses; the lock file did not.
    const { packages } = JSON.parse(await clone.read('npm.log.staged'));
    assert.equal(
      packages['node_modules/@scope/one'].resolved,
      'https://registry.invalid/@scope/one/-/one-1.2.3.tgz',
    );
    assert.equal(
      packages['node_modules/two/node_modules/three'].resolved,
      'https://registry.invalid/three/-/three-4.0.0.tgz',
    );
    const bundled = 'node_modules/two/node_modules/bundled';
    assert.deepEqual(packages[bundled], lock.packages[bundled]);
    assert.deepEqual(JSON.parse(await clone.read('package-lock.json')), lock);
    // A second start installs nothing, and leaves an existing database alone.
    await mkdir(join(clone.root, 'data/postgres'), { recursive: true });
    await clone.setup(['--start']);
    assert.deepEqual(await clone.calls(), []);
    assert.deepEqual(await clone.built(), []);
    await clone.setup(['--start'], { OUTDATED: 'yes' });
    assert.deepEqual(await clone.built(), ['dashboard', 'widget']);
    assert.deepEqual((await readdir(join(clone.root, 'dist'))).sort(), ['dashboard', 'widget']);
  });

  it('installs the tools too for tests', async () => {
    const clone = await startedClone();
    await clone.setup();
    assert.deepEqual(await clone.calls(), [{ isStaged: true, args: testArguments }]);
    await clone.setup();
    await clone.setup(['--start']);
    assert.deepEqual(await clone.calls(), []);
  });

  it('believes a manual npm ci, and repairs one that was interrupted', async () => {
    const clone = await startedClone();
    await rm(join(clone.root, 'node_modules/.installed-lock'));
    await clone.setup(['--start']);
    assert.deepEqual(await clone.calls(), []);
    assert.equal(await clone.read('node_modules/.installed-lock'), JSON.stringify(lock));
    // npm writes this file last.
    await rm(join(clone.root, 'node_modules/.package-lock.json'));
    await clone.setup(['--start']);
    assert.deepEqual(await clone.calls(), [{ isStaged: true, args: startArguments }]);
  });

  it('installs again when the lock file has changed', async () => {
    const clone = await startedClone();
    await writeFile(join(clone.root, 'package-lock.json'), JSON.stringify({ ...lock, version: '2.0.0' }));
    await clone.setup(['--start']);
    assert.deepEqual(await clone.calls(), [{ isStaged: true, args: startArguments }]);
  });

  it('lets npm find the addresses where a registry has others', async () => {
    const clone = await bareClone();
    await clone.setup(['--start'], { npm_config_refuses: 'addresses' });
    assert.deepEqual(await clone.calls(), [
      { isStaged: true, args: startArguments },
      { isStaged: true, args: ['ci', '--omit=dev'] },
    ]);
  });

  it('says what npm says', async () => {
    const clone = await bareClone();
    const failure = clone.setup(['--start'], { npm_config_refuses: 'ENOTFOUND' });
    await assert.rejects(failure, /npm could not install the packages:\nnpm error code ENOTFOUND/);
    assert.equal((await clone.calls()).length, 2);
    assert.deepEqual(await readdir(join(clone.root, 'dist')), []);
    assert.equal(await clone.read('node_modules/.installed-lock'), '');
  });

  it('runs once at a time, and not for ever after one that was killed', async () => {
    const clone = await bareClone();
    await mkdir(join(clone.root, 'dist'));
    const dead = run(process.execPath, ['-e', '']);
    await dead;
    await writeFile(join(clone.root, 'dist/.setup-lock'), String(dead.child.pid));
    await Promise.all([1, 2, 3, 4].map(() => clone.setup(['--start'])));
    assert.equal((await clone.calls()).length, 1);
    assert.deepEqual((await readdir(join(clone.root, 'dist'))).sort(), ['dashboard', 'widget']);
  });

  it('does not wait for a lock that nobody has written their id into', async () => {
    const clone = await bareClone();
    await mkdir(join(clone.root, 'dist'));
    const file = join(clone.root, 'dist/.setup-lock');
    await writeFile(file, '');
    const past = Date.now() / 1_000 - 10;
    await utimes(file, past, past);
    await clone.setup(['--start']);
    assert.equal((await clone.calls()).length, 1);
  });

  it('takes no lock and writes nothing if there is nothing to do', async () => {
    const clone = await startedClone();
    // As if another one installed the tools.
    const file = join(clone.root, 'dist/.setup-lock');
    await writeFile(file, String(process.pid));
    await clone.setup(['--start']);
    // Also not if the builds are out of date.
    await clone.setup(['--start'], { OUTDATED: 'yes' });
    await rm(file);
    const before = await changesIn(clone.root);
    await clone.setup(['--start']);
    assert.deepEqual(await changesIn(clone.root), before);
    assert.deepEqual(await clone.calls(), []);
  });

  it('ends after npm when it is told to stop, and tells npm once', async () => {
    const clone = await bareClone();
    const { setup, ended } = await clone.setupWithinNpm(['--start']);
    setup.kill('SIGTERM');
    setup.kill('SIGTERM');
    assert.equal(await ended, 1);
    assert.match(await clone.read('npm.log'), /"ended":1\}/);
    assert.deepEqual(await readdir(join(clone.root, 'dist')), []);
    assert.equal(await clone.read('node_modules/one/package.json'), '');
  });

  it('leaves no half of a package behind when it is killed', async () => {
    const clone = await startedClone();
    const { setup, npmPid, ended } = await clone.setupWithinNpm([]);
    setup.kill('SIGKILL');
    await ended;
    // npm goes on, in a folder of its own.
    assert.equal(await clone.read('node_modules/one/package.json'), startArguments.join(' '));
    await clone.setup();
    process.kill(npmPid, 'SIGKILL');
    assert.equal(await clone.read('node_modules/one/package.json'), testArguments.join(' '));
    assert.match(await clone.read('node_modules/.package-lock.json'), /"dev": true/);
  });
});

/** Each file and folder, with the time of its last change. Reading changes nothing of that. */
async function changesIn(folder: string) {
  const entries = await readdir(folder, { recursive: true });
  const names = ['.', ...entries].filter((name) => !name.includes('.log')).sort();
  return Promise.all(names.map(async (name) => [name, (await lstat(join(folder, name))).ctimeMs]));
}
