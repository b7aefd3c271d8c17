// Installs the packages of the lock file. The lock file has no addresses, so that any registry can be used; npm then
// asks the registry about each package before it fetches it, which costs 40 % of its processor time. So npm gets a copy
// with the addresses of the registry that it is set to. The checksums stay: a wrong address cannot bring other bytes.
//
// npm works in a folder of its own, and what is complete is renamed to where it belongs. So a setup that is killed
// leaves no half of a package behind.
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { runNpm } from './setup-run.mjs';

const folderOfModules = 'node_modules/';

/** Instead of what is there. `stamps` are files that say what was installed, by their name. */
export async function installAnew(root, args, stamps) {
  await withStage(root, args, (stage) => {
    const installed = join(stage, 'node_modules');
    for (const [name, text] of Object.entries(stamps)) writeFileSync(join(installed, name), text);
    const modules = join(root, 'node_modules');
    if (isThere(modules)) renameSync(modules, join(stage, 'replaced'));
    renameSync(installed, modules);
  });
}

/** Beside what is there: a service may run with it. */
export async function addPackages(root, args) {
  await withStage(root, args, (stage) =>
    moveMissing(join(stage, 'node_modules'), join(root, 'node_modules')),
  );
}

/** A new folder each time: the npm of a setup that was killed may still write into the last one. */
async function withStage(root, args, use) {
  const place = join(root, 'dist');
  for (const name of readdirSync(place)) if (name.startsWith('.install')) remove(join(place, name));
  const stage = mkdtempSync(join(place, '.install-'));
  try {
    await installInto(stage, root, args);
    use(stage);
  } finally {
    remove(stage);
  }
}

/** What cannot be removed now is removed by the next setup. */
function remove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {}
}

async function installInto(stage, root, args) {
  const registry = await registryOf(root);
  if (registry !== null) {
    prepare(root, stage, (lock) => withAddresses(lock, registry));
    const { code } = await runNpm(['ci', ...args], { cwd: stage });
    if (code === 0) return;
  }
  // Without addresses npm asks the registry for them, or says what is wrong.
  prepare(root, stage, (lock) => lock);
  const { code, errors } = await runNpm(['ci', ...args], { cwd: stage });
  if (code !== 0) throw new Error(`npm could not install the packages:\n${errors}`);
}

/** In npm's own scripts it is in the environment. */
async function registryOf(root) {
  const set = process.env.npm_config_registry;
  if (set) return set;
  const { output } = await runNpm(['config', 'get', 'registry'], { cwd: root });
  return URL.canParse(output.trim()) ? output.trim() : null;
}

function prepare(root, stage, change) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const workspaces = lock.packages[''].workspaces ?? [];
  for (const file of ['package.json', '.npmrc', ...workspaces.map((folder) => `${folder}/package.json`)]) {
    if (!existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(stage, file)), { recursive: true });
    copyFileSync(join(root, file), join(stage, file));
  }
  writeFileSync(join(stage, 'package-lock.json'), JSON.stringify(change(lock)));
}

function withAddresses(lock, registry) {
  const base = registry.replace(/\/*$/, '/');
  const packages = Object.entries(lock.packages).map(([path, locked]) => {
    const isOurs = !path.includes(folderOfModules);
    if (isOurs || locked.link || locked.inBundle || locked.resolved) return [path, locked];
    const name = locked.name ?? path.slice(path.lastIndexOf(folderOfModules) + folderOfModules.length);
    const file = `${name.slice(name.lastIndexOf('/') + 1)}-${locked.version}.tgz`;
    return [path, { ...locked, resolved: `${base}${name}/-/${file}` }];
  });
  return { ...lock, packages: Object.fromEntries(packages) };
}

/** Of each package that is already there, only those inside it that are missing. */
function moveMissing(from, to) {
  if (!existsSync(from)) return;
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    // Scopes and commands are folders of many packages.
    if (name.startsWith('@') || name === '.bin') moveMissing(source, target);
    else if (name.startsWith('.')) continue;
    else if (!isThere(target)) renameSync(source, target);
    else if (isFolder(source)) moveMissing(join(source, 'node_modules'), join(target, 'node_modules'));
  }
}

/** A link counts, wherever it leads. */
function isThere(path) {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isFolder(path) {
  return lstatSync(path).isDirectory();
}
