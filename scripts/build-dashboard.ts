/** `node scripts/build-dashboard.ts`: builds the dashboard unless the build is up to date. */
import { join } from 'node:path';
import { buildOnce, root } from './build-once.ts';

export async function buildDashboard(): Promise<void> {
  await buildOnce('dashboard', ['dashboard', 'browser', 'contract', 'package-lock.json'], async (outDir) => {
    console.log('Building the dashboard (only the first time, and when it changes) …');
    const { build } = await import('vite');
    await build({ configFile: join(root, 'dashboard/vite.config.ts'), logLevel: 'warn', build: { outDir } });
  });
}

if (process.argv[1] === import.meta.filename) await buildDashboard();
