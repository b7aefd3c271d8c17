/**
 * `node scripts/build-dashboard-node.ts`: the dashboard for test/support/dom, which runs it in Node. One file without
 * style sheets, and beside it what finds elements by role, name and text: Playwright's own, so that a test finds the
 * same in Node as in Chromium.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
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
      plugins: [react(), withoutStyles, plainExports],
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

const prefix = '\0plain:';
const commonJs = new Set(['react', 'react/jsx-runtime', 'react-dom', 'react-dom/client']);

/**
 * Every module that imports React would get an object of its own with a getter for each export, again in every page.
 * With these modules between them, an import is a variable.
 */
const plainExports = {
  name: 'plain-exports',
  enforce: 'pre' as const,
  resolveId: (source: string, importer: string | undefined, { kind }: { kind?: string }) =>
    commonJs.has(source) && kind !== 'require-call' && !importer?.startsWith(prefix)
      ? `${prefix}${source}`
      : null,
  load(id: string) {
    if (!id.startsWith(prefix)) return null;
    const source = id.slice(prefix.length);
    const names = Object.keys(createRequire(import.meta.url)(source));
    const lines = names.map((name) => `export const ${name} = all.${name};`);
    return { code: [`import all from '${source}';`, 'export default all;', ...lines].join('\n') };
  },
};

/** The script that Playwright runs in every page is a text in the middle of its own bundle. */
function readEngine(): string {
  const bundle = readFileSync(join(root, 'node_modules/playwright-core/lib/coreBundle.js'), 'utf8');
  const [, literal] = /generated\/injectedScriptSource\.ts"\(\) \{[^']{0,60}= ('.*');\n/.exec(bundle) ?? [];
  if (!literal) throw new Error('Playwright’s script of a page is no longer where it was in its bundle');
  return String(runInNewContext(literal));
}

if (process.argv[1] === import.meta.filename) await buildDashboardNode();
