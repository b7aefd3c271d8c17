/**
 * Which small modules go into one file. Left to itself the bundler makes a file for every set of views that share a module:
 * the board was made of forty files, of which half were smaller than their own headers.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Rolldown } from 'vite';

const entry = /\/src\/main\.tsx$/;
const boardPage = /\/src\/board\/board-page\.tsx$/;
const small = [
  /\/dashboard\/src\/(ui|fields|data|texts)\/[\w-]+\.tsx?$/,
  /\/dashboard\/src\/(board|record)\/[\w-]+\.ts$/,
  /\/contract\/limits\.ts$/,
  /\/@tanstack\/react-query\/.*[iI]nfiniteQuery(Options)?\.js$/,
];
const icon = /\/lucide-react\/dist\/esm\/icons\/([\w-]+)\.m?js$/;

export function commonChunk(moduleId: string, context: Rolldown.ChunkingContext): string | null {
  const iconName = icon.exec(moduleId)?.[1];
  if (!iconName && !small.some((one) => one.test(moduleId))) return null;
  const users = iconName ? (usersOfIcons().get(iconName) ?? []) : [moduleId];
  const isUsedBy = (user: RegExp) => users.some((one) => reaches(user, one, context));
  return isUsedBy(boardPage) && !isUsedBy(entry) ? 'common' : null;
}

/** Only by way of what is imported at once; a view that is loaded later is a file of its own. */
function reaches(user: RegExp, moduleId: string, context: Rolldown.ChunkingContext): boolean {
  const seen = new Set([moduleId]);
  for (const id of seen) {
    if (user.test(id)) return true;
    for (const importer of context.getModuleInfo(id)?.importers ?? []) seen.add(importer);
  }
  return false;
}

let found: Map<string, string[]> | null = null;
/** Read from the sources: to the bundler every icon is imported by the library's index, and that by everyone. */
function usersOfIcons(): Map<string, string[]> {
  if (found) return found;
  const fileOf = new Map<string, string>();
  const index = readFileSync(
    join(import.meta.dirname, '../node_modules/lucide-react/dist/esm/lucide-react.mjs'),
    'utf8',
  );
  for (const [, names = '', file = ''] of index.matchAll(
    /export \{([^}]+)\} from '\.\/icons\/([\w-]+)\.m?js'/g,
  )) {
    for (const [, name = ''] of names.matchAll(/as (\w+)/g)) fileOf.set(name, file);
  }
  found = new Map();
  for (const path of globSync(join(import.meta.dirname, 'src/**/*.tsx'))) {
    const names = /import \{([^}]+)\} from 'lucide-react'/.exec(readFileSync(path, 'utf8'))?.[1] ?? '';
    for (const name of names.split(',')) {
      const file = fileOf.get(name.trim().split(' ')[0]!);
      if (file) found.set(file, [...(found.get(file) ?? []), path]);
    }
  }
  return found;
}
