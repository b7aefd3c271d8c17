import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf } from '../../../test/support/conversations.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';

describe('finding conversations, and who took them over', () => {
  let service: TestService;
  let talk: Conversations;
  let closed: Json;
  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    closed = await talk.kanban();
    const userIds = [service.admin.userId];
    await talk.expect(200, service.call('PUT', `/kanbans/${closed.id}/members`, { body: { userIds } }));
    await talk.accepted({
      sessionId: 'chat-1',
      sessionName: 'Mariana Ferreira',
      externalUserId: '+351 912 345 678',
      content: 'Is the blue bicycle still there?',
    });
    await talk.accepted({ sessionId: 'chat-2', sessionName: 'Otto Brandt', content: 'I want my money back' });
    await talk.accepted({ sessionId: 'chat-3', sessionName: 'Otto Secret', kanbanId: closed.id });
  });
  after(() => service.close());

  const find = async (q: string, token?: string): Promise<Json[]> =>
    (
      await talk.expect(
        200,
        service.call('GET', `/inbox/search?q=${encodeURIComponent(q)}`, token ? { token } : {}),
      )
    ).items;
  const matchOf = async (q: string) => {
    const [first] = await find(q);
    return first && [first.sessionId, first.match.field, first.match.value, first.match.typos];
  };

  it('by name, by customer, by id', async () => {
    assert.deepEqual(await matchOf('ferreira mari'), ['chat-1', 'name', 'Mariana Ferreira', 0]);
    assert.deepEqual(await matchOf('912 345'), ['chat-1', 'customer', '+351 912 345 678', 0]);
    assert.deepEqual(await matchOf('chat-2'), ['chat-2', 'id', 'chat-2', 0]);
  });

  it('by the customer’s identifier however it is written', async () => {
    assert.deepEqual(await matchOf('(0912) 345'), ['chat-1', 'customer', '+351 912 345 678', 0]);
    assert.deepEqual(await matchOf('00351912345'), ['chat-1', 'customer', '+351 912 345 678', 0]);
    assert.deepEqual(await matchOf('+351-912-345-678'), ['chat-1', 'customer', '+351 912 345 678', 0]);
  });

  it('with typos, through its card', async () => {
    assert.deepEqual(await matchOf('Mariana Fereira'), ['chat-1', 'record', 'Mariana Ferreira', 1]);
  });

  it('by what was said last', async () => {
    assert.deepEqual(await matchOf('blue bicycle'), [
      'chat-1',
      'message',
      'Is the blue bicycle still there?',
      0,
    ]);
    assert.deepEqual(await find('red bicycle'), []);
  });

  it('nothing of boards that are closed to the caller, nothing for no words', async () => {
    const operator = await service.createUser('operator');
    assert.deepEqual((await find('otto')).map((one) => one.sessionId).sort(), ['chat-2', 'chat-3']);
    assert.deepEqual(
      (await find('otto', operator.jwt)).map((one) => one.sessionId),
      ['chat-2'],
    );
    assert.deepEqual(await find('  '), []);
  });

  it('a token without crm:read does not look into cards', async () => {
    const { token } = await service.createToken(service.admin.jwt, { scopes: ['messages:read'] });
    assert.deepEqual(await find('Mariana Fereira', token), []);
    assert.equal((await find('Mariana Ferreira', token)).length, 1);
  });

  it('who took over and who handed back, in order, with names', async () => {
    const operator = await service.createUser('operator');
    await talk.pause('chat-2');
    const path = '/sessions/chat-2/ai-paused';
    await talk.expect(200, service.call('PATCH', path, { token: operator.jwt, body: { aiPaused: false } }));
    const { items } = await talk.expect(200, service.call('GET', '/inbox/sessions/chat-2/pauses'));
    assert.deepEqual(
      items.map((one: Json) => one.aiPaused),
      [true, false],
    );
    assert.equal(items[1].by.id, operator.id);
    assert.ok(items[1].by.name);
    assert.ok(items[0].at <= items[1].at);
    const hidden = await service.call('GET', '/inbox/sessions/chat-3/pauses', { token: operator.jwt });
    assert.equal(hidden.status, 404);
  });
});
