/** What publishing an agent needs. */
import assert from 'node:assert/strict';
import { after, before, describe, it, test } from 'node:test';
import { type Conversations, conversationsOf } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { failingIn } from './agent-tests.gate.ts';

const strict = { mode: 'block', minPassRate: 1, noNewFailures: false };

test('the share that must pass, new failures, and cases that have changed or were not run', () => {
  const cases = [1, 2].map((n) => ({ id: `${n}`, name: `Case ${n}`, revision: 1 }));
  const result = (caseId: string, passed: boolean, passedBefore: boolean | null = null, revision = 1) => ({
    ...{ caseId, passed, passedBefore, revision },
  });
  const failing = (results: ReturnType<typeof result>[], gate: object = {}, isBesidePublished = true) =>
    failingIn({ results, isBesidePublished }, cases, { ...strict, mode: 'block', ...gate })?.map(
      ({ id }) => id,
    ) ?? null;
  assert.equal(failing([result('1', true), result('2', true)]), null);
  assert.deepEqual(failing([result('1', true), result('2', false)]), ['2']);
  assert.equal(failing([result('1', true), result('2', false)], { minPassRate: 0.5 }), null);
  assert.deepEqual(failing([result('1', true)], { minPassRate: 0 }), ['2']);
  assert.deepEqual(failing([result('1', true), result('2', true, null, 2)]), ['2']);
  const lenient = { minPassRate: 0, noNewFailures: true };
  assert.equal(failing([result('1', true), result('2', false, false)], lenient), null);
  assert.deepEqual(failing([result('1', true), result('2', false, true)], lenient), ['2']);
  assert.deepEqual(failing([result('1', true), result('2', false, null)], lenient), ['2']);
  assert.deepEqual(failing([result('1', true), result('2', false, false)], lenient, false), ['2']);
  const hundred = Array.from({ length: 100 }, (_, n) => ({ id: `${n}`, name: `Case ${n}`, revision: 1 }));
  for (const passed of [7, 55, 57]) {
    const results = hundred.map(({ id }, n) => result(id, n < passed));
    const gateOf = (minPassRate: number) => ({ minPassRate, noNewFailures: false, mode: 'block' as const });
    const failingAt = (rate: number) =>
      failingIn({ results, isBesidePublished: true }, hundred, gateOf(rate));
    assert.equal(failingAt(passed / 100), null, `${passed} of 100 are enough`);
    assert.equal(failingAt((passed + 1) / 100)?.length, 100 - passed);
  }
});

describe('the gate before publishing', () => {
  let service: TestService;
  let talk: Conversations;
  let limited: string;
  before(async () => {
    service = await joinTestService({ worker: true });
    talk = conversationsOf(service);
    const { jwt } = service.admin;
    const name = 'Manages agents';
    const role = await service.call('POST', '/roles', {
      token: jwt,
      body: { name, permissions: ['agents.manage'] },
    });
    const user = await service.createUser('operator');
    await service.call('PATCH', `/users/${user.id}`, { token: jwt, body: { roleId: role.body.id } });
    limited = user.jwt;
  });
  after(() => service.close());

  const call = async (
    status: number,
    method: string,
    path: string,
    body?: object,
    token = service.admin.jwt,
  ): Promise<Json> => talk.expect(status, service.call(method, path, { token, ...(body && { body }) }));
  const hours = (text: string) => ({ knowledge: [{ title: 'Opening hours', text }] });
  const run = async (path: string): Promise<void> => {
    const { id } = await call(202, 'POST', `${path}/test-runs`, { version: 'draft', baseline: 'published' });
    await eventually(
      async () => (await call(200, 'GET', `${path}/test-runs/${id}`)).state === 'done',
      20_000,
    );
  };
  const refused = async (path: string, method: string, body: object): Promise<Json[]> => {
    const { code, cases } = await call(409, method, path, body);
    assert.equal(code, 'TESTS_FAILED');
    return cases;
  };

  it('publishes what passed all cases as they are, and nothing else', async () => {
    const { id } = await talk.agent({ ...hours('From nine.'), publishGate: strict });
    const path = `/agents/${id}`;
    assert.deepEqual(await refused(path, 'PATCH', { instructions: 'x' }), [], 'there is no case');
    const { id: caseId } = await call(201, 'POST', `${path}/test-cases`, {
      name: 'Hours',
      messages: [{ role: 'user', content: 'What are your opening hours?' }],
      checks: [{ kind: 'contains', text: 'eight' }],
    });
    await call(200, 'PUT', `${path}/draft`, hours('From eight.'));
    assert.deepEqual(await refused(`${path}/publish`, 'POST', {}), [{ id: caseId, name: 'Hours' }]);
    await run(path);
    await call(200, 'PATCH', `${path}/test-cases/${caseId}`, {
      checks: [{ kind: 'contains', text: 'EIGHT' }],
    });
    assert.equal((await refused(`${path}/publish`, 'POST', {})).length, 1, 'the case has changed since');
    await run(path);
    const { name: _name, messages, checks } = await call(200, 'GET', `${path}/test-cases/${caseId}`);
    await call(200, 'PATCH', `${path}/test-cases/${caseId}`, { name: 'Renamed', messages, checks });
    await call(200, 'PUT', `${path}/draft`, hours('From eight!'));
    assert.equal((await refused(`${path}/publish`, 'POST', {})).length, 1, 'the draft has changed since');
    await call(200, 'PUT', `${path}/draft`, hours('From eight.'));
    assert.equal((await call(200, 'POST', `${path}/publish`, {})).version, 2);
    assert.equal((await refused(path, 'PATCH', hours('From ten.'))).length, 1);
    assert.equal((await call(200, 'PATCH', path, { ...hours('From eight.') })).version, 2, 'no version');
    assert.equal((await call(200, 'POST', `${path}/rollback`, { version: 1 })).version, 3);
  });

  it('is passed by force, and loosened, only with a right of its own; both are audited', async () => {
    const { id } = await talk.agent({ publishGate: strict });
    const path = `/agents/${id}`;
    await call(200, 'PUT', `${path}/draft`, { instructions: 'x' });
    const force = { force: { reason: 'The shop burns.' } };
    await call(403, 'POST', `${path}/publish`, force, limited);
    for (const looser of [{ mode: 'warn' }, { minPassRate: 0.9 }]) {
      await call(403, 'PATCH', path, { publishGate: { ...strict, ...looser } }, limited);
    }
    const tighter = { ...strict, noNewFailures: true };
    assert.deepEqual(
      (await call(200, 'PATCH', path, { publishGate: tighter }, limited)).publishGate,
      tighter,
    );
    assert.equal((await call(200, 'POST', `${path}/publish`, force)).version, 2);
    const open = { ...strict, mode: 'off' };
    assert.equal((await call(200, 'PATCH', path, { publishGate: open, instructions: 'y' })).version, 3);
    const { items } = await call(200, 'GET', '/audit-log?targetType=agent&limit=100');
    const changes = items.filter((one: Json) => one.target.id === id).map((one: Json) => one.changes);
    assert.ok(changes.some((one: Json) => one.forced?.to === 'The shop burns.'));
    assert.ok(changes.some((one: Json) => one.publishGate?.to.mode === 'off'));
  });
});
