/** Builds what is not as new as its sources. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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

/** `made` is a file that the build writes: without it there was none. */
export async function buildOnce(
  name: string,
  sources: readonly string[],
  made: string,
  build: () => Promise<void>,
): Promise<void> {
  const stamp = join(root, `dist/${name}.stamp`);
  const hash = hashOf(sources);
  if (existsSync(join(root, made)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  await build();
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(stamp, hash);
}
