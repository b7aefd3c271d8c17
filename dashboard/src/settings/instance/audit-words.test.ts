import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { audit } from '../../texts/en/instance/audit.ts';
import { actions, targetTypes } from './audit-words.ts';

it('the audit log can be narrowed to every action that has a name', () => {
  const prefix = 'audit.action.';
  const named = Object.keys(audit).filter((key) => key.startsWith(prefix));
  assert.deepEqual([...actions].sort(), named.map((key) => key.slice(prefix.length)).sort());
});

it('every action and target that the service writes to the audit log has words', () => {
  const cwd = fileURLToPath(new URL('../../../../server/features', import.meta.url));
  const sources = globSync('**/*.ts', { cwd })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => readFileSync(`${cwd}/${file}`, 'utf8'));
  const found = (pattern: RegExp) => [
    ...new Set(sources.flatMap((source) => [...source.matchAll(pattern)].map(([, name = '']) => name))),
  ];
  const written = found(/\baction: '([a-z_]+\.[a-z_]+)'/g);
  assert.ok(written.length > 40, `${written.length}`);
  assert.deepEqual(
    written.filter((action) => !actions.some((known) => known === action)),
    [],
  );
  // The end of these is put together.
  for (const start of found(/\baction: `([a-z_]+\.)\$\{/g)) {
    assert.ok(
      actions.some((known) => known.startsWith(start)),
      start,
    );
  }
  const targets = found(/\btarget: \{ type: '([a-z_]+)'/g);
  assert.deepEqual(
    targets.filter((target) => !targetTypes.some((known) => known === target)),
    [],
  );
});
