import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { patterns, ruleOf } from './patterns.ts';

const contract = join(import.meta.dirname, '..');

describe('patterns', () => {
  it('each have a rule that says what is allowed', () => {
    assert.equal(ruleOf(patterns.color), 'must be a color such as #5059d1');
    for (const [name, pattern] of Object.entries(patterns))
      assert.match(ruleOf(pattern) ?? '', /^must /, name);
    assert.equal(ruleOf('^moon$'), undefined);
  });

  it('are all in one list: a schema with a pattern of its own would have no rule', () => {
    const own = globSync('**/*.ts', { cwd: contract })
      .filter((path) => !path.endsWith('.test.ts'))
      .filter((path) => /\bpattern: ['"`]/.test(readFileSync(join(contract, path), 'utf8')));
    assert.deepEqual(own, []);
  });
});
