import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { startTestService, type TestService } from '../../../test/support/service.ts';

describe('the title of a new card', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];

  before(async () => {
    service = await startTestService();
    talk = conversationsOf(service);
    ({ call } = service);
  });
  after(() => service.close());

  const titleOf = async (sessionId: string) => {
    const { recordId } = await talk.session(sessionId);
    return (await talk.expect(200, call('GET', `/crm/records/${recordId}`))).title;
  };
  const codeOf = (sessionId: string) => sessionId.slice(-4).toUpperCase();
  const speak = (language: string) => talk.expect(200, call('PATCH', '/account', { body: { language } }));

  it('is the name, else the customer, else an id that the client chose, a UUID too', async () => {
    const sessionId = crypto.randomUUID();
    await talk.accepted({ sessionId });
    assert.equal(await titleOf(sessionId), sessionId);
    const named = await talk.accepted({ sessionName: ' Ada ', externalUserId: '+4420' });
    assert.equal(await titleOf(named.sessionId), 'Ada');
    const known = await talk.accepted({ externalUserId: '+44 20' });
    assert.equal(await titleOf(known.sessionId), '+44 20');
    const own = unique('order');
    await talk.accepted({ sessionId: own });
    assert.equal(await titleOf(own), own);
  });

  it('of a generated id is Visitor and its last four characters, in the account’s language', async () => {
    for (const [language, word] of [
      ['en', 'Visitor'],
      ['pt', 'Visitante'],
      ['es', 'Visitante'],
      ['en', 'Visitor'],
    ] as const) {
      await speak(language);
      const { sessionId } = await talk.accepted();
      assert.equal(await titleOf(sessionId), `${word} ${codeOf(sessionId)}`);
    }
  });

  it('a second board’s card has it too', async () => {
    const board = await talk.kanban();
    const { sessionId } = await talk.accepted();
    const chosen = crypto.randomUUID();
    await talk.accepted({ sessionId: chosen });
    for (const id of [sessionId, chosen]) await talk.accepted({ sessionId: id, kanbanId: board.id });
    assert.equal(await titleOf(sessionId), `Visitor ${codeOf(sessionId)}`);
    assert.equal(await titleOf(chosen), chosen);
  });

  it('a visitor of the website whom nobody has named has it in the account’s language', async () => {
    await speak('pt');
    const start = { token: null, body: { channel: 'web' } };
    const { token } = await talk.expect(200, call('POST', '/widget/sessions', start));
    const content = unique('from the website');
    const body = { clientId: unique('client'), content };
    await talk.expect(202, call('POST', '/widget/messages', { token, body }));
    const { items } = await talk.expect(200, call('GET', '/sessions?limit=1'));
    const [{ sessionId, sessionName }] = items;
    assert.equal(sessionName, `Visitante ${codeOf(sessionId)}`);
    assert.equal(await titleOf(sessionId), sessionName);
    await speak('en');
  });

  it('a change of the language is seen by another process at once', async () => {
    const second = await service.startSecond();
    try {
      const send = { body: { content: 'Hello', fromChannelIdentifier: 'api' } };
      await talk.expect(202, second.call('POST', '/messages', send));
      await speak('es');
      const { sessionId } = await talk.expect(202, second.call('POST', '/messages', send));
      assert.equal(await titleOf(sessionId), `Visitante ${codeOf(sessionId)}`);
    } finally {
      await second.close();
      await speak('en');
    }
  });
});
