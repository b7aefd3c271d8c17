/** Builds what is older than its sources. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** By content, not by time: a fresh checkout gives every file a new time. */
function hashOf(sources: readonly string[]): string {
  const hash = createHash('sha256');
  for (const source of sources) {
    const path = join(root, source);
    const files = source.includes('.')
      ? [path]
      : readdirSync(path, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
          .map((entry) => join(entry.parentPath, entry.name))
          .sort();
    for (const file of files) hash.update(`${relative(root, file)}\n`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

/** Of `scripts/build-….ts --check`, which changes nothing: the build is older than its sources. setup.mjs knows it. */
const outdatedCode = 10;

const checked = new Map<string, Promise<void>>();

/**
 * Into dist/{name}: written beside the old build, then renamed. A process that starts meanwhile finds a complete
 * build. A process looks at the sources once: many of its tests ask for the same build.
 */
export function buildOnce(
  name: string,
  sources: readonly string[],
  build: (outDir: string) => Promise<void>,
): Promise<void> {
  const found = checked.get(name) ?? buildIfOlder(name, sources, build);
  checked.set(name, found);
  return found;
}

async function buildIfOlder(
  name: string,
  sources: readonly string[],
  build: (outDir: string) => Promise<void>,
): Promise<void> {
  const place = join(root, 'dist', name);
  const stamp = `${place}.stamp`;
  const hash = hashOf(sources);
  if (existsSync(place) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  if (process.argv.includes('--check')) process.exit(outdatedCode);
  const outDir = `${place}-${process.pid}`;
  await build(outDir);
  rmSync(place, { recursive: true, force: true });
  renameSync(outDir, place);
  writeFileSync(stamp, hash);
}
