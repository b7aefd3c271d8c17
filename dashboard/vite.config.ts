/** Builds into dist/dashboard, from where the service serves it at /app/ (server/platform/http/dashboard.routes.ts). */
import { join } from 'node:path';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { boardPage } from './vite.board-page.ts';
import { compressed } from './vite.compressed.ts';
import { groupsOf } from './vite.groups.ts';

export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  cacheDir: '../dist/.vite-dashboard',
  plugins: [react(), tailwindcss(), boardPage(), compressed()],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: { groups: groupsOf(join(import.meta.dirname, 'src/main.tsx')) },
        // The first load names more than a hundred files. The default of 8 characters costs 150 bytes.
        chunkFileNames: 'assets/[name]-[hash:7].js',
      },
    },
  },
  // `npm run dashboard` beside `npm start`: the API answers as it does in production, from the same address.
  server: {
    proxy: {
      '^/(?!app/).*': { target: 'http://127.0.0.1:3000', ws: true },
    },
  },
  // Replaced by the service with a fresh value in every answer (see the policy there).
  html: { cspNonce: '__CSP_NONCE__' },
});
