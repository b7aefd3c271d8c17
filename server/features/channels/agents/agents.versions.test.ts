/** Versions of an agent, its draft, publishing it and going back. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { absentId } from '../../../../test/support/api-samples.ts';
import { unique } from '../../../../test/support/conversations.ts';
import { type ModelServer, startOpenAiServer } from '../../../../test/support/model-servers.ts';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';
import { loopbackAllowed } from '../../../../test/support/webhooks.ts';

const apiKey = 'sk-entered-for-the-real-provider-4711';

describe('versions of an agent', () => {
  let service: TestService;
  let token: string;
  let name: string;
  let provider: ModelServer;
  let elsewhere: ModelServer;
  before(async () => {
    service = await joinTestService({ env: loopbackAllowed });
    const admin = await service.createUser('admin');
    token = admin.jwt;
    name = (await call(200, 'GET', '/auth/me')).user.name;
    provider = await startOpenAiServer({ apiKey });
    elsewhere = await startOpenAiServer({ apiKey: 'sk-of-the-draft' });
  });
  after(async () => {
    await Promise.all([provider, elsewhere].map((server) => server.close()));
    await service.close();
  });

  const call = async (status: number, method: string, path: string, body?: object): Promise<Json> => {
    const answer = await service.call(method, path, { token, ...(body && { body }) });
    assert.equal(answer.status, status, answer.text);
    return answer.body;
  };
  const create = async (rest: object = {}): Promise<string> =>
    (await call(201, 'POST', '/agents', { name: unique('Agent'), provider: 'offline', ...rest })).id;
  const atProvider = () =>
    create({ provider: 'openai-compatible', model: 'm', baseUrl: provider.baseUrl, apiKey });
  const read = (id: string) => call(200, 'GET', `/agents/${id}`);
  const patch = (id: string, body: object) => call(200, 'PATCH', `/agents/${id}`, body);
  const versionsOf = async (id: string): Promise<Json[]> =>
    (await call(200, 'GET', `/agents/${id}/versions`)).items;
  const numbersOf = async (id: string) => (await versionsOf(id)).map(({ version }) => version);

  it('each change makes one, and what changes nothing makes none', async () => {
    const knowledge = [{ title: 'Hours', text: 'Nine to five.' }];
    const id = await create({ instructions: 'Be brief.', knowledge, price: { input: 1, output: 2 } });
    assert.deepEqual([(await read(id)).version, (await read(id)).hasDraft], [1, false]);
    await patch(id, { instructions: 'Be kind.', tools: ['hand_over'] });
    await patch(id, { instructions: 'Be kind.' });
    await patch(id, {});
    // Whatever the order of the names.
    await patch(id, {
      knowledge: [{ text: 'Nine to five.', title: 'Hours' }],
      price: { output: 2, input: 1 },
    });
    await patch(id, { knowledge });
    assert.equal((await read(id)).version, 2);
    const [second, first, ...rest] = await versionsOf(id);
    const { publishedAt, ...shown } = second;
    assert.ok(publishedAt >= first.publishedAt);
    assert.deepEqual(shown, { version: 2, by: name, note: null, changed: ['instructions', 'tools'] });
    assert.deepEqual([first.version, first.changed, rest], [1, [], []]);
  });

  it('are listed in pages, the newest first', async () => {
    const id = await create();
    for (const instructions of ['a', 'b', 'c']) await patch(id, { instructions });
    const path = `/agents/${id}/versions?limit=3`;
    const page = await call(200, 'GET', path);
    assert.deepEqual(
      page.items.map(({ version }: Json) => version),
      [4, 3, 2],
    );
    const next = await call(200, 'GET', `${path}&nextToken=${page.nextToken}`);
    assert.deepEqual([next.items.map(({ version }: Json) => version), next.nextToken], [[1], null]);
  });

  it('keep what they had, and show what differs between two of them', async () => {
    const price = { input: 0.5, output: 2 };
    const id = await create({ instructions: 'Be brief.', price });
    await patch(id, { instructions: 'Be kind.', price: null });
    await patch(id, { mayUseInternal: true });
    const first = await call(200, 'GET', `/agents/${id}/versions/1`);
    assert.deepEqual([first.instructions, first.price, first.differences], ['Be brief.', price, null]);
    const { differences } = await call(200, 'GET', `/agents/${id}/versions/3?compare=1`);
    assert.deepEqual(differences, [
      { field: 'instructions', from: 'Be brief.', to: 'Be kind.' },
      { field: 'mayUseInternal', from: false, to: true },
      { field: 'price', from: price, to: null },
    ]);
    await call(404, 'GET', `/agents/${id}/versions/4`);
    await call(404, 'GET', `/agents/${id}/versions/1?compare=4`);
    await call(404, 'GET', `/agents/${absentId}/versions/1`);
    await call(404, 'GET', `/agents/${id}/versions/none`);
  });

  it('a draft changes nothing until it is published, with a note', async () => {
    const id = await create({ instructions: 'Be brief.', tools: ['hand_over'] });
    const path = `/agents/${id}/draft`;
    await call(404, 'GET', path);
    const saved = await call(200, 'PUT', path, { instructions: 'Be kind.', expectedVersion: 1 });
    const { version, isStale, changed, instructions, tools, by } = saved;
    assert.deepEqual(
      { version, isStale, changed, instructions, tools, by },
      {
        version: 1,
        isStale: false,
        changed: ['instructions'],
        instructions: 'Be kind.',
        tools: ['hand_over'],
        by: name,
      },
    );
    assert.deepEqual(await call(200, 'GET', path), saved);
    const published = await read(id);
    assert.deepEqual([published.instructions, published.version, published.hasDraft], ['Be brief.', 1, true]);
    const after = await call(200, 'POST', `/agents/${id}/publish`, { note: 'Kinder' });
    assert.deepEqual([after.instructions, after.version, after.hasDraft], ['Be kind.', 2, false]);
    assert.deepEqual(await read(id), after);
    const [newest] = await versionsOf(id);
    assert.deepEqual([newest.note, newest.changed], ['Kinder', ['instructions']]);
    await call(404, 'GET', path);
    const again = await call(409, 'POST', `/agents/${id}/publish`);
    assert.equal(again.code, 'NO_DRAFT');
  });

  it('a draft is saved whole: what is left out is as published', async () => {
    const id = await create({ instructions: 'Be brief.' });
    await call(200, 'PUT', `/agents/${id}/draft`, { instructions: 'Be kind.' });
    const draft = await call(200, 'PUT', `/agents/${id}/draft`, { tools: ['hand_over'] });
    assert.deepEqual([draft.instructions, draft.changed], ['Be brief.', ['tools']]);
  });

  it('a draft that changes nothing makes no version', async () => {
    const id = await create();
    await call(200, 'PUT', `/agents/${id}/draft`, {});
    const { version, hasDraft } = await call(200, 'POST', `/agents/${id}/publish`);
    assert.deepEqual([version, hasDraft], [1, false]);
  });

  it('a draft is discarded', async () => {
    const id = await create();
    await call(200, 'PUT', `/agents/${id}/draft`, { instructions: 'x' });
    await call(200, 'DELETE', `/agents/${id}/draft`);
    assert.equal((await read(id)).hasDraft, false);
    await call(404, 'DELETE', `/agents/${id}/draft`);
  });

  it('a change leaves the draft, which is then stale: 409 until it is saved again', async () => {
    const id = await create();
    const path = `/agents/${id}/draft`;
    await call(200, 'PUT', path, { instructions: 'Of the draft' });
    await patch(id, { mayUseInternal: true });
    const stale = await call(200, 'GET', path);
    assert.deepEqual([stale.isStale, stale.version, stale.instructions], [true, 1, 'Of the draft']);
    assert.equal((await call(409, 'POST', `/agents/${id}/publish`)).code, 'CONFLICT');
    assert.equal((await call(409, 'PUT', path, { expectedVersion: 1 })).code, 'CONFLICT');
    assert.deepEqual(await call(200, 'GET', path), stale, 'a rejected draft replaces none');
    await call(200, 'PUT', path, { instructions: 'Of the draft', expectedVersion: 2 });
    const { version, mayUseInternal } = await call(200, 'POST', `/agents/${id}/publish`);
    assert.deepEqual([version, mayUseInternal], [3, true]);
  });

  it('400 that names the field for what an agent cannot have', async () => {
    const id = await create();
    const refused = async (body: object) => (await call(400, 'PUT', `/agents/${id}/draft`, body)).message;
    assert.equal(await refused({ provider: 'anthropic' }), 'model is required for anthropic');
    assert.equal(
      await refused({ allowedKanbanIds: [absentId] }),
      `allowedKanbanIds has an unknown kanban: ${absentId}`,
    );
    assert.equal(
      await refused({ knowledgeSourceIds: [absentId] }),
      `knowledgeSourceIds has an unknown source: ${absentId}`,
    );
    assert.match(await refused({ price: { input: -1, output: 1 } }), /price/);
    await call(400, 'POST', `/agents/${id}/rollback`, {});
    await call(404, 'POST', `/agents/${id}/rollback`, { version: 2 });
  });

  it('going back makes a new version, without boards and sources that are gone, which it names', async () => {
    const board = (await call(201, 'POST', '/kanbans', { name: unique('Board') })).id;
    const kept = (await call(201, 'POST', '/kanbans', { name: unique('Board') })).id;
    const source = (await call(201, 'POST', '/knowledge/sources', { name: unique('S'), kind: 'articles' }))
      .id;
    const lists = { allowedKanbanIds: [board, kept], knowledgeSourceIds: [source] };
    const id = await create({ ...lists, instructions: 'Be brief.' });
    await patch(id, { instructions: 'Be kind.', allowedKanbanIds: [], knowledgeSourceIds: [] });
    await call(200, 'DELETE', `/kanbans/${board}`);
    await call(200, 'DELETE', `/knowledge/sources/${source}`);
    const { leftOut, ...agent } = await call(200, 'POST', `/agents/${id}/rollback`, {
      version: 1,
      note: 'It was better',
    });
    assert.deepEqual(leftOut, { allowedKanbanIds: [board], toolIds: [], knowledgeSourceIds: [source] });
    assert.deepEqual(
      [agent.version, agent.instructions, agent.allowedKanbanIds, agent.knowledgeSourceIds],
      [3, 'Be brief.', [kept], []],
    );
    assert.deepEqual(await read(id), agent);
    const [newest] = await versionsOf(id);
    assert.deepEqual([newest.note, newest.changed], ['It was better', ['instructions', 'allowedKanbanIds']]);
    const first = await call(200, 'GET', `/agents/${id}/versions/1`);
    assert.deepEqual(first.allowedKanbanIds, [board, kept], 'a version never changes');
  });

  it('a draft loses what is deleted before it is published', async () => {
    const board = (await call(201, 'POST', '/kanbans', { name: unique('Board') })).id;
    const id = await create();
    await call(200, 'PUT', `/agents/${id}/draft`, { allowedKanbanIds: [board], instructions: 'x' });
    await call(200, 'DELETE', `/kanbans/${board}`);
    assert.deepEqual((await call(200, 'GET', `/agents/${id}/draft`)).changed, ['instructions']);
    assert.deepEqual((await call(200, 'POST', `/agents/${id}/publish`)).allowedKanbanIds, []);
  });

  it('a key is no part of a version, and leaves with the origin that it was entered for', async () => {
    const id = await atProvider();
    await patch(id, { apiKey: 'another' });
    assert.deepEqual(await numbersOf(id), [1]);
    await patch(id, { apiKey });
    const path = `/agents/${id}/draft`;
    const sameOrigin = await call(400, 'PUT', path, { apiKey, instructions: 'x' });
    assert.match(sameOrigin.message, /^apiKey /);
    const draft = await call(200, 'PUT', path, { baseUrl: elsewhere.baseUrl });
    assert.deepEqual([draft.hasApiKey, (await read(id)).hasApiKey], [false, true]);
    const published = await call(200, 'POST', `/agents/${id}/publish`);
    assert.equal(published.hasApiKey, false);
    const back = await call(200, 'POST', `/agents/${id}/rollback`, { version: 1 });
    assert.deepEqual([back.baseUrl, back.hasApiKey], [provider.baseUrl, false]);
    const text = JSON.stringify([await call(200, 'GET', `/agents/${id}/versions/1`), draft]);
    assert.ok(!text.includes('4711'));
  });

  it('a draft for another origin brings its own key, which is used once it is published', async () => {
    const id = await atProvider();
    const path = `/agents/${id}/draft`;
    const draft = { baseUrl: elsewhere.baseUrl, apiKey: 'sk-of-the-draft' };
    assert.equal((await call(200, 'PUT', path, draft)).hasApiKey, true);
    const { baseUrl } = draft;
    assert.equal((await call(200, 'PUT', path, { baseUrl, instructions: 'x' })).hasApiKey, true);
    assert.equal((await call(200, 'PUT', path, { baseUrl, apiKey: null })).hasApiKey, false);
    assert.equal((await call(200, 'PUT', path, draft)).hasApiKey, true);
    const back = await call(200, 'PUT', path, {});
    assert.equal(back.hasApiKey, true, 'that of the agent');
    assert.equal((await call(200, 'PUT', path, { baseUrl })).hasApiKey, false, 'its key was dropped');
    await call(200, 'PUT', path, draft);
    assert.equal((await call(200, 'POST', `/agents/${id}/publish`)).hasApiKey, true);
    const messages = [{ role: 'user', content: 'Hello' }];
    const { failure } = await call(200, 'POST', `/agents/${id}/try`, { messages });
    assert.equal(failure, null);
    assert.ok(!JSON.stringify(elsewhere.requests).includes('4711'));
  });

  it('a trial takes the published agent, the draft or a version', async () => {
    const id = await atProvider();
    await patch(id, { model: 'second' });
    await call(200, 'PUT', `/agents/${id}/draft`, { model: 'of-the-draft' });
    const asked = async (version?: number | 'draft') => {
      const messages = [{ role: 'user', content: 'Hello' }];
      const answer = await call(200, 'POST', `/agents/${id}/try`, { messages, ...(version && { version }) });
      return answer.failure ?? provider.requests.at(-1)!.body.model;
    };
    assert.deepEqual(
      [await asked(), await asked(1), await asked(2), await asked('draft')],
      ['second', 'm', 'second', 'of-the-draft'],
    );
    const { baseUrl } = elsewhere;
    await call(200, 'PUT', `/agents/${id}/draft`, { baseUrl });
    const before = elsewhere.requests.length;
    assert.match(await asked('draft'), /another origin: enter a key/);
    assert.equal(elsewhere.requests.length, before);
    await call(200, 'PUT', `/agents/${id}/draft`, { baseUrl, apiKey: 'sk-of-the-draft', model: 'there' });
    await asked('draft');
    assert.equal(elsewhere.requests.at(-1)!.body.model, 'there');
    const messages = [{ role: 'user', content: 'Hello' }];
    await call(404, 'POST', `/agents/${id}/try`, { messages, version: 3 });
    await call(400, 'POST', `/agents/${id}/try`, { messages, version: 'none' });
    await call(200, 'DELETE', `/agents/${id}/draft`);
    const none = await call(409, 'POST', `/agents/${id}/try`, { messages, version: 'draft' });
    assert.equal(none.code, 'NO_DRAFT');
    assert.equal((await read(id)).version, 2, 'a trial changes nothing');
  });

  it('an address needs the right to webhooks, in a draft and on the way back as well', async () => {
    const id = await atProvider();
    const permissions = ['agents.manage', 'channels.manage'];
    const role = await call(201, 'POST', '/roles', { name: unique('Role'), permissions });
    const { id: userId, jwt } = await service.createUser('operator');
    await call(200, 'PATCH', `/users/${userId}`, { roleId: role.id });
    const limited = async (method: string, path: string, body: object) =>
      (await service.call(method, `/agents/${id}/${path}`, { token: jwt, body })).status;
    assert.equal(await limited('PUT', 'draft', { baseUrl: elsewhere.baseUrl }), 403);
    assert.equal(await limited('PUT', 'draft', { instructions: 'x' }), 200);
    await call(200, 'PUT', `/agents/${id}/draft`, { baseUrl: elsewhere.baseUrl });
    assert.equal(await limited('POST', 'publish', {}), 403);
    await call(200, 'POST', `/agents/${id}/publish`);
    assert.equal(await limited('POST', 'rollback', { version: 1 }), 403);
  });

  it('publishing and going back are in the audit log', async () => {
    const id = await create();
    await call(200, 'PUT', `/agents/${id}/draft`, { instructions: 'x' });
    await call(200, 'POST', `/agents/${id}/publish`, { note: 'n' });
    await call(200, 'POST', `/agents/${id}/rollback`, { version: 1 });
    const { items } = await call(200, 'GET', '/audit-log?targetType=agent&limit=100');
    const mine = items.filter(({ target }: Json) => target.id === id);
    assert.deepEqual(
      mine.map(({ action }: Json) => action),
      ['agent.rolled_back', 'agent.published', 'agent.created'],
    );
    assert.deepEqual(mine[1].changes, {
      instructions: { from: '', to: 'x' },
      version: { from: 1, to: 2 },
    });
  });

  it('of two that publish one draft at the same time, one does', async () => {
    const id = await create();
    await call(200, 'PUT', `/agents/${id}/draft`, { instructions: 'x' });
    const both = await Promise.all(
      [1, 2].map(() => service.call('POST', `/agents/${id}/publish`, { token, body: {} })),
    );
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
    assert.deepEqual(await numbersOf(id), [2, 1]);
  });
});
