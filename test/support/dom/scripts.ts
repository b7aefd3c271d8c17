/**
 * The built dashboard and Playwright's search for elements, as functions of the globals of a window: compiled once for
 * the process, run once for each page, which so has a state of its own. Without a context of node:vm for each page, in
 * which every global is looked up the long way.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Script } from 'node:vm';
import { nodeFiles } from '../../../scripts/build-dashboard-node.ts';
import { root } from '../../../scripts/build-once.ts';
import type { DomWindow } from './window.ts';

/** Of a browser's page these are the window, and those of Node are not there. */
const windowNames = ['window', 'globalThis', 'self', 'top', 'parent', 'frames'];
const absent = ['process', 'Buffer', 'global', 'require', 'module', 'exports'];
/** Their values change; the build reads them from the window. */
const live = new Set([
  'innerWidth',
  'innerHeight',
  'name',
  'event',
  'closed',
  'status',
  'length',
  'eval',
  'undefined',
]);

let names: string[] | null = null;

function namesOf(window: DomWindow): string[] {
  const found = new Set<string>();
  for (let one: object | null = window; one && one !== Object.prototype; one = Object.getPrototypeOf(one)) {
    for (const name of Object.getOwnPropertyNames(one)) found.add(name);
  }
  const taken = new Set([...windowNames, ...absent, ...live, 'constructor', 'NaN', 'Infinity']);
  return [...found].filter(
    (name) => /^[A-Za-z_$][\w$]*$/.test(name) && !taken.has(name) && !isBuiltIn(window, name),
  );
}

/** Those of the language are the same in every window. */
const isBuiltIn = (window: DomWindow, name: string) =>
  /^[A-Z]|^(parse|decode|encode|is|escape|unescape)/.test(name) &&
  (window as unknown as Record<string, unknown>)[name] === (globalThis as Record<string, unknown>)[name];

interface Compiled {
  script: Script;
  call(...globals: unknown[]): unknown;
  /** Where the compiled code is kept beside the build; null: it is already. */
  keepIn: string | null;
}

const compiled = new Map<string, Compiled>();

/** With what an earlier process has compiled: most functions are compiled when they are first called. */
function compile(filename: string, source: string): Compiled {
  // V8 compares the length of the source only.
  const hash = createHash('sha256').update(source).digest('hex').slice(0, 16);
  const cache = join(root, 'dist/dashboard-node', `${basename(filename)}.${hash}.${process.version}`);
  const cachedData = existsSync(cache) ? readFileSync(cache) : undefined;
  const script = new Script(source, { filename, cachedData });
  const isKept = cachedData && !script.cachedDataRejected;
  return { script, call: script.runInThisContext(), keepIn: isKept ? null : cache };
}

/** After tests have used them. */
export function keepCompiled(): void {
  for (const one of compiled.values()) {
    if (!one.keepIn) continue;
    const beside = `${one.keepIn}-${process.pid}`;
    writeFileSync(beside, one.script.createCachedData());
    renameSync(beside, one.keepIn);
    one.keepIn = null;
  }
}

function run(window: DomWindow, filename: string, code: () => string): unknown {
  names ??= namesOf(window);
  let found = compiled.get(filename);
  if (!found) {
    const parameters = [...windowNames, ...absent, ...names].join(',');
    found = compile(filename, `(function (${parameters}) { ${code()}\n})`);
    compiled.set(filename, found);
  }
  const values = window as unknown as Record<string, unknown>;
  return found.call(
    ...windowNames.map(() => window),
    ...absent.map(() => undefined),
    ...names.map((name) => values[name]),
  );
}

const built = (name: string) => join(root, 'dist/dashboard-node', name);
const read = (path: string) => () => readFileSync(path, 'utf8');

/** As the page of the service does: what comes before the first paint, then the dashboard. */
export function runDashboard(window: DomWindow): void {
  const early = join(root, 'dashboard/public/early.js');
  run(window, early, read(early));
  const dashboard = built(nodeFiles.dashboard);
  run(window, dashboard, read(dashboard));
}

/** Playwright's `InjectedScript`, as much of it as is used. */
export interface Engine {
  parseSelector(selector: string): unknown;
  querySelectorAll(selector: unknown, root: unknown): unknown[];
  /** `isFrameVisible`: of the frame around it. */
  elementState(
    element: unknown,
    state: string,
    isFrameVisible: boolean,
  ): { matches: boolean; received: string };
  retarget(element: unknown, how: string): unknown;
  ariaSnapshot(element: unknown, options: object): string;
}

export function startEngine(window: DomWindow): Engine {
  const file = built(nodeFiles.engine);
  const Found = run(window, file, () => {
    const source = readFileSync(file, 'utf8');
    return `module = {}; ${source}\nreturn module.exports.InjectedScript();`;
  }) as new (
    window: DomWindow,
    options: object,
  ) => Engine;
  return new Found(window, {
    isUnderTest: false,
    sdkLanguage: 'javascript',
    frameSeq: 0,
    testIdAttributeName: 'data-testid',
    stableRafCount: 1,
    browserName: 'chromium',
    shouldPrependErrorPrefix: false,
    isUtilityWorld: true,
    customEngines: [],
  });
}

/** An expression, statements, or the text of a function, which is called. */
export function evaluateIn(window: DomWindow, code: string, args: unknown[] | null): unknown {
  const evaluate = new Function('window', 'code', 'with (window) { return eval(code); }');
  const value = evaluate(window, args ? `(${code})` : code);
  return args ? value(...args) : value;
}
