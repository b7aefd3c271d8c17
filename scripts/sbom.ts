/**
 * `npm run -s sbom`: a CycloneDX bill of materials of everything that runs in production, read from the lock file, so
 * that it needs neither a network nor an installation. `npm sbom` rejects lock files with bundled packages.
 */
import { readFileSync } from 'node:fs';

interface LockedPackage {
  version: string;
  integrity?: string;
  license?: string;
  dev?: boolean;
  optional?: boolean;
}

interface LockFile {
  name: string;
  version: string;
  packages: Record<string, LockedPackage>;
}

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as LockFile;
const modules = 'node_modules/';

/** Two copies of one version are one component. */
const components = new Map(
  Object.entries(lock.packages)
    .filter(([path, locked]) => path !== '' && !locked.dev)
    .map(([path, locked]) => {
      const name = path.slice(path.lastIndexOf(modules) + modules.length);
      return [purlOf(name, locked.version), componentOf(name, locked)] as const;
    })
    .sort(([a], [b]) => (a < b ? -1 : 1)),
);

function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function componentOf(name: string, { version, integrity, license, optional }: LockedPackage) {
  const purl = purlOf(name, version);
  const [algorithm, digest] = integrity?.split('-', 2) ?? [];
  const hash = { alg: algorithm?.toUpperCase().replace('SHA', 'SHA-'), content: hexOf(digest ?? '') };
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    // For another platform, or omitted by `npm ci --omit=optional`.
    scope: optional ? 'optional' : 'required',
    ...(integrity && { hashes: [hash] }),
    ...(license && { licenses: [licenseOf(license)] }),
    purl,
  };
}

function hexOf(base64: string): string {
  return Buffer.from(base64, 'base64').toString('hex');
}

function licenseOf(license: string) {
  return /^[\w.+-]+$/.test(license) ? { license: { id: license } } : { expression: license };
}

const bom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: {
    component: {
      type: 'application',
      'bom-ref': purlOf(lock.name, lock.version),
      name: lock.name,
      version: lock.version,
      purl: purlOf(lock.name, lock.version),
    },
  },
  components: [...components.values()],
};
// A reader such as `head` may end first.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`);
