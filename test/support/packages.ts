/** Programs that tests need: found, or installed as Debian packages if the tests run as root. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export function findProgram(...names: readonly string[]): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), '/usr/bin'];
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return paths.find((path) => existsSync(path)) ?? null;
}

/** Whether it is available now; its package has its name. */
export function bringProgram(name: string): boolean {
  return findProgram(name) !== null || installPackage(name) === null;
}

/** Null: it is available now. Otherwise why not. */
export function installPackage(name: string): string | null {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return 'these tests may not install it';
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]) =>
    spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=600', ...args], { env, encoding: 'utf8' });
  // The package list may be outdated but still contain the package.
  apt('update');
  const { status, stderr } = apt('install', '-y', '--no-install-recommends', name);
  return status === 0 ? null : stderr.slice(-500);
}
