// Runs before `npm start` and `npm test`, on any Node >= 20: installs the packages (including Node 24) if they are
// missing or older than the lock file, and builds the dashboard and the chat widget if their sources have changed.
// Plain JavaScript for that reason.
//
//   node scripts/setup.mjs           everything: the packages of the service, its optional parts, and the tools
//   node scripts/setup.mjs --start   what a start needs; the service fetches its optional parts when it is ready
//   node scripts/setup.mjs --parts   the optional parts too, beside a running service
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addPackages, installAnew } from './setup-install.mjs';
import { withLock } from './setup-lock.mjs';
import { run } from './setup-run.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
const lockFile = join(root, 'package-lock.json');
/** What was installed, by content: a copy or a checkout changes the times of files. */
const stampName = '.installed-lock';
/** Which of the sets below is installed; without the file, all of it. */
const setName = '.installed-set';
const neededMajor = 24;
/** The exit code of a build script with `--check` whose build is older than its sources. */
const outdatedCode = 10;

/** Each contains the one before. The workspaces of package.json are the optional parts. */
const sets = ['start', 'parts', 'all'];
const argumentsOf = {
  start: ['--omit=dev', '--workspaces=false'],
  parts: ['--omit=dev'],
  all: ['--include=dev'],
};

const isPartsOnly = process.argv.includes('--parts');
const isStart = process.argv.includes('--start');
const wanted = isPartsOnly ? 'parts' : isStart ? setOfStart() : 'all';

try {
  // The lock is for changes: a start that finds everything waits for nobody and writes nothing.
  if (!isReady()) await withLock(join(root, 'dist', '.setup-lock'), install);
  keepStamp();
  if (!isPartsOnly) await buildAll();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

/** Tracing records from the first request on, so its packages must be there. */
function setOfStart() {
  const { FETCH_PARTS, ...env } = process.env;
  const isTraced = Object.keys(env).some((name) => name.startsWith('OTEL_'));
  return isTraced && FETCH_PARTS?.trim() !== 'off' ? 'parts' : 'start';
}

function isReady() {
  return isInstalled() && sets.indexOf(installedSet()) >= sets.indexOf(wanted);
}

function isInstalled() {
  const stamp = textOf(join(modules, stampName));
  return stamp === null ? isComplete() : stamp === readFileSync(lockFile, 'utf8');
}

/** After a manual `npm ci`, npm's own copy of the lock file is newer than ours. */
function isComplete() {
  const installed = statSync(join(modules, '.package-lock.json'), { throwIfNoEntry: false });
  return installed !== undefined && installed.mtimeMs >= statSync(lockFile).mtimeMs;
}

function installedSet() {
  const set = textOf(join(modules, setName))?.trim() ?? 'all';
  return sets.includes(set) ? set : 'start';
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
  if (!isInstalled()) {
    console.log('Installing packages (only the first time, and when they change) …');
    const stamps = { [stampName]: readFileSync(lockFile), [setName]: wanted };
    await installAnew(root, argumentsOf[wanted], stamps);
    return;
  }
  console.log('Installing more packages (only the first time) …');
  // Of the workspaces alone, if that is enough.
  await addPackages(root, [...argumentsOf[wanted], ...(wanted === 'parts' ? ['--workspaces'] : [])]);
  put(setName, wanted);
}

/** Whole or not at all. */
function put(name, text) {
  const file = join(modules, name);
  writeFileSync(`${file}-${process.pid}`, text);
  renameSync(`${file}-${process.pid}`, file);
}

/** After a manual `npm ci`. Where it cannot be written, the times must do. */
function keepStamp() {
  try {
    if (!existsSync(join(modules, stampName))) put(stampName, readFileSync(lockFile));
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
