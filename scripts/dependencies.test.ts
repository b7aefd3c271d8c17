import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isTest, isTool } from '../test/architecture/import-rules.ts';
import { readProject } from '../test/architecture/source.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
type Manifest = Partial<Record<string, Record<string, string>>> & { workspaces: string[] };
const read = (path: string) => JSON.parse(readFileSync(`${root}${path}`, 'utf8')) as Manifest;
const { dependencies, devDependencies, optionalDependencies, workspaces } = read('package.json');
const production = { ...dependencies, ...optionalDependencies };
/** By their folder. `npm start` does not wait for them. */
const optionalParts = workspaces.map((folder) => {
  const own = read(`${folder}/package.json`);
  return { folder, packages: { ...own.dependencies, ...own.optionalDependencies } };
});

/** A transitive package may disappear with the next release of the package that needs it. */
it('every package that the product imports is declared in package.json, or in that of its optional part', () => {
  const undeclared = readProject(root).flatMap(({ path, imports }) => {
    const own = optionalParts.filter(({ folder }) => isTool(path) || path.startsWith(`${folder}/`));
    const declared = Object.assign(
      {},
      production,
      (isTest(path) || isTool(path)) && devDependencies,
      ...own.map(({ packages }) => packages),
    );
    return imports
      .filter(({ target, isOurs, isTypeOnly }) => !isOurs && !isTypeOnly && !isBuiltIn(target))
      .filter(({ target }) => !(target in declared))
      .map(({ target }) => `${path} imports ${target}`);
  });
  assert.deepEqual(undeclared, []);
});

function isBuiltIn(target: string): boolean {
  return target.startsWith('node:') || builtinModules.includes(target) || target.startsWith('virtual:');
}
