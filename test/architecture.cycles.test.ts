/** Holds the code to the rule on import cycles, and the rule itself to being able to fail. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { forbiddenCycles } from './architecture/cycle-rules.ts';
import { readProject, sourceFile } from './architecture/source.ts';
import { root } from './support/program.ts';

it('no import leads back to its own file', () => {
  const project = readProject(root);
  assert.ok(project.length > 80, 'the project was not found');
  assert.deepEqual(forbiddenCycles(project), [], 'move what both need into a file that imports neither');
});

describe('the rule on import cycles', () => {
  const cyclesOf = (files: Record<string, string>) =>
    forbiddenCycles(Object.entries(files).map(([path, text]) => sourceFile(path, text)));

  it('finds two files that import each other', () => {
    const a = 'server/platform/csv/a.ts';
    const b = 'server/platform/csv/b.ts';
    assert.deepEqual(
      cyclesOf({ [a]: `import { b } from './b.ts';`, [b]: `export { a } from './a.ts';` })[0],
      [a, b],
    );
  });

  it('finds three files, one of which imports lazily, and not what they import', () => {
    const files = {
      'dashboard/src/page.tsx': `const load = () => import('./form.tsx');`,
      'dashboard/src/form.tsx': `import { name } from './name.ts';\nimport './style.ts';`,
      'dashboard/src/name.ts': `import { page } from './page.tsx';`,
      'dashboard/src/style.ts': '',
    };
    const { 'dashboard/src/style.ts': _style, ...inCycle } = files;
    assert.deepEqual(cyclesOf(files)[0], Object.keys(inCycle).sort());
  });

  it('finds a file that imports itself', () => {
    assert.deepEqual(cyclesOf({ 'cli/a.ts': `import { a } from './a.ts';` })[0], ['cli/a.ts']);
  });

  it('allows types inside a folder, and refuses them between folders', () => {
    const one = (path: string) => ({
      'server/platform/csv/a.ts': `import type { B } from '${path}';`,
    });
    assert.deepEqual(cyclesOf({ ...one('./b.ts'), 'server/platform/csv/b.ts': `import './a.ts';` }), []);
    assert.equal(
      cyclesOf({ ...one('./read/b.ts'), 'server/platform/csv/read/b.ts': `import '../a.ts';` }).length,
      1,
    );
  });

  it('leaves tests and tools alone', () => {
    assert.deepEqual(
      cyclesOf({ 'test/support/a.ts': `import './a.ts';`, 'bench/b.ts': `import './b.ts';` }),
      [],
    );
  });
});
