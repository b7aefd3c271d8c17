import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentTestRun } from '../../../../../contract/agent-tests.ts';
import { hasPassed, runOfDraft } from './warning.ts';

test('the newest finished run over the draft as it is', () => {
  const run = (id: string, rest: object = {}) =>
    ({ id, kind: 'run', state: 'done', version: null, createdAt: 20, ...rest }) as AgentTestRun;
  const draft = { updatedAt: 10 };
  const others = [run('a', { kind: 'replay' }), run('b', { state: 'running' }), run('c', { version: 2 })];
  assert.equal(runOfDraft([...others, run('d'), run('e')], draft)?.id, 'd');
  assert.equal(runOfDraft([run('f', { createdAt: 9 })], draft), undefined);
});

test('a draft has passed by the share, the new failures and the cases as they are', () => {
  const cases = [1, 2].map((n) => ({ id: `${n}`, updatedAt: 5 }));
  const result = (caseId: string, passed: boolean, before: boolean | null = null) =>
    ({ caseId, subject: { passed }, baseline: before === null ? null : { passed: before } }) as never;
  const passes = (results: never[], gate: object = {}, baseline: number | null = 3, createdAt = 10) =>
    hasPassed(
      { version: 3, publishGate: { mode: 'warn', minPassRate: 1, noNewFailures: false, ...gate } },
      cases,
      { results, baseline, createdAt },
    );
  assert.equal(passes([result('1', true), result('2', true)]), true);
  assert.equal(passes([result('1', true)], { minPassRate: 0 }), false, 'one was not run');
  assert.equal(passes([result('1', true), result('2', true)], {}, null, 4), false, 'the cases have changed');
  assert.equal(passes([result('1', true), result('2', false)]), false);
  assert.equal(passes([result('1', true), result('2', false)], { minPassRate: 0.5 }), true);
  const lenient = { minPassRate: 0, noNewFailures: true };
  assert.equal(passes([result('1', true), result('2', false, false)], lenient), true);
  assert.equal(passes([result('1', true), result('2', false, true)], lenient), false);
  assert.equal(passes([result('1', true), result('2', false, false)], lenient, 2), false);
});
