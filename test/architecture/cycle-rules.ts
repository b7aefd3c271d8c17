/** No import leads back to its own file. Files of one folder may import types of each other. */
import { dirname } from 'node:path';
import { importCycles } from './import-cycles.ts';
import { isTest } from './import-rules.ts';
import type { SourceFile } from './source.ts';

const checked = /^(browser|cli|contract|dashboard|server|widget)\//;

export function forbiddenCycles(project: readonly SourceFile[]): string[][] {
  const files = project.filter(({ path }) => checked.test(path) && !isTest(path));
  const withoutTypes = files.map((file) => ({
    ...file,
    imports: file.imports.filter(({ isTypeOnly }) => !isTypeOnly),
  }));
  return [
    ...importCycles(withoutTypes),
    ...importCycles(files).filter((cycle) => new Set(cycle.map((path) => dirname(path))).size > 1),
  ];
}
