/** No folder is crowded, and no import leads back to its own file. */
import { dirname } from 'node:path';
import { importCycles } from './import-cycles.ts';
import { isTest, type Rule } from './import-rules.ts';
import type { SourceFile } from './source.ts';

const maxFiles = 20;
const counted = /^(server|cli|bench|contract|dashboard\/src|widget)\/.*\.(ts|tsx)$/;

/** Said once, of the folder's first file. */
const noCrowdedFolder: Rule = ({ path }, project) => {
  const folder = dirname(path);
  if (!counted.test(path) || isTest(path)) return [];
  const files = project
    .map((file) => file.path)
    .filter((other) => dirname(other) === folder && counted.test(other) && !isTest(other))
    .sort();
  if (files.length <= maxFiles || files[0] !== path) return [];
  return [
    `is one of ${files.length} files in ${folder}; ${maxFiles} is the most. Give what belongs together a folder of its own.`,
  ];
};

/** Said of each file of the cycle. Types vanish before the program runs and are left out. */
const noCycles: Rule = (file, project) => {
  if (!file.path.startsWith('server/') || isTest(file.path)) return [];
  const cycle = cyclesOf(project).get(file.path);
  return cycle
    ? [
        `is in an import cycle with ${cycle.filter((path) => path !== file.path).join(', ') || 'itself'}. Move what both need into a file that imports neither.`,
      ]
    : [];
};

const known = new WeakMap<readonly SourceFile[], Map<string, string[]>>();

/** The files of every cycle, by each of its files. */
function cyclesOf(project: readonly SourceFile[]): Map<string, string[]> {
  const earlier = known.get(project);
  if (earlier) return earlier;
  const files = project
    .filter(({ path }) => path.startsWith('server/') && !isTest(path))
    .map((file) => ({ ...file, imports: file.imports.filter((one) => !one.isTypeOnly) }));
  const cycles = new Map(importCycles(files).flatMap((cycle) => cycle.map((path) => [path, cycle] as const)));
  known.set(project, cycles);
  return cycles;
}

export const folderRules: Rule[] = [noCrowdedFolder, noCycles];
