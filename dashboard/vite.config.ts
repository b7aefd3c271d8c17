/** Builds into dist/dashboard, from where the service serves it at /app/ (server/platform/http/dashboard.routes.ts). */
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { boardPage } from './vite.board-page.ts';
import { compressed } from './vite.compressed.ts';

/**
 * What every view needs, as few files instead of twenty small ones: each costs a request and half a kilobyte of headers,
 * and small files compress badly. A board's first load is 181 KB in 9 files with them, 188 KB in 29 without (Brotli, no font).
 */
const icons = { name: 'icons', test: /lucide-react.+icons\//, minShareCount: 4 };
/** Those of the shell and of a board. With another one a board's first load has all of `icons`: add it here. */
const firstIcons = [
  'alarm-clock at-sign bell bot calendar calendar-clock chart-no-axes-column check chevron-down chevrons-left',
  'chevrons-right circle-check circle-dot coins compass download ellipsis funnel hash inbox info keyboard layers link-2',
  'list-checks list-todo lock log-out megaphone message-square minus monitor moon panel-left phone plus rotate-cw save',
  'search search-x settings sliders-horizontal square-kanban sun table-2 text-align-start toggle-left trash',
  'triangle-exclamation-point type upload user users wifi-off x',
]
  .join(' ')
  .replaceAll(' ', '|');
const base = {
  name: 'base',
  test: new RegExp(
    [
      `lucide-react.+icons/(${firstIcons})\\.`,
      'tanstack.(react-query|query-core|react-router|router-core|history|react-store|store).',
      'contract/limits',
      'browser/markdown',
      'src/(data/|texts/(format|texts|languages|parts)|fields/field-(icon|value)|board/data/board-live)',
      'src/ui/(controls/(switch|button)|display/time|overlays/(popover|tooltip|menu))',
    ].join('|'),
  ),
};

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
    rolldownOptions: { output: { codeSplitting: { groups: [base, icons] } } },
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
