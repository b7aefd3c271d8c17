/** Rules for the dashboard's code: no import cycles, folders and components of a readable size. */
import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { describe, it } from 'node:test';
import { importCycles } from './architecture/import-cycles.ts';
import { readProject, type SourceFile, sourceFile } from './architecture/source.ts';
import { root } from './support/program.ts';

const maxFilesInFolder = 20;

const isSource = ({ path }: SourceFile) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path);
const files = readProject(root).filter((file) => file.path.startsWith('dashboard/src/') && isSource(file));

function crowdedFolders(sources: readonly SourceFile[]): string[] {
  const counts = new Map<string, number>();
  for (const { path } of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > maxFilesInFolder)
    .map(([folder, count]) => `${folder} has ${count} source files; ${maxFilesInFolder} is the limit`);
}

describe('the architecture of the dashboard', () => {
  it('has no import cycles', () => {
    assert.ok(files.length > 200, 'the dashboard was not found');
    assert.deepEqual(importCycles(files), []);
  });

  it('has no crowded folders', () => {
    assert.deepEqual(crowdedFolders(files), []);
  });
});

describe('the rules of the dashboard', () => {
  it('find a cycle, also through type imports and lazy ones', () => {
    const cycle = [
      sourceFile('dashboard/src/page.tsx', `const load = () => import('./form.tsx');`),
      sourceFile('dashboard/src/form.tsx', `import { name } from './name.ts';\nimport './style.ts';`),
      sourceFile('dashboard/src/name.ts', `import type { Props } from './page.tsx';`),
      sourceFile('dashboard/src/style.ts', ''),
    ];
    assert.deepEqual(importCycles(cycle), [
      ['dashboard/src/form.tsx', 'dashboard/src/name.ts', 'dashboard/src/page.tsx'],
    ]);
  });

  it('find a crowded folder', () => {
    const many = Array.from({ length: 21 }, (_, index) =>
      sourceFile(`dashboard/src/ui/part-${index}.tsx`, ''),
    );
    assert.deepEqual(crowdedFolders(many), ['dashboard/src/ui has 21 source files; 20 is the limit']);
  });
});
