// Installs the packages of the lock file with `npm ci`, in a folder of its own, and renames the complete result to
// where it belongs. So an interrupted setup changes nothing, and a running service keeps its packages until then.
//
// The lock file has no addresses, so that any registry can be used. Without them npm asks the registry about each
// package, and `npm ci --omit=dev` with a full cache took 57 and 58 s of processor time instead of 29 and 34 s. So that
// folder has a copy of the lock file with addresses, whose host npm replaces by that of its registry. The checksums
// stay: a wrong address cannot bring other bytes.
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { runNpm } from './setup-run.mjs';

const folderOfModules = 'node_modules/';

/** Replaces an earlier installation. `stampName` is a copy of the lock file, among the packages. */
export async function installPackages(root, args, stampName) {
  const place = join(root, 'dist');
  for (const name of readdirSync(place)) if (name.startsWith('.install')) remove(join(place, name));
  // A new folder each time: the npm of a killed setup may still write into the last one.
  const stage = mkdtempSync(join(place, '.install-'));
  try {
    for (const file of ['package.json', '.npmrc']) {
      if (existsSync(join(root, file))) copyFileSync(join(root, file), join(stage, file));
    }
    await runCi(stage, readFileSync(join(root, 'package-lock.json'), 'utf8'), args);
    const installed = join(stage, 'node_modules');
    copyFileSync(join(root, 'package-lock.json'), join(installed, stampName));
    const modules = join(root, 'node_modules');
    // A link counts, also if its target is missing.
    if (lstatSync(modules, { throwIfNoEntry: false })) renameSync(modules, join(stage, 'replaced'));
    renameSync(installed, modules);
  } finally {
    remove(stage);
  }
}

/** The next setup removes what cannot be removed now. */
function remove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {}
}

async function runCi(stage, lock, args) {
  const lockFile = join(stage, 'package-lock.json');
  writeFileSync(lockFile, withAddresses(lock));
  const { code } = await runNpm(['ci', ...args, '--replace-registry-host=always'], { cwd: stage });
  if (code === 0) return;
  // A registry may use other addresses: npm asks for them, or says what is wrong.
  writeFileSync(lockFile, lock);
  const { code: plainCode, errors } = await runNpm(['ci', ...args], { cwd: stage });
  if (plainCode !== 0) throw new Error(`npm could not install the packages:\n${errors}`);
}

function withAddresses(text) {
  const lock = JSON.parse(text);
  for (const [path, locked] of Object.entries(lock.packages)) {
    if (!locked.integrity || locked.resolved) continue;
    const name = locked.name ?? path.slice(path.lastIndexOf(folderOfModules) + folderOfModules.length);
    const file = `${name.slice(name.lastIndexOf('/') + 1)}-${locked.version}.tgz`;
    locked.resolved = `https://registry.invalid/${name}/-/${file}`;
  }
  return JSON.stringify(lock);
}
