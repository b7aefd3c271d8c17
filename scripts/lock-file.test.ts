import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';

interface LockedPackage {
  integrity?: string;
  bundleDependencies?: string[];
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const text = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8');
const { packages } = JSON.parse(text) as { packages: Record<string, LockedPackage> };

/**
 * `npm ci` refuses a lock file that lacks a package for a platform which is not even this one, and npm leaves such a
 * package out when the registry at hand did not have it.
 */
it('the lock file has every package that another one in it asks for, on any platform', () => {
  const missing = Object.entries(packages).flatMap(([path, locked]) => {
    // Only the project's own are listed as devDependencies here.
    const asked = { ...locked.dependencies, ...locked.devDependencies, ...locked.optionalDependencies };
    return Object.keys(asked)
      .filter((name) => !locked.bundleDependencies?.includes(name))
      .filter((name) => !placesFrom(path, name).some((place) => place in packages))
      .map((name) => `${name}, which ${path || 'the project'} asks for`);
  });
  assert.deepEqual(missing, []);
});

it('the lock file has a checksum for every package, on any platform', () => {
  const unchecked = Object.entries(packages).filter(([path, locked]) => path !== '' && !locked.integrity);
  assert.deepEqual(
    unchecked.map(([path]) => path),
    [],
  );
});

/** Where Node would look for a package, from the innermost folder outwards. */
function placesFrom(path: string, name: string): string[] {
  const own = path === '' ? `node_modules/${name}` : `${path}/node_modules/${name}`;
  const cut = path.lastIndexOf('node_modules/');
  return path === '' ? [own] : [own, ...placesFrom(path.slice(0, Math.max(0, cut - 1)), name)];
}
