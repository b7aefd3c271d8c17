// Installs the packages of the lock file. The lock file has no addresses, so that any registry can be used; npm then
// asks the registry about each package before it fetches it, which costs 40 % of its processor time. So npm gets a copy
// with the addresses of the registry that it is set to. The checksums stay: a wrong address cannot bring other bytes.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { runNpm } from './setup-run.mjs';

const folderOfModules = 'node_modules/';

/** False: it failed, and nothing was changed. An ordinary `npm ci` asks the registry for the addresses, or says what is wrong. */
export async function installAnew(root, args) {
  const registry = await registryOf(root);
  if (registry === null) return false;
  const stage = join(root, 'dist', '.install');
  rmSync(stage, { recursive: true, force: true });
  try {
    prepare(root, stage, registry);
    const { code } = await runNpm(['ci', ...args], { cwd: stage });
    if (code !== 0) return false;
    const modules = join(root, 'node_modules');
    rmSync(modules, { recursive: true, force: true });
    renameSync(join(stage, 'node_modules'), modules);
    return true;
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** In npm's own scripts it is in the environment. */
async function registryOf(root) {
  const set = process.env.npm_config_registry;
  if (set) return set;
  const { output } = await runNpm(['config', 'get', 'registry'], { cwd: root });
  return URL.canParse(output.trim()) ? output.trim() : null;
}

function prepare(root, stage, registry) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const workspaces = lock.packages[''].workspaces ?? [];
  for (const file of ['package.json', '.npmrc', ...workspaces.map((folder) => `${folder}/package.json`)]) {
    if (!existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(stage, file)), { recursive: true });
    copyFileSync(join(root, file), join(stage, file));
  }
  writeFileSync(join(stage, 'package-lock.json'), JSON.stringify(withAddresses(lock, registry)));
}

export function withAddresses(lock, registry) {
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
