/** Holds the code to the rules on folders and import cycles, and the rules themselves to being able to fail. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { folderRules } from './architecture/folder-rules.ts';
import { readProject, type SourceFile, sourceFile } from './architecture/source.ts';
import { root } from './support/program.ts';

function breachesOf(project: readonly SourceFile[]): string[] {
  return project.flatMap((file) =>
    folderRules.flatMap((rule) => rule(file, project).map((breach) => `${file.path} ${breach}`)),
  );
}

it('no folder is crowded, and no import leads back to its own file', () => {
  const project = readProject(root);
  assert.ok(project.length > 80, 'the project was not found');
  const breaches = breachesOf(project);
  assert.equal(breaches.length, 0, `\n${breaches.join('\n')}\n(docs/ARCHITECTURE.md explains the rules)`);
});

const manyFiles = Object.fromEntries(
  Array.from({ length: 21 }, (_, i) => [`server/platform/audio/part-${i + 10}.ts`, '']),
);

/** The files, the one that is blamed, and what must be said about it. */
const breaches: [title: string, files: Record<string, string>, blamed: string, said: RegExp][] = [
  ['a folder of 21 files', manyFiles, 'server/platform/audio/part-10.ts', /one of 21 files/],
  [
    'two files that import each other',
    {
      'server/platform/csv/a.ts': `import { b } from './b.ts';`,
      'server/platform/csv/b.ts': `export { a } from './a.ts';`,
    },
    'server/platform/csv/a.ts',
    /cycle with server\/platform\/csv\/b\.ts/,
  ],
  [
    'a cycle of three files',
    {
      'server/platform/csv/a.ts': `import { b } from './b.ts';`,
      'server/platform/csv/b.ts': `import { c } from './c.ts';\nimport { d } from './d.ts';`,
      'server/platform/csv/c.ts': `const a = await import('./a.ts');`,
      'server/platform/csv/d.ts': '',
    },
    'server/platform/csv/c.ts',
    /cycle with server\/platform\/csv\/a\.ts, server\/platform\/csv\/b\.ts\./,
  ],
];

describe('the rules on folders and cycles', () => {
  const build = (files: Record<string, string>) =>
    Object.entries(files).map(([path, text]) => sourceFile(path, text));

  it('allow 20 files, tests beside them, and types that go in a circle', () => {
    const { 'server/platform/audio/part-10.ts': _one, ...fewer } = manyFiles;
    const more = {
      'server/platform/audio/part.test.ts': '',
      'server/platform/csv/a.ts': `import type { B } from './b.ts';`,
      'server/platform/csv/b.ts': `import { a } from './a.ts';`,
    };
    assert.deepEqual(breachesOf(build({ ...fewer, ...more })), []);
  });

  for (const [title, files, blamed, said] of breaches) {
    it(`catch: ${title}`, () => {
      const found = breachesOf(build(files)).filter((one) => one.startsWith(`${blamed} `));
      assert.equal(found.length, 1, found.join('\n'));
      assert.match(found[0]!, said);
    });
  }
});
