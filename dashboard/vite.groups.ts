/**
 * Which modules share a file. Few files instead of many small ones: each costs a request and half a kilobyte of headers,
 * and small files compress badly. What a view loads beyond its need stays small: a file has what the same views use.
 */
import type { Rolldown } from 'vite';

type Context = Rolldown.ChunkingContext;

/** Those of the shell and of a board. With another one a board's first load has all of `icons`: add it here. */
const firstIcons = new Set(
  [
    'alarm-clock at-sign bell book-open bot calendar calendar-clock chart-no-axes-column check chevron-down chevrons-left',
    'chevrons-right circle-check circle-dot clock coins compass download ellipsis funnel hash inbox info keyboard layers',
    'link-2 list-checks list-todo lock message-square minus panel-left phone plus rotate-cw',
    'save search search-x settings sliders-horizontal square-kanban table-2 text-align-start toggle-left trash',
    'triangle-exclamation-point type upload user users wifi-off x',
  ]
    .join(' ')
    .split(' '),
);
/** They import everything that there is, of which each view uses little. */
const barrel = /lucide-react\.mjs$|lucide-react\/dist\/esm\/icons\/index|node_modules\/radix-ui\//;
const icon = /lucide-react\/dist\/esm\/icons\/([^/]+)\.m?js$/;
const react = /node_modules\/(react|react-dom|scheduler)\//;
/** The libraries' lists of all they have import these, which few views use. */
const seldom = /@tanstack\/.*\/(useBlocker|useQueries|queriesObserver)\.js$/;
const overlay =
  /node_modules\/(@radix-ui|radix-ui|@floating-ui|react-remove-scroll|react-style-singleton|use-sidecar|use-callback-ref|aria-hidden|tslib|get-nonce)/;

/** The ids of the views that need each module, by what they import. */
function findViews(context: Context, entry: string): Map<string, Set<string>> {
  const viewsOf = new Map<string, Set<string>>();
  const views = new Set([entry]);
  for (const view of views) {
    const modules = new Set([view]);
    for (const id of modules) {
      const found = viewsOf.get(id) ?? new Set();
      viewsOf.set(id, found.add(view));
      const info = context.getModuleInfo(id);
      if (!info || barrel.test(id)) continue;
      for (const next of info.importedIds) modules.add(next);
      for (const next of info.dynamicallyImportedIds) views.add(next);
    }
  }
  return viewsOf;
}

/** Each file needs only those before it. */
const layers = [
  'react',
  'base',
  'forms',
  'lists',
  'overlays',
  'icons',
  'parts',
  'inbox',
  'settings',
] as const;
/** Modules that so many views need are in one file. */
const commonViews = 5;
type Layer = (typeof layers)[number];

/** `entry`: the module that a page begins with. */
export function groupsOf(entry: string): Rolldown.CodeSplittingGroup[] {
  let viewsOf: Map<string, Set<string>> | null = null;
  const layerOf = (id: string, context: Context): Layer | null => {
    const [, iconName] = icon.exec(id) ?? [];
    if (iconName) return firstIcons.has(iconName) ? 'base' : 'icons';
    if (/node_modules\/lucide-react\/|\/ui\/controls\/input\.tsx$/.test(id)) return 'base';
    // It changes seldom, so that a browser has it from the release before.
    if (react.test(id)) return 'react';
    if (overlay.test(id)) return 'overlays';
    if (seldom.test(id)) return 'parts';
    viewsOf ??= findViews(context, entry);
    const views = [...(viewsOf.get(id) ?? [])];
    const has = (view: RegExp) => views.some((one) => view.test(one));
    if (views.includes(entry)) return 'base';
    if (views.length > 1 && has(/\/login-page\.tsx$/)) return 'forms';
    if (views.length > 1 && has(/\/board-page\.tsx$/)) return 'lists';
    if (has(/\/overlay-code\.tsx$/)) return 'overlays';
    if (views.length < 2) return null;
    const all = (view: RegExp) => views.every((one) => view.test(one));
    if (all(/\/inbox\//)) return 'inbox';
    if (all(/\/(settings|security|start)\//)) return 'settings';
    return views.length >= commonViews ? 'parts' : null;
  };
  return layers.map((layer) => ({
    debugName: layer,
    name: (id, context) => (layerOf(id, context) === layer ? layer : null),
    includeDependenciesRecursively: false,
    ...(layer === 'icons' && { minShareCount: 2 }),
  }));
}
