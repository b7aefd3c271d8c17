/** The project's files for the rules: their text, and what each imports. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';

export interface Import {
  /** Our own file by its path from the root, or the package's name. */
  target: string;
  isOurs: boolean;
  isTypeOnly: boolean;
}

export interface SourceFile {
  path: string;
  text: string;
  imports: Import[];
}

const roots = [
  'contract',
  'browser',
  'server',
  'cli',
  'dashboard',
  'widget',
  'bench',
  'test',
  'scripts',
  'migrations',
];
const codeForm = /\.(ts|tsx|mts|js|mjs|cjs)$/;

export function readProject(root: string): SourceFile[] {
  const folders = readdirSync(root).filter((name) => roots.includes(name));
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => sourceFile(relative(root, path), readFileSync(path, 'utf8'))),
  );
}

export function sourceFile(path: string, text: string): SourceFile {
  return { path, text, imports: codeForm.test(path) ? importsOf(path, text) : [] };
}

/** Biome keeps statements at the start of a line and quotes single, so patterns see what a parser would. */
const statement = /^(?:import|export)\s+(type\s)?(?:[^'"`;]*?\sfrom\s+)?'([^'\n]+)'/gm;
/** `import('node:net').Socket` is the name of a type. */
const dynamic = /\bimport\(\s*'([^'\n]+)'\s*\)(\.[A-Z])?/g;
const required = /\brequire(?:\.resolve)?\(\s*'([^'\n]+)'/g;

function importsOf(path: string, text: string): Import[] {
  const found: Import[] = [];
  const add = (specifier: string, isTypeOnly: boolean) => {
    const isOurs = specifier.startsWith('.');
    const target = isOurs ? normalize(join(dirname(path), specifier)) : packageOf(specifier);
    found.push({ target, isOurs, isTypeOnly });
  };
  for (const match of text.matchAll(statement)) add(match[2]!, match[1] !== undefined);
  for (const match of text.matchAll(dynamic)) add(match[1]!, match[2] !== undefined);
  for (const match of text.matchAll(required)) add(match[1]!, false);
  return found;
}

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
