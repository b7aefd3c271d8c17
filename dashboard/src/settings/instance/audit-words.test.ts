import assert from 'node:assert/strict';
import { it } from 'node:test';
import { settings } from '../../texts/en/settings.ts';
import { actions } from './audit-words.ts';

it('the audit log can be narrowed to every action that has a name', () => {
  const prefix = 'audit.action.';
  const named = Object.keys(settings).filter((key) => key.startsWith(prefix));
  assert.deepEqual([...actions].sort(), named.map((key) => key.slice(prefix.length)).sort());
});
