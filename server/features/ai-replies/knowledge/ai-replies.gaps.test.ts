import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { absentId } from '../../../../test/support/api-samples.ts';
import { type Conversations, conversationsOf, unique } from '../../../../test/support/conversations.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { fails, type ModelStep, says, startOpenAiServer } from '../../../../test/support/model-servers.ts';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';
import { loopbackAllowed } from '../../../../test/support/webhooks.ts';
import { noteBadRating } from '../../knowledge/knowledge.ts';

describe('gaps in the knowledge', () => {
  let service: TestService;
  let talk: Conversations;
  let channel: Json;
  let sourceId: string;
  const call = async (status: number, method: string, path: string, body?: object): Promise<Json> => {
    const { jwt: token } = service.admin;
    const answer = await service.call(method, path, { token, ...(body && { body }) });
    assert.equal(answer.status, status, answer.text);
    return answer.body;
  };
  const gaps = async (query = ''): Promise<Json[]> =>
    (await call(200, 'GET', `/knowledge/gaps${query}`)).items;
  /** Of the gap that has a question of this conversation, once the job has grouped it. */
  const gapOf = async (sessionId: string, count = 1): Promise<Json> => {
    let gap: Json;
    await eventually(async () => {
      gap = (await gaps()).find(({ examples }) => examples.some((one: Json) => one.sessionId === sessionId));
      return gap !== undefined && gap.count >= count;
    });
    return gap;
  };
  const ask = async (content: string, sessionId = unique('talk'), to = channel) => {
    const said = (await talk.replies(sessionId).catch(() => [])).length;
    await talk.accepted({
      content,
      sessionId,
      externalUserId: sessionId,
      fromChannelIdentifier: to.identifier,
    });
    await talk.replied(sessionId, said + 1);
    return sessionId;
  };
  before(async () => {
    service = await joinTestService({ worker: true, env: loopbackAllowed });
    talk = conversationsOf(service);
    sourceId = (await call(201, 'POST', '/knowledge/sources', { name: unique('Source'), kind: 'articles' }))
      .id;
    const { id: defaultAgentId } = await talk.agent({ provider: 'offline', knowledgeSourceIds: [sourceId] });
    channel = await talk.channel({ defaultAgentId });
  });
  after(() => service.close());

  it('join questions that share most of their words; what is answered or courtesy is none', async () => {
    await call(201, 'POST', '/knowledge/documents', {
      sourceId,
      title: 'Opening',
      text: 'The museum opens at nine on weekdays.',
      state: 'published',
    });
    await ask('When does the museum open on weekdays?');
    await ask('Thank you so much!');
    const first = await ask('Do you repair broken umbrellas?');
    const gap = await gapOf(first);
    const second = await ask('Hi! Do you repair a broken umbrella?');
    const joined = await gapOf(second, 2);
    assert.equal(joined.id, gap.id);
    assert.deepEqual(
      [joined.question, joined.count, joined.state, joined.documentId],
      ['Do you repair broken umbrellas?', 2, 'open', null],
    );
    assert.deepEqual(
      joined.examples.map(({ sessionId, question }: Json) => [sessionId, question]),
      [
        [second, 'Do you repair a broken umbrella?'],
        [first, 'Do you repair broken umbrellas?'],
      ],
    );
    const other = await gapOf(await ask('Which wallets fit twelve cards?'));
    assert.notEqual(other.id, gap.id);
    assert.deepEqual(
      (await gaps()).map(({ id }) => id),
      [other.id, gap.id],
    );
    const page = await call(200, 'GET', '/knowledge/gaps?limit=1');
    const next = await call(
      200,
      'GET',
      `/knowledge/gaps?limit=1&nextToken=${encodeURIComponent(page.nextToken)}`,
    );
    assert.deepEqual([page.items[0].id, next.items[0].id, next.nextToken], [other.id, gap.id, null]);
  });

  it('are the other side of what a document is used for', async () => {
    const { id } = await call(201, 'POST', '/knowledge/documents', {
      sourceId,
      title: 'Lockers',
      text: 'Lockers for luggage are beside the cloakroom.',
      state: 'published',
    });
    const nothing = { retrieved: 0, cited: 0, helpful: 0, notHelpful: 0, conversations: [] };
    assert.deepEqual(await call(200, 'GET', `/knowledge/documents/${id}/usage`), nothing);
    const sessionId = await ask('Where are the lockers for luggage?');
    const { conversations, ...counts } = await call(200, 'GET', `/knowledge/documents/${id}/usage`);
    assert.deepEqual(counts, { retrieved: 1, cited: 1, helpful: 0, notHelpful: 0 });
    assert.deepEqual(
      conversations.map(({ sessionId: of, cited }: Json) => [of, cited]),
      [[sessionId, true]],
    );
    await call(404, 'GET', `/knowledge/documents/${absentId}/usage`);
  });

  it('are marked when a document that was written since has the answer', async () => {
    const sessionId = await ask('Do you repair velvet curtains?');
    assert.equal((await gapOf(sessionId)).answeredBy, null);
    const article = { sourceId, title: 'Curtains', text: 'We repair velvet curtains in a week.' };
    const { id, title } = await call(201, 'POST', '/knowledge/documents', article);
    assert.equal((await gapOf(sessionId)).answeredBy, null, 'a draft answers nothing');
    await call(200, 'PATCH', `/knowledge/documents/${id}`, { state: 'published' });
    assert.deepEqual((await gapOf(sessionId)).answeredBy, { documentId: id, title });
    await call(200, 'PATCH', `/knowledge/documents/${id}`, { audience: 'internal' });
    assert.equal((await gapOf(sessionId)).answeredBy, null);
  });

  it('a customer who asks for a person: what was asked before is the question', async () => {
    const sessionId = await ask('Can turtles travel abroad?');
    await gapOf(sessionId);
    await ask('I want a human', sessionId);
    assert.equal((await gapOf(sessionId)).question, 'Can turtles travel abroad?');
    const own = await ask('I want a human');
    await talk.settled(own);
    assert.ok((await gaps()).every(({ question }) => question !== 'I want a human'));
  });

  it('become a draft with the answer of a person, never with a note, and are open again without it', async () => {
    const sessionId = await ask('Do you engrave silver rings?');
    const gap = await gapOf(sessionId);
    const says = (body: object) => talk.expect(201, talk.operatorSays(channel.id, sessionId, body));
    await says({ content: 'Secret: margin is 40 %', isNote: true });
    const { contactId } = await talk.session(sessionId);
    await call(200, 'PATCH', `/contacts/${contactId}`, { name: 'Ana Souza' });
    await says({ content: 'Yes Ana, we engrave them.' });
    await says({ content: 'It takes two days.' });
    const drafted = await call(200, 'POST', `/knowledge/gaps/${gap.id}/draft`);
    assert.equal(drafted.state, 'drafted');
    const document = await call(200, 'GET', `/knowledge/documents/${drafted.documentId}`);
    assert.deepEqual(
      [document.title, document.text, document.state],
      ['Do you engrave silver rings?', 'Yes [customer], we engrave them.\n\nIt takes two days.', 'draft'],
    );
    await call(409, 'POST', `/knowledge/gaps/${gap.id}/draft`);
    await call(409, 'POST', `/knowledge/gaps/${gap.id}/dismiss`);
    assert.deepEqual(
      (await gaps('?state=drafted')).map(({ id }) => id),
      [gap.id],
    );
    await call(200, 'DELETE', `/knowledge/documents/${drafted.documentId}`);
    assert.deepEqual([(await gapOf(sessionId)).state, (await gapOf(sessionId)).documentId], ['open', null]);
    assert.equal((await call(200, 'POST', `/knowledge/gaps/${gap.id}/dismiss`)).state, 'dismissed');
    assert.ok((await gaps('?state=open')).every(({ id }) => id !== gap.id));
    for (const id of [absentId, 'x']) await call(404, 'POST', `/knowledge/gaps/${id}/draft`);
  });

  it('become an article that the model of their agent writes, or the texts if it fails or makes things up', async () => {
    const model = await startOpenAiServer();
    try {
      const { id: defaultAgentId } = await talk.agent({
        provider: 'openai-compatible',
        baseUrl: model.baseUrl,
        model: 'test',
        knowledgeSourceIds: [sourceId],
      });
      const to = await talk.channel({ defaultAgentId });
      const drafted = async (topic: string, step: ModelStep) => {
        model.choose(() => says('I do not know.'));
        const sessionId = await ask(`Do you sell ${topic}?`, unique('talk'), to);
        const gap = await gapOf(sessionId);
        const tell = (body: object) => talk.expect(201, talk.operatorSays(to.id, sessionId, body));
        await tell({ content: 'Secret: we buy them for 7 euros', isNote: true, isNoteVisibleToAi: true });
        await tell({ content: `Hi Ana! We sell ${topic} for 40 euros.` });
        model.choose(() => step);
        const { documentId } = await call(200, 'POST', `/knowledge/gaps/${gap.id}/draft`);
        const { title, text, state } = await call(200, 'GET', `/knowledge/documents/${documentId}`);
        assert.equal(state, 'draft');
        return [title, text];
      };
      const article = says('# Kites\n\nWe sell kites for 40 euros.');
      assert.deepEqual(await drafted('kites', article), ['Kites', 'We sell kites for 40 euros.']);
      const prompt = JSON.stringify(model.requests.at(-1)!.body);
      assert.match(prompt, /Do you sell kites/);
      assert.doesNotMatch(prompt, /Secret|7 euros/);
      for (const [topic, step] of [
        ['drums', fails(500)],
        ['flutes', says('# Flutes\n\nWe sell flutes for 35 euros.')],
      ] as const) {
        const texts = [`Do you sell ${topic}?`, `Hi Ana! We sell ${topic} for 40 euros.`];
        assert.deepEqual(await drafted(topic, step), texts);
      }
    } finally {
      await model.close();
    }
  });

  it('are kept with the message that asked, also one that is cut in an emoji', async () => {
    const question = `Do vendors ${'really '.repeat(69)}s😀`;
    assert.equal(question.indexOf('😀'), 499 - 4);
    const long = await ask(`xxxx${question}`);
    assert.equal((await gapOf(long)).question.length, 500);
    const sessionId = await ask('My account is DE4455, why was it refused?');
    await ask('I want a human', sessionId);
    const [first] = await talk.messages(sessionId);
    const gap = await gapOf(sessionId);
    assert.deepEqual([gap.count, gap.examples[0].messageId], [1, first.id]);
    await call(200, 'DELETE', `/sessions/${sessionId}/messages/${first.id}?erase=true`);
    assert.ok((await gaps()).every((one) => !/DE4455/.test(JSON.stringify(one))));
  });

  it('say nothing to a token that may not read conversations', async () => {
    const { body: created } = await service.call('POST', '/api-tokens', {
      token: service.admin.jwt,
      body: { name: 'Knowledge only', scopes: ['knowledge:read'] },
    });
    assert.ok((await gaps()).length > 0);
    const { body } = await service.call('GET', '/knowledge/gaps', { token: created.token });
    assert.deepEqual(body, { items: [], nextToken: null });
  });

  it('that was drafted without an answer goes with the customer whose words it has', async () => {
    const asker = await ask('Are marble statues washable?');
    const other = await ask('Are the marble statues washable?');
    const gap = await gapOf(other, 2);
    const { documentId } = await call(200, 'POST', `/knowledge/gaps/${gap.id}/draft`);
    const erase = async (sessionId: string) => {
      const { contactId } = await talk.session(sessionId);
      const { erasureId } = await call(202, 'DELETE', `/contacts/${contactId}`);
      await eventually(
        async () => (await call(200, 'GET', `/erasures/${erasureId}`)).state !== 'running',
        20_000,
      );
    };
    await erase(asker);
    await call(404, 'GET', `/knowledge/documents/${documentId}`);
    const left = await gapOf(other);
    assert.deepEqual([left.state, left.documentId, left.count], ['open', null, 1]);
  });

  it('a bad rating makes one of what was answered, unless a person has answered', async () => {
    const rate = (sessionId: string) =>
      service.context.db.transaction((tx) =>
        noteBadRating(tx, service.admin.accountId, sessionId, Date.now()),
      );
    const alone = await ask('When does the museum open on weekdays?');
    const helped = await ask('When does the museum open on weekdays?');
    await talk.expect(201, talk.operatorSays(channel.id, helped, { content: 'At nine.' }));
    await rate(helped);
    await rate(alone);
    assert.equal((await gapOf(alone)).count, 1);
  });

  it('are told to those who may read their conversations only', async () => {
    const kanban = await talk.kanban();
    const { id: defaultAgentId } = await talk.agent({
      provider: 'offline',
      knowledgeSourceIds: [sourceId],
    });
    const closed = await talk.channel({
      defaultAgentId,
      agentKanbanConfigs: { [defaultAgentId]: kanban.id },
    });
    const sessionId = await ask('Are penguins allowed upstairs?', unique('talk'), closed);
    await gapOf(sessionId);
    await call(200, 'PUT', `/kanbans/${kanban.id}/members`, { userIds: [service.admin.userId] });
    const { jwt: token } = await service.createUser('operator');
    assert.equal((await talk.session(sessionId)).kanbanId, kanban.id);
    assert.equal((await service.call('GET', `/sessions/${sessionId}`, { token })).status, 404);
    const { body } = await service.call('GET', '/knowledge/gaps?limit=100', { token });
    assert.ok(body.items.length > 0);
    assert.doesNotMatch(JSON.stringify(body), /penguins/);
  });

  it('go with an erased person; drafts from their conversation go, and published articles wait for review', async () => {
    const erased = unique('talk');
    await ask('Do you polish brass bells?', erased);
    const polish = await gapOf(erased);
    await ask('Do cranes carry pianos downtown?', erased);
    await eventually(async () => (await gaps()).some(({ question }) => /cranes/.test(question)));
    const cranes = (await gaps()).find(({ question }) => /cranes/.test(question))!;
    const draft = (await call(200, 'POST', `/knowledge/gaps/${polish.id}/draft`)).documentId;
    const article = (await call(200, 'POST', `/knowledge/gaps/${cranes.id}/draft`)).documentId;
    await call(200, 'PATCH', `/knowledge/documents/${article}`, { state: 'published' });
    const { contactId } = await talk.session(erased);
    const { erasureId: id } = await call(202, 'DELETE', `/contacts/${contactId}`);
    await eventually(async () => (await call(200, 'GET', `/erasures/${id}`)).state !== 'running', 20_000);
    assert.ok((await gaps()).every(({ question }) => !/brass|cranes/.test(question)));
    await call(404, 'GET', `/knowledge/documents/${draft}`);
    assert.equal((await call(200, 'GET', `/knowledge/documents/${article}`)).state, 'draft');
    const log = await call(200, 'GET', '/audit-log?limit=100');
    const about = log.items.filter(({ target }: Json) => [draft, article].includes(target.id));
    assert.ok(about.length >= 4, JSON.stringify(about));
    assert.doesNotMatch(JSON.stringify(about), /brass|cranes/, 'nor does the log quote the person');
  });
});
