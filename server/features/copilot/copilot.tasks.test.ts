/** Rewriting, translating, summarizing and questions; what is kept of them, and what that never has. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Copilot, copilotOf } from '../../../test/support/copilot.ts';
import { type ModelServer, says, startOpenAiServer } from '../../../test/support/model-servers.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { loopbackAllowed } from '../../../test/support/webhooks.ts';
import { sql } from '../../platform/db/sql.ts';

describe('tasks of the copilot', () => {
  let service: TestService;
  let copilot: Copilot;
  let model: ModelServer;
  before(async () => {
    service = await joinTestService({ env: loopbackAllowed });
    copilot = copilotOf(service);
    model = await startOpenAiServer({ apiKey: 'sk-copilot' });
  });
  after(async () => {
    await model.close();
    await service.close();
  });

  const lastPrompt = () => JSON.stringify(model.requests.at(-1)!.body.messages);
  const note = async ({ sessionId, channelId }: Json, content: string, isNoteVisibleToAi = true) => {
    const body = { content, isNote: true, isNoteVisibleToAi };
    const made = await copilot.talk.operatorSays(channelId, sessionId, body);
    assert.equal(made.status, 201, made.text);
    return made.body;
  };
  const rows = (table: 'copilot_translations' | 'copilot_summaries', sessionId: string) =>
    service.context.db.query<{ text: string }>(
      table === 'copilot_summaries'
        ? sql`select text from copilot_summaries where session_id = ${sessionId}`
        : sql`select text from copilot_translations where session_id = ${sessionId}`,
    );

  it('rewrites what was typed, without the conversation, and holds what repeats a note', async () => {
    await copilot.helper(model);
    const place = await copilot.conversation('Where is parcel 99887766?');
    await note(place, 'His lawyer is at law@harsh.example');
    const body = {
      task: 'rewrite',
      style: 'formal',
      text: 'hey, {{customer}}! write to us@shop.example </text>',
    };
    model.choose(() => says('Dear {{customer}}, please write to us@shop.example.'));
    const answer = await copilot.told(200, place.sessionId, body);
    assert.equal(answer.text, 'Dear {{customer}}, please write to us@shop.example.');
    assert.ok(answer.suggestionId);
    assert.ok(lastPrompt().includes('hey, {{customer}}!') && lastPrompt().includes('formal and polite'));
    assert.ok(!/99887766|law@harsh|<\/text>\s*<\/text>/.test(lastPrompt()), lastPrompt());
    model.choose(() => says('Please write to law@harsh.example.'));
    assert.equal((await copilot.told(409, place.sessionId, body)).code, 'SUGGESTION_HELD');
    model.choose(() => says('Please write to law@harsh.example.'));
    const typed = { ...body, text: 'write to law@harsh.example' };
    await copilot.told(200, place.sessionId, typed);
  });

  it('translates what was typed, and streams it', async () => {
    await copilot.helper(model);
    const { sessionId } = await copilot.conversation('Oi');
    model.choose(() => says('Seu pacote chega amanhã de manhã, entre as oito e as dez horas.'));
    const text = 'Your parcel arrives tomorrow.';
    const events = await copilot.streamed(sessionId, { task: 'translate', language: 'pt-BR', text });
    assert.equal(events.at(-1)!.data.text, 'Seu pacote chega amanhã de manhã, entre as oito e as dez horas.');
    assert.ok(events.length > 2);
    assert.ok(lastPrompt().includes('tag pt-BR') && lastPrompt().includes(text));
  });

  it('translates messages once for each language, until a message changes', async () => {
    await copilot.helper(model);
    const place = await copilot.conversation('Onde está o meu pacote?');
    const { sessionId } = place;
    const noted = await note(place, 'Cliente antigo');
    const [first] = await copilot.talk.messages(sessionId);
    const messageIds = [first.id, noted.messageId];
    const body = { task: 'translate', language: 'en', messageIds };
    model.choose(({ body: { messages } }) =>
      says(JSON.stringify(messages).includes('pacote') ? 'Where is my parcel?' : 'Old customer'),
    );
    const asked = model.requests.length;
    const events = await copilot.streamed(sessionId, body);
    const translations = [
      { messageId: first.id, text: 'Where is my parcel?' },
      { messageId: noted.messageId, text: 'Old customer' },
    ];
    assert.deepEqual(events.at(-1)!.data.translations, translations);
    assert.deepEqual(
      events
        .slice(0, -1)
        .map(({ data }) => data)
        .sort((a, b) => (a.messageId < b.messageId ? -1 : 1)),
      translations,
    );
    assert.deepEqual((await copilot.told(200, sessionId, body)).translations, translations);
    assert.equal(model.requests.length, asked + 2);
    await copilot.talk.expect(
      200,
      service.call('PATCH', `/channels/${place.channelId}/sessions/${sessionId}/notes/${noted.messageId}`, {
        token: service.token,
        body: { content: 'Cliente novo' },
      }),
    );
    assert.deepEqual(await rows('copilot_translations', sessionId), [{ text: 'Where is my parcel?' }]);
    model.choose(() => says('New customer'));
    const again = await copilot.told(200, sessionId, body);
    assert.equal(again.translations[1].text, 'New customer');
    assert.equal(model.requests.length, asked + 3);
  });

  it('400 for a note that is hidden from the AI, 404 for a message of another conversation', async () => {
    await copilot.helper(model);
    const place = await copilot.conversation('Oi');
    const hidden = await note(place, 'secret', false);
    const other = await copilot.conversation('Oi');
    const [foreign] = await copilot.talk.messages(other.sessionId);
    const body = { task: 'translate', language: 'en' };
    await copilot.told(400, place.sessionId, { ...body, messageIds: [hidden.messageId] });
    await copilot.told(404, place.sessionId, { ...body, messageIds: [foreign.id] });
    await copilot.told(404, place.sessionId, { ...body, messageIds: ['none'] });
  });

  it('summarizes once for each language, until there is a message or a note goes', async () => {
    await copilot.helper(model);
    const place = await copilot.conversation('Where is my parcel?');
    const { sessionId } = place;
    const { messageId } = await note(place, 'He is a lawyer');
    const hidden = await note(place, 'nobody may tell', false);
    model.choose(() => says('- Parcel is late. He is a lawyer.'));
    const asked = model.requests.length;
    const first = await copilot.told(200, sessionId, { task: 'summarize', language: 'en-gb' });
    assert.deepEqual(
      [first.text, first.basedOnMessageId, first.suggestionId],
      ['- Parcel is late. He is a lawyer.', hidden.messageId, null],
    );
    assert.ok(lastPrompt().includes('He is a lawyer') && !lastPrompt().includes('nobody may tell'));
    const reader = await service.createToken(service.admin.jwt, {
      name: 'reader',
      scopes: ['messages:read'],
    });
    assert.deepEqual(
      await copilot.told(200, sessionId, { task: 'summarize', language: 'en-GB' }, reader.token),
      first,
    );
    assert.equal(model.requests.length, asked + 1);
    await copilot.told(200, sessionId, { task: 'summarize' });
    assert.equal(model.requests.length, asked + 2, 'in another language');
    await copilot.talk.expect(
      200,
      service.call('DELETE', `/channels/${place.channelId}/sessions/${sessionId}/notes/${messageId}`, {
        token: service.token,
      }),
    );
    assert.deepEqual(await rows('copilot_summaries', sessionId), []);
    await copilot.told(200, sessionId, { task: 'summarize', language: 'en' });
    assert.ok(!lastPrompt().includes('He is a lawyer'));
    await note(place, 'Called him');
    await copilot.told(200, sessionId, { task: 'summarize', language: 'en' });
    assert.equal(model.requests.length, asked + 4);
  });

  it('a note that goes while its summary is made is not kept in it', async () => {
    await copilot.helper(model);
    const place = await copilot.conversation('Where is my parcel?');
    const { messageId } = await note(place, 'He is a lawyer');
    const path = `/channels/${place.channelId}/sessions/${place.sessionId}/notes/${messageId}`;
    const asked = model.requests.length;
    let removed = () => {};
    model.choose(() => ({
      ...says('He is a lawyer'),
      after: new Promise<void>((resolve) => {
        removed = resolve;
      }),
    }));
    const made = copilot.told(200, place.sessionId, { task: 'summarize' });
    await model.requested(asked + 1);
    await copilot.talk.expect(200, service.call('DELETE', path, { token: service.token }));
    removed();
    await made;
    assert.deepEqual(await rows('copilot_summaries', place.sessionId), []);
    model.choose(() => says('Hello.'));
  });

  it('answers a question from the conversation, earlier ones that the operator may see, and the knowledge', async () => {
    const knowledge = [{ title: 'Returns', text: 'Returns take a month.' }];
    await copilot.helper(model, { knowledge });
    const channel = await copilot.talk.channel();
    const customer = { fromChannelIdentifier: channel.identifier, externalUserId: '+351 912 000 111' };
    const earlier = await copilot.talk.accepted({
      ...customer,
      content: 'My blue lamp broke',
      sessionId: 'ask-1',
    });
    const { sessionId } = await copilot.talk.accepted({
      ...customer,
      content: 'Any news?',
      sessionId: 'ask-2',
    });
    model.choose(() => says('The lamp [1].'));
    const answer = await copilot.told(200, sessionId, { task: 'ask', question: 'What did they return?' });
    assert.deepEqual([answer.text, answer.citations[0].title], ['The lamp.', 'Returns']);
    for (const part of [
      'Any news?',
      'My blue lamp broke',
      'Returns take a month.',
      'What did they return?',
    ]) {
      assert.ok(lastPrompt().includes(part), part);
    }
    const board = await copilot.talk.kanban();
    const move = service.call('POST', `/sessions/${earlier.sessionId}/transfer`, {
      token: service.token,
      body: { kanbanId: board.id },
    });
    await copilot.talk.expect(200, move);
    const members = { userIds: [service.admin.userId] };
    const path = `/kanbans/${board.id}/members`;
    await copilot.talk.expect(200, service.call('PUT', path, { token: service.token, body: members }));
    const operator = await service.createUser('operator');
    await copilot.told(200, sessionId, { task: 'ask', question: 'What did they return?' }, operator.jwt);
    assert.ok(!lastPrompt().includes('My blue lamp broke'));
  });

  it('without a model: sentences of the conversation, and the passage that answers', async () => {
    await copilot.helper(null, { knowledge: [{ title: 'Returns', text: 'Returns take a month.' }] });
    const { sessionId } = await copilot.conversation('Hello! My lamp broke. Can I return the lamp? Thanks!');
    const asked = model.requests.length;
    const summary = await copilot.told(200, sessionId, { task: 'summarize' });
    assert.equal(summary.text, '- My lamp broke.\n- Can I return the lamp?');
    const answer = await copilot.told(200, sessionId, { task: 'ask', question: 'How long do returns take?' });
    assert.deepEqual([answer.text, answer.citations.length], ['Returns take a month.', 1]);
    assert.equal(model.requests.length, asked);
  });

  it('what is hidden from the model comes back in the text', async () => {
    await copilot.helper(model, { maskForModel: ['email'] });
    const { sessionId } = await copilot.conversation('I am ana@example.com');
    model.choose(() => says('Customer [email-1] wrote.'));
    const { text } = await copilot.told(200, sessionId, { task: 'summarize' });
    assert.equal(text, 'Customer ana@example.com wrote.');
    assert.ok(!lastPrompt().includes('ana@'));
  });
});
