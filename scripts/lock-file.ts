/** The packages of the lock file: what is installed, on any platform, without a network or an installation. */
import { readFileSync } from 'node:fs';

interface LockedPackage {
  version: string;
  integrity?: string;
  license?: string;
  dev?: boolean;
  optional?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

interface LockFile {
  name: string;
  version: string;
  packages: Record<string, LockedPackage>;
}

export interface Package extends LockedPackage {
  name: string;
  /** The folders of the packages that it uses; some of them are of other platforms. */
  uses: string[];
}

const modules = 'node_modules/';

export interface Packages {
  /** The project itself. */
  own: Package;
  /** By their folder. */
  all: ReadonlyMap<string, Package>;
}

export function readPackages(file = new URL('../package-lock.json', import.meta.url)): Packages {
  const { name, packages } = JSON.parse(readFileSync(file, 'utf8')) as LockFile;
  const asPackage = (path: string, locked: LockedPackage): Package => {
    const asked = { ...locked.peerDependencies, ...locked.dependencies, ...locked.optionalDependencies };
    const uses = Object.keys(asked).flatMap(
      (one) => placesFrom(path, one).find((place) => place in packages) ?? [],
    );
    return { ...locked, name: path === '' ? name : nameOf(path), uses };
  };
  const { '': own, ...others } = packages;
  return {
    own: asPackage('', own!),
    all: new Map(Object.entries(others).map(([path, locked]) => [path, asPackage(path, locked)])),
  };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf(modules) + modules.length);
}

/** Where Node would look for a package, from the innermost folder outwards. */
export function placesFrom(path: string, name: string): string[] {
  if (!path.includes(modules)) return [`${modules}${name}`];
  const cut = path.lastIndexOf(modules);
  return [`${path}/${modules}${name}`, ...placesFrom(path.slice(0, Math.max(0, cut - 1)), name)];
}
