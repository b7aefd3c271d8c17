/** Test cases of agents. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { absentId } from '../../../test/support/api-samples.ts';
import { type Conversations, conversationsOf } from '../../../test/support/conversations.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { systemActor } from '../accounts/accounts.ts';
import { requireUnchanged } from './agent-tests.freeze.ts';

describe('test cases', () => {
  let service: TestService;
  let talk: Conversations;
  let cases: string;
  let agentId: string;
  before(async () => {
    service = await joinTestService({ worker: true });
    talk = conversationsOf(service);
    ({ id: agentId } = await talk.agent());
    cases = `/agents/${agentId}/test-cases`;
  });
  after(() => service.close());

  const call = async (status: number, method: string, path: string, body?: object): Promise<Json> =>
    talk.expect(status, service.call(method, path, body && { body }));
  const asked = { name: ' Opening hours ', messages: [{ role: 'user', content: 'When are you open?' }] };

  it('are written, listed, changed and deleted', async () => {
    const checks = [
      { kind: 'contains', text: 'nine' },
      { kind: 'matches', pattern: '\\bnine\\b' },
    ];
    const made = await call(201, 'POST', cases, { ...asked, checks });
    const { id, createdAt, updatedAt, by, ...rest } = made;
    assert.ok(by);
    assert.equal(createdAt, updatedAt);
    assert.deepEqual(rest, {
      ...{ name: 'Opening hours', messages: asked.messages, notes: [] },
      ...{ customer: { id: null, name: null }, card: null, toolResults: [], checks, source: null },
    });
    const changed = await call(200, 'PATCH', `${cases}/${id}`, { name: 'Hours', card: { status: 'new' } });
    assert.deepEqual({ ...changed, updatedAt }, { ...made, name: 'Hours', card: { status: 'new' } });
    await call(201, 'POST', cases, asked);
    const page = await call(200, 'GET', `${cases}?limit=1`);
    assert.deepEqual(page.items, [changed]);
    const next = await call(200, 'GET', `${cases}?limit=1&nextToken=${page.nextToken}`);
    assert.deepEqual([next.items.length, next.nextToken], [1, null]);
    await call(200, 'DELETE', `${cases}/${id}`);
    await call(404, 'GET', `${cases}/${id}`);
  });

  it('404 for those of another agent, as for none', async () => {
    const { id } = await call(201, 'POST', cases, asked);
    const other = await talk.agent();
    for (const path of [`/agents/${other.id}/test-cases/${id}`, `${cases}/${absentId}`, `${cases}/x`]) {
      await call(404, 'GET', path);
      await call(404, 'PATCH', path, { name: 'x' });
      await call(404, 'DELETE', path);
    }
    await call(404, 'GET', `/agents/${absentId}/test-cases`);
    await call(404, 'POST', `/agents/${absentId}/test-cases`, asked);
  });

  it('400 for a check without what it is about, and for a pattern that RE2 does not have', async () => {
    for (const [check, message] of [
      [{ kind: 'contains' }, 'checks[0].text is required for contains'],
      [{ kind: 'judge', text: 'polite' }, 'checks[0].instruction is required for judge'],
      [{ kind: 'matches', pattern: '(?=a)' }, /^checks\[0\]\.pattern is no regular expression of RE2: /],
    ] as const) {
      const { message: got } = await call(400, 'POST', cases, { ...asked, checks: [check] });
      typeof message === 'string' ? assert.equal(got, message) : assert.match(got, message);
    }
    assert.equal((await call(400, 'POST', cases, { ...asked, name: ' ' })).message, 'name is required');
  });

  it('are at most 500 for each agent', async () => {
    const { id } = await talk.agent();
    const path = `/agents/${id}/test-cases`;
    await call(201, 'POST', path, asked);
    await service.context.db.transaction((tx) =>
      tx.query(sql`
        insert into agent_test_cases (account_id, id, agent_id, name, input, checks, revision, created_by, created_at,
          updated_at)
        select account_id, gen_random_uuid(), agent_id, name, input, checks, 1, '', 0, 0
        from agent_test_cases, generate_series(1, 499) where agent_id = ${id}`),
    );
    const { message } = await call(409, 'POST', path, asked);
    assert.equal(message, 'an agent can have at most 500 test cases');
  });

  it('of a conversation go with any of its messages', async () => {
    const { sessionId } = await talk.accepted();
    const [{ id: messageId }] = (await talk.messages(sessionId)) as [Json];
    const { id, source } = await call(201, 'POST', cases, { name: 'Taken', sessionId, messageId });
    assert.deepEqual(source, { sessionId, messageId });
    await call(200, 'DELETE', `/sessions/${sessionId}/messages/${messageId}?erase=true`);
    await call(404, 'GET', `${cases}/${id}`);
  });

  it('are taken from a conversation up to a message, with placeholders for who wrote it', async () => {
    const { sessionId } = await talk.accepted({
      content: 'I am Ana Souza, ana@example.com, +55 11 98765-4321.',
      externalUserId: 'customer-77',
      sessionName: 'Ana Souza',
    });
    await talk.replied(sessionId);
    await talk.accepted({ content: 'ana here: is it customer-77? Banana!', sessionId });
    const said = (await talk.messages(sessionId)).filter(({ role }) => role === 'user');
    const { channelId } = await talk.session(sessionId);
    const note = { content: 'Call Souza', isNote: true, isNoteVisibleToAi: true };
    assert.equal((await talk.operatorSays(channelId, sessionId, note)).status, 201);
    const body = { name: 'Taken', sessionId, messageId: said[1]!.id };
    const { messages, notes, customer, card } = await call(201, 'POST', cases, body);
    assert.equal(messages[0].content, 'I am [name-1], [email-1], [phone-1].');
    assert.deepEqual(messages.at(-1), { role: 'user', content: '[name-1] here: is it [id-1]? Banana!' });
    assert.equal(notes[0].content, 'Call [name-1]');
    assert.deepEqual(customer, { id: '[id-1]', name: '[name-1]' });
    assert.doesNotMatch(JSON.stringify(card), /Souza/);
    const first = { name: 'First', sessionId, messageId: said[0]!.id };
    const { id: firstId, messages: begun } = await call(201, 'POST', cases, first);
    assert.equal(begun.length, 1);
    const withoutText = { messages: [...begun, { role: 'user', content: '' }] };
    assert.equal((await call(200, 'PATCH', `${cases}/${firstId}`, withoutText)).messages.length, 2);
    // The first message and the note have a text; with more of them when it was read, one has been removed since.
    const input = { messages, notes, customer, card, toolResults: [] };
    const stored = (count: number) =>
      service.context.db.transaction((tx) =>
        requireUnchanged(
          tx,
          systemActor(service.admin.accountId),
          { agentId: '', visible: null },
          { sessionId, messageId: said[0]!.id, input, count },
        ),
      );
    await stored(2);
    await assert.rejects(stored(3), /the conversation has changed, try again/);
    await call(404, 'POST', cases, { ...body, messageId: absentId });
    await call(404, 'POST', cases, { ...body, sessionId: 'nothing' });
    await call(400, 'POST', cases, { name: 'x', sessionId });
    await call(400, 'POST', cases, { ...body, ...asked });
    const role = { name: 'Without conversations', permissions: ['agents.manage'] };
    const { jwt } = service.admin;
    const made = service.call('POST', '/roles', { token: jwt, body: role });
    const { id: roleId } = await talk.expect(201, made);
    const user = await service.createUser('operator');
    await talk.expect(200, service.call('PATCH', `/users/${user.id}`, { token: jwt, body: { roleId } }));
    const asUser = (method: string, path: string, given?: object) =>
      service.call(method, path, { token: user.jwt, ...(given && { body: given }) });
    assert.equal((await asUser('POST', cases, body)).status, 404);
    const { items } = await talk.expect(200, asUser('GET', cases));
    assert.ok(items.every(({ source }: Json) => source === null));
  });
});
