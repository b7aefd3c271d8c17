/**
 * `node scripts/build-dashboard-node.ts`: the dashboard for test/support/dom, which runs it in Node. One file without
 * style sheets, and beside it what finds elements by role, name and text: Playwright's own, so that a test finds the
 * same in Node as in Chromium.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { buildOnce, root } from './build-once.ts';

/** Of dist/dashboard-node. */
export const nodeFiles = { dashboard: 'dashboard.js', engine: 'engine.js' };

const sources = [
  'dashboard',
  'browser',
  'contract',
  'package-lock.json',
  'scripts/build-dashboard-node.ts',
] as const;

export async function buildDashboardNode(): Promise<void> {
  await buildOnce('dashboard-node', sources, async (outDir) => {
    console.log('Building the dashboard for Node (only the first time, and when it changes) …');
    const { build } = await import('vite');
    const { default: react } = await import('@vitejs/plugin-react');
    await build({
      configFile: false,
      root: join(root, 'dashboard'),
      base: '/app/',
      publicDir: false,
      logLevel: 'error',
      plugins: [react(), withoutStyles],
      // Bare, these would be read once for a page (test/support/dom/scripts.ts).
      define: { innerWidth: 'window.innerWidth', innerHeight: 'window.innerHeight' },
      build: {
        outDir,
        emptyOutDir: true,
        target: 'esnext',
        minify: false,
        assetsInlineLimit: 0,
        modulePreload: false,
        reportCompressedSize: false,
        chunkSizeWarningLimit: 100_000,
        rolldownOptions: {
          input: join(root, 'dashboard/src/main.tsx'),
          output: { format: 'iife', codeSplitting: false, entryFileNames: nodeFiles.dashboard },
        },
      },
    });
    writeFileSync(join(outDir, nodeFiles.engine), readEngine());
  });
}

const withoutStyles = {
  name: 'without-styles',
  enforce: 'pre' as const,
  load: (id: string) => (/\.css($|\?)/.test(id) ? { code: '' } : null),
};

/** The script that Playwright runs in every page is a text in the middle of its own bundle. */
function readEngine(): string {
  const bundle = readFileSync(join(root, 'node_modules/playwright-core/lib/coreBundle.js'), 'utf8');
  const [, literal] = /generated\/injectedScriptSource\.ts"\(\) \{[^']{0,60}= ('.*');\n/.exec(bundle) ?? [];
  if (!literal) throw new Error('Playwright’s script of a page is no longer where it was in its bundle');
  return String(runInNewContext(literal));
}

if (process.argv[1] === import.meta.filename) await buildDashboardNode();
