/** Debian's packages that tests need: installed when they run as root and one is missing. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Null: it is there now. Otherwise why not. */
export function installPackage(name: string): string | null {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return 'these tests may not install it';
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]) =>
    spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=600', ...args], { env, encoding: 'utf8' });
  // The list may be out of date and the package in it all the same.
  apt('update');
  const { status, stderr } = apt('install', '-y', '--no-install-recommends', name);
  return status === 0 ? null : stderr.slice(-500);
}
