// Runs before `npm start` and `npm test`, on any Node >= 20: installs the packages (including Node 24) if they are
// missing or older than the lock file, and builds the dashboard and the chat widget if their sources have changed.
// Plain JavaScript for that reason.
//
//   node scripts/setup.mjs           everything: the packages of the service, its optional parts, and the tools
//   node scripts/setup.mjs --start   what a start needs; the service fetches its optional parts when it is ready
//   node scripts/setup.mjs --parts   the optional parts too, beside a running service
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installAnew } from './setup-install.mjs';
import { holdSetupLock } from './setup-lock.mjs';
import { run, runNpm } from './setup-run.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
const lockFile = join(root, 'package-lock.json');
const stamp = join(modules, '.installed-lock');
/** Which of the sets below is installed; without the file, all of it. */
const setFile = join(modules, '.installed-set');
const neededMajor = 24;

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

await holdSetupLock(join(root, 'dist'));
if (isInstalled()) {
  keepStamp();
  if (sets.indexOf(installedSet()) < sets.indexOf(wanted)) await addPackages();
} else await install();
if (!isPartsOnly) await buildAll();

/** Tracing records from the first request on, so its packages must be there. */
function setOfStart() {
  return Object.keys(process.env).some((name) => name.startsWith('OTEL_')) ? 'parts' : 'start';
}

function isInstalled() {
  if (!existsSync(stamp)) return isComplete();
  return readFileSync(stamp, 'utf8') === readFileSync(lockFile, 'utf8');
}

/** After a manual `npm ci`, npm's own copy of the lock file is newer than ours. */
function isComplete() {
  const installed = join(modules, '.package-lock.json');
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(lockFile).mtimeMs;
}

function installedSet() {
  const set = existsSync(setFile) ? readFileSync(setFile, 'utf8').trim() : 'all';
  return sets.includes(set) ? set : 'start';
}

async function install() {
  console.log('Installing packages (only the first time, and when they change) …');
  if (!(await installAnew(root, argumentsOf[wanted]))) await npm(['ci', ...argumentsOf[wanted]]);
  rmSync(stamp, { force: true });
  keepStamp();
  writeFileSync(setFile, wanted);
}

/** Beside what is there: a service may run with it. */
async function addPackages() {
  console.log('Installing more packages (only the first time) …');
  const kept = readFileSync(lockFile);
  await npm(['install', '--no-save', '--prefer-offline', ...argumentsOf[wanted]]);
  // Some releases of npm write the lock file all the same.
  if (!readFileSync(lockFile).equals(kept)) writeFileSync(lockFile, kept);
  writeFileSync(setFile, wanted);
}

async function npm(args) {
  const env = { ...process.env, PATH: `${join(modules, '.bin')}${delimiter}${process.env.PATH}` };
  const { code, errors } = await runNpm(args, { cwd: root, env });
  if (code !== 0) fail(`npm could not install the packages:\n${errors}`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
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
  return fail(
    `Node ${neededMajor} or later is needed: there is no bundled one for ${process.platform} ${process.arch}. Install it first.`,
  );
}

/** Side by side, with the Node that was installed, not the one that runs this. */
async function buildAll() {
  const node = findNode();
  const build = async (script, what) => {
    const { code } = await run(node, [join(root, 'scripts', script)], { cwd: root, stdio: 'inherit' });
    if (code !== 0) fail(`The ${what} could not be built; see the messages above.`);
  };
  await Promise.all([
    build('build-dashboard.ts', 'dashboard'),
    build('build-widget.ts', 'chat widget'),
    isFirstStart() && createDatabase(node),
  ]);
}

function isFirstStart() {
  const { DATABASE_URL, DATA_DIR } = process.env;
  return isStart && !DATABASE_URL && !existsSync(join(resolve(root, DATA_DIR || 'data'), 'postgres'));
}

/** Beside the builds, not after them. If it fails, the start fails for the same reason and says it. */
async function createDatabase(node) {
  await run(node, [join(root, 'cli', 'talkboard.mjs'), 'migrate'], { cwd: root, stdio: 'ignore' });
}
