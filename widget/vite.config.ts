/** Two scripts into dist/widget: the loader for sites, and the frame with the chat (see scripts/build-widget.ts). */
import type { InlineConfig } from 'vite';

export const parts = ['loader', 'frame'] as const;
export type Part = (typeof parts)[number];

export const configOf = (part: Part, outDir: string): InlineConfig => ({
  root: import.meta.dirname,
  configFile: false,
  logLevel: 'warn',
  cacheDir: '../dist/.vite-widget',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir,
    emptyOutDir: part === parts[0],
    target: 'es2022',
    // One classic script each: a frame without an origin may not load modules, and a site wants one line.
    rolldownOptions: {
      input: part === 'loader' ? 'loader.ts' : 'frame/frame.tsx',
      output: { format: 'iife', entryFileNames: `${part}.js`, assetFileNames: `${part}[extname]` },
    },
    cssCodeSplit: false,
    modulePreload: false,
  },
});
