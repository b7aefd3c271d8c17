// Runs before `npm start` and `npm test`, on any Node >= 20: installs the dependencies (including Node 24) if they
// are missing or older than the lock file, and builds the dashboard and the chat widget if their sources have
// changed. Plain JavaScript for that reason.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
const lockFile = join(root, 'package-lock.json');
const stamp = join(modules, '.installed-lock');
const neededMajor = 24;

if (isInstalled()) keepStamp();
else install();
build('build-dashboard.ts', 'dashboard');
build('build-widget.ts', 'chat widget');

function isInstalled() {
  if (!existsSync(stamp)) return isComplete();
  return readFileSync(stamp, 'utf8') === readFileSync(lockFile, 'utf8');
}

/** After a manual `npm ci`, npm's own copy of the lock file is newer than ours. */
function isComplete() {
  const installed = join(modules, '.package-lock.json');
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(lockFile).mtimeMs;
}

function install() {
  console.log('Installing dependencies (only the first time, and when they change) …');
  const bin = join(modules, '.bin');
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const result = spawnSync(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    env,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (result.status !== 0) {
    console.error('npm could not install the dependencies; see its messages above.');
    process.exit(1);
  }
  rmSync(stamp, { force: true });
  keepStamp();
}

/** What was installed, by content: a copy or a checkout changes the times of files. */
function keepStamp() {
  if (!existsSync(stamp)) writeFileSync(stamp, readFileSync(lockFile));
}

/**
 * The Node of the lock file: an optional package per platform, verified by its checksum. On a platform without one,
 * the Node that runs this must be new enough.
 */
function findNode() {
  const bundled = join(modules, '.bin', 'node');
  if (existsSync(bundled)) return bundled;
  if (Number.parseInt(process.versions.node, 10) >= neededMajor) return process.execPath;
  console.error(
    `Node ${neededMajor} or later is needed: there is no bundled one for ${process.platform} ${process.arch}. Install it first.`,
  );
  process.exit(1);
}

/** Uses the installed Node, not the one that runs this. */
function build(script, what) {
  const result = spawnSync(findNode(), [join(root, 'scripts', script)], { cwd: root, stdio: 'inherit' });
  if (result.status !== 0) {
    console.error(`The ${what} could not be built; see the messages above.`);
    process.exit(1);
  }
}
