import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const scripts = fileURLToPath(new URL('.', import.meta.url));
const folders: string[] = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

/** Notes its arguments and where it runs. What it installs is a Node and its own copy of the lock file. */
const npm = `#!${process.execPath}
import fs from 'node:fs';
const args = process.argv.slice(2).filter((one) => !/^--(no-audit|no-fund|no-progress|loglevel=error)$/.test(one));
const isStaged = process.cwd().endsWith('.install');
fs.appendFileSync(process.env.NPM_LOG, JSON.stringify({ isStaged, args }) + '\\n');
if (args[0] === 'config') console.log('https://packages.example.com/npm/');
else {
  if (isStaged) fs.copyFileSync('package-lock.json', process.env.NPM_LOG + '.staged');
  if (process.env.NPM_REFUSES && (isStaged || process.env.NPM_REFUSES !== 'addresses')) {
    console.error('npm error code ' + process.env.NPM_REFUSES);
    process.exit(1);
  }
  fs.mkdirSync('node_modules/.bin', { recursive: true });
  fs.rmSync('node_modules/.bin/node', { force: true });
  fs.symlinkSync(process.execPath, 'node_modules/.bin/node');
  fs.copyFileSync('package-lock.json', 'node_modules/.package-lock.json');
}
`;

const lock = {
  name: 'talkboard',
  packages: {
    '': { name: 'talkboard', workspaces: ['server/voice'] },
    'node_modules/@scope/one': { version: '1.2.3', integrity: 'sha512-a' },
    'node_modules/two/node_modules/three': { version: '4.0.0', integrity: 'sha512-b' },
    'node_modules/voice': { resolved: 'server/voice', link: true },
    'server/voice': { name: 'voice' },
  },
};

async function bareClone() {
  const root = await mkdtemp(join(tmpdir(), 'talkboard-setup-'));
  folders.push(root);
  const put = async (path: string, text: string, mode = 0o644) => {
    await mkdir(join(root, path, '..'), { recursive: true });
    await writeFile(join(root, path), text, { mode });
  };
  for (const name of ['setup.mjs', 'setup-install.mjs', 'setup-lock.mjs', 'setup-run.mjs']) {
    await cp(join(scripts, name), join(root, 'scripts', name));
  }
  await put('package.json', '{ "type": "module", "workspaces": ["server/voice"] }');
  await put('server/voice/package.json', '{ "name": "voice" }');
  await put('package-lock.json', JSON.stringify(lock));
  const noting = (name: string) =>
    `import { appendFileSync } from 'node:fs'; appendFileSync(process.env.NPM_LOG + '.built', '${name} ');`;
  await put('scripts/build-dashboard.ts', noting('dashboard'));
  await put('scripts/build-widget.ts', noting('widget'));
  await put('cli/talkboard.mjs', noting('database'));
  await put('bin/npm', npm, 0o755);
  const log = join(root, 'npm.log');
  const { npm_config_registry: _registry, DATABASE_URL: _url, ...inherited } = process.env;
  const env = {
    ...inherited,
    PATH: `${join(root, 'bin')}:${process.env.PATH}`,
    NPM_LOG: log,
    DATA_DIR: 'data',
  };
  const read = (path: string) => readFile(join(root, path), 'utf8').catch(() => '');
  return {
    root,
    setup: (args: string[] = [], more: Record<string, string> = {}) =>
      run(process.execPath, [join(root, 'scripts/setup.mjs'), ...args], { env: { ...env, ...more } }),
    read,
    /** What npm was called with since the last look, apart from the question about the registry. */
    async calls() {
      const lines = (await read('npm.log')).split('\n').filter((line) => line !== '');
      await rm(log, { force: true });
      return lines
        .map((line) => JSON.parse(line) as { isStaged: boolean; args: string[] })
        .filter(({ args }) => args[0] !== 'config');
    },
    async built() {
      const names = (await read('npm.log.built')).trim().split(' ').sort();
      await rm(`${log}.built`, { force: true });
      return names;
    },
  };
}

const startArguments = ['ci', '--omit=dev', '--workspaces=false'];

describe('setup', () => {
  it('installs for a start what a start needs, builds, and creates the database', async () => {
    const clone = await bareClone();
    await clone.setup(['--start']);
    assert.deepEqual(await clone.calls(), [{ isStaged: true, args: startArguments }]);
    assert.deepEqual(await clone.built(), ['dashboard', 'database', 'widget']);
    assert.equal(await clone.read('node_modules/.installed-set'), 'start');
    // npm got the addresses; the lock file did not.
    const { packages } = JSON.parse(await clone.read('npm.log.staged'));
    assert.equal(
      packages['node_modules/@scope/one'].resolved,
      'https://packages.example.com/npm/@scope/one/-/one-1.2.3.tgz',
    );
    assert.equal(
      packages['node_modules/two/node_modules/three'].resolved,
      'https://packages.example.com/npm/three/-/three-4.0.0.tgz',
    );
    assert.deepEqual(packages['node_modules/voice'], lock.packages['node_modules/voice']);
    assert.deepEqual(JSON.parse(await clone.read('package-lock.json')), lock);
    // A second start installs nothing, and leaves an existing database alone.
    await mkdir(join(clone.root, 'data/postgres'), { recursive: true });
    await clone.setup(['--start']);
    assert.deepEqual(await clone.calls(), []);
    assert.deepEqual(await clone.built(), ['dashboard', 'widget']);
  });

  it('adds the rest to what is there', async () => {
    const clone = await bareClone();
    await clone.setup(['--start']);
    await clone.calls();
    await clone.setup(['--parts']);
    const added = ['install', '--no-save', '--prefer-offline'];
    assert.deepEqual(await clone.calls(), [{ isStaged: false, args: [...added, '--omit=dev'] }]);
    await clone.setup();
    assert.deepEqual(await clone.calls(), [{ isStaged: false, args: [...added, '--include=dev'] }]);
    await clone.setup();
    await clone.setup(['--start']);
    assert.deepEqual(await clone.calls(), []);
  });

  it('installs everything for tests, and the packages of tracing for a start that uses them', async () => {
    const tests = await bareClone();
    await tests.setup();
    assert.deepEqual(await tests.calls(), [{ isStaged: true, args: ['ci', '--include=dev'] }]);
    const traced = await bareClone();
    await traced.setup(['--start'], { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' });
    assert.deepEqual(await traced.calls(), [{ isStaged: true, args: ['ci', '--omit=dev'] }]);
  });

  it('installs again when the lock file has changed', async () => {
    const clone = await bareClone();
    await clone.setup(['--start']);
    await clone.calls();
    await writeFile(join(clone.root, 'package-lock.json'), JSON.stringify({ ...lock, version: '2.0.0' }));
    await clone.setup(['--start']);
    assert.deepEqual(await clone.calls(), [{ isStaged: true, args: startArguments }]);
  });

  it('lets npm find the addresses where a registry has others', async () => {
    const clone = await bareClone();
    await clone.setup(['--start'], { NPM_REFUSES: 'addresses' });
    assert.deepEqual(await clone.calls(), [
      { isStaged: true, args: startArguments },
      { isStaged: false, args: startArguments },
    ]);
  });

  it('says what npm says', async () => {
    const clone = await bareClone();
    const failure = clone.setup(['--start'], { NPM_REFUSES: 'ENOTFOUND' });
    await assert.rejects(failure, /npm could not install the packages:\nnpm error code ENOTFOUND/);
    assert.equal((await clone.calls()).length, 2);
    assert.equal(await clone.read('node_modules/.installed-set'), '');
  });

  it('runs once at a time, and not for ever after one that was killed', async () => {
    const clone = await bareClone();
    await mkdir(join(clone.root, 'dist'));
    const dead = run(process.execPath, ['-e', '']);
    await dead;
    await writeFile(join(clone.root, 'dist/.setup-lock'), String(dead.child.pid));
    await Promise.all([clone.setup(['--start']), clone.setup(['--start'])]);
    assert.equal((await clone.calls()).length, 1);
    assert.equal(await clone.read('dist/.setup-lock'), '');
  });
});
