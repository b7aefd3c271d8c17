/** `node scripts/build-widget.ts`: builds the chat widget unless the build is up to date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { buildOnce } from './build-once.ts';

export async function buildWidget(): Promise<void> {
  await buildOnce('widget', ['widget', 'browser', 'contract', 'package-lock.json'], async (outDir) => {
    console.log('Building the chat widget (only the first time, and when it changes) …');
    const { build } = await import('vite');
    const { configOf, parts } = await import('../widget/vite.config.ts');
    for (const part of parts) await build(configOf(part, outDir));
    for (const name of ['frame.js', 'frame.css']) compress(join(outDir, name));
  });
}

/** The loader is compressed by the service, which inserts the channel's look. */
function compress(path: string): void {
  const bytes = readFileSync(path);
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  writeFileSync(`${path}.br`, brotliCompressSync(bytes));
}

if (process.argv[1] === import.meta.filename) await buildWidget();
