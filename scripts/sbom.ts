/**
 * `npm run -s sbom`: a CycloneDX bill of materials of everything that runs in production, read from the lock file, so
 * that it needs neither a network nor an installation. `npm sbom` rejects lock files with bundled packages. It has no
 * time and no random number: the same lock file gives the same bytes.
 */
import { statedLicence } from './licences.rules.ts';
import { type Package, readPackages } from './lock-file.ts';

const { own, all } = readPackages();
const production = new Map([...all].filter(([, one]) => !one.dev));

function purlOf({ name, version }: Package): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

const sorted = (texts: Iterable<string>) => [...new Set(texts)].sort((a, b) => (a < b ? -1 : 1));

/** Two copies of one version are one component; it is required if one of them is. */
const copies = Map.groupBy(production.values(), purlOf);
const refs = sorted(copies.keys());

function componentOf(purl: string) {
  const same = copies.get(purl)!;
  const { name, version, integrity } = same[0]!;
  const [algorithm, digest] = integrity?.split('-', 2) ?? [];
  const hash = { alg: algorithm?.toUpperCase().replace('SHA', 'SHA-'), content: hexOf(digest ?? '') };
  const licence = statedLicence(same[0]!);
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    // Optional: for another platform, or omitted by `npm ci --omit=optional`.
    scope: same.every(({ optional }) => optional) ? 'optional' : 'required',
    ...(integrity && { hashes: [hash] }),
    ...(licence && { licenses: [licenceOf(licence)] }),
    purl,
  };
}

function hexOf(base64: string): string {
  return Buffer.from(base64, 'base64').toString('hex');
}

function licenceOf(licence: string) {
  return /^[\w.+-]+$/.test(licence) ? { license: { id: licence } } : { expression: licence };
}

/** What the copies of a component use, in production. */
function dependencyOf(ref: string, same: readonly Package[]) {
  const used = same.flatMap(({ uses }) => uses.flatMap((path) => production.get(path) ?? []));
  return { ref, dependsOn: sorted(used.map(purlOf)) };
}

const bom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: {
    component: {
      type: 'application',
      'bom-ref': purlOf(own),
      name: own.name,
      version: own.version,
      licenses: [licenceOf(own.license!)],
      purl: purlOf(own),
    },
  },
  components: refs.map(componentOf),
  dependencies: [dependencyOf(purlOf(own), [own]), ...refs.map((ref) => dependencyOf(ref, copies.get(ref)!))],
};
// A reader such as `head` may end first.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`);
