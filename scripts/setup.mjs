// Runs before `npm start` and `npm test`, on any Node >= 20: installs the packages (including Node 24) if they are
// missing or older than the lock file, and builds the dashboard and the chat widget if their sources have changed.
// Plain JavaScript for that reason.
//
//   node scripts/setup.mjs           the packages of the service and the tools
//   node scripts/setup.mjs --start   the packages of the service
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages } from './setup-install.mjs';
import { withLock } from './setup-lock.mjs';
import { run } from './setup-run.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
const lockFile = join(root, 'package-lock.json');
/** The lock file of the installed packages. Compared by content: a copy or a checkout changes the times of files. */
const stampName = '.installed-lock';
const neededMajor = 24;
/** The exit code of a build script with `--check` whose build is older than its sources. */
const outdatedCode = 10;
const progressEveryMs = 5_000;

const isStart = process.argv.includes('--start');

try {
  // The lock is for changes: a start that finds everything neither waits nor writes.
  if (!isReady()) await withLock(join(root, 'dist', '.setup-lock'), install);
  keepStamp();
  await buildAll();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

function isReady() {
  // npm writes its own copy of the lock file last, with the packages that it has installed.
  const installed = textOf(join(modules, '.package-lock.json'));
  if (installed === null || !isCurrent()) return false;
  return isStart || installed.includes('"dev": true');
}

function isCurrent() {
  const stamp = textOf(join(modules, stampName));
  if (stamp !== null) return stamp === readFileSync(lockFile, 'utf8');
  // After a manual `npm ci`.
  const installed = statSync(join(modules, '.package-lock.json'), { throwIfNoEntry: false });
  return installed !== undefined && installed.mtimeMs >= statSync(lockFile).mtimeMs;
}

/** Null: there is none. Another setup may move the folder at any moment. */
function textOf(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

async function install() {
  // Another setup may have done it meanwhile.
  if (isReady()) return;
  console.log('Installing packages (only the first time, and when they change) …');
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1_000);
  const progress = setInterval(() => console.log(`  still installing, ${seconds()} s`), progressEveryMs);
  try {
    await installPackages(root, [isStart ? '--omit=dev' : '--include=dev'], stampName);
  } finally {
    clearInterval(progress);
  }
  console.log(`Installed in ${seconds()} s.`);
}

/** After a manual `npm ci`. Where it cannot be written, the times must do. */
function keepStamp() {
  const file = join(modules, stampName);
  try {
    if (existsSync(file)) return;
    // Whole or not at all.
    writeFileSync(`${file}-${process.pid}`, readFileSync(lockFile));
    renameSync(`${file}-${process.pid}`, file);
  } catch {}
}

function fail(message) {
  throw new Error(message);
}

/**
 * The Node of the lock file: an optional package per platform, verified by its checksum. On a platform without one,
 * the Node that runs this must be new enough.
 */
function findNode() {
  const bundled = join(modules, '.bin', 'node');
  if (existsSync(bundled)) return bundled;
  if (Number.parseInt(process.versions.node, 10) >= neededMajor) return process.execPath;
  return fail(
    `Node ${neededMajor} or later is needed: there is no bundled one for ${process.platform} ${process.arch}. Install it first.`,
  );
}

/** With the Node that was installed, not the one that runs this; the database beside the builds. */
async function buildAll() {
  const node = findNode();
  await allOf([buildPages(node), isFirstStart() && createDatabase(node)]);
}

async function buildPages(node) {
  const pages = [
    { name: 'dashboard', what: 'dashboard' },
    { name: 'widget', what: 'chat widget' },
  ];
  const runEach = (works, ...args) =>
    allOf(
      pages.map(async ({ name, what }) => {
        const script = join(root, 'scripts', `build-${name}.ts`);
        const options = { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] };
        const { code } = await run(node, [script, ...args], options);
        if (!works.includes(code)) fail(`The ${what} could not be built; see the messages above.`);
        return code;
      }),
    );
  if (pages.every(({ name }) => existsSync(join(root, 'dist', name)))) {
    const codes = await runEach([0, outdatedCode], '--check');
    if (!codes.includes(outdatedCode)) return;
  }
  await withLock(join(root, 'dist', '.build-lock'), () => runEach([0]));
}

/** Also if one fails, the others end first: they may still change files. */
async function allOf(promises) {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

function isFirstStart() {
  const { DATABASE_URL, DATA_DIR } = process.env;
  return isStart && !DATABASE_URL && !existsSync(join(resolve(root, DATA_DIR || 'data'), 'postgres'));
}

/** If it fails, the start fails for the same reason and says it. */
async function createDatabase(node) {
  await run(node, [join(root, 'cli', 'talkboard.mjs'), 'migrate'], { cwd: root, stdio: 'ignore' });
}
