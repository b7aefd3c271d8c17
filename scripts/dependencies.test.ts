import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isTest, isTool } from '../test/architecture/import-rules.ts';
import { readProject } from '../test/architecture/source.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
type Manifest = Record<'dependencies' | 'devDependencies' | 'optionalDependencies', Record<string, string>>;
const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
  readFileSync(`${root}package.json`, 'utf8'),
) as Manifest;
const production = { ...dependencies, ...optionalDependencies };

/** A transitive package may disappear with the next release of the package that needs it. */
it('every package that the product imports is declared in package.json', () => {
  const undeclared = readProject(root).flatMap(({ path, imports }) => {
    const declared = isTest(path) || isTool(path) ? { ...production, ...devDependencies } : production;
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
