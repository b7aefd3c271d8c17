/** `node scripts/build-dashboard.ts`: builds the dashboard unless the build is as new as its sources. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, 'dist/dashboard.stamp');
const sources = ['dashboard', 'contract', 'package-lock.json'];

/** By content, not by time: a fresh checkout gives every file a new time. */
function sourcesHash(): string {
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

export async function buildDashboard(): Promise<void> {
  const hash = sourcesHash();
  if (existsSync(join(root, 'dist/dashboard/index.html')) && existsSync(stamp)) {
    if (readFileSync(stamp, 'utf8') === hash) return;
  }
  console.log('Building the dashboard (only the first time, and when it changes) …');
  // Beside the old one, then in its place: whoever starts meanwhile finds a whole build.
  const { build } = await import('vite');
  const outDir = join(root, `dist/dashboard-${process.pid}`);
  await build({ configFile: join(root, 'dashboard/vite.config.ts'), logLevel: 'warn', build: { outDir } });
  rmSync(join(root, 'dist/dashboard'), { recursive: true, force: true });
  renameSync(outDir, join(root, 'dist/dashboard'));
  writeFileSync(stamp, hash);
}

if (import.meta.main) await buildDashboard();
