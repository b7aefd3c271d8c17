/** Which sources of knowledge an agent has. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { absentId } from '../../../../test/support/api-samples.ts';
import { unique } from '../../../../test/support/conversations.ts';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';

describe("an agent's knowledge", () => {
  let service: TestService;
  let token: string;
  let articles: string;
  const call = async (status: number, method: string, path: string, body?: object): Promise<Json> => {
    const answer = await service.call(method, path, { token, ...(body && { body }) });
    assert.equal(answer.status, status, answer.text);
    return answer.body;
  };
  const create = (rest: object = {}) =>
    call(201, 'POST', '/agents', { name: unique('Agent'), provider: 'offline', ...rest });
  const source = async () =>
    (await call(201, 'POST', '/knowledge/sources', { name: unique('Source'), kind: 'articles' })).id;
  before(async () => {
    service = await joinTestService();
    token = (await service.createAccount()).jwt;
    articles = (await call(200, 'GET', '/knowledge/sources')).items[0].id;
  });
  after(() => service.close());

  it('a new agent, and the first of an account, has the articles and may use nothing internal', async () => {
    const [first] = (await call(200, 'GET', '/agents')).items;
    for (const { knowledgeSourceIds, mayUseInternal, answerOnlyFromKnowledge } of [first, await create()]) {
      assert.deepEqual(
        { knowledgeSourceIds, mayUseInternal, answerOnlyFromKnowledge },
        { knowledgeSourceIds: [articles], mayUseInternal: false, answerOnlyFromKnowledge: false },
      );
    }
    assert.deepEqual((await create({ knowledgeSourceIds: [] })).knowledgeSourceIds, []);
  });

  it('has the sources it was given, in their order, until they are changed', async () => {
    const [one, other] = [await source(), await source()];
    const settings = {
      knowledgeSourceIds: [other, one],
      mayUseInternal: true,
      answerOnlyFromKnowledge: true,
    };
    const { id } = await create(settings);
    const path = `/agents/${id}`;
    const read = async () => {
      const { knowledgeSourceIds, mayUseInternal, answerOnlyFromKnowledge } = await call(200, 'GET', path);
      return { knowledgeSourceIds, mayUseInternal, answerOnlyFromKnowledge };
    };
    assert.deepEqual(await read(), settings);
    await call(200, 'PATCH', path, { name: unique('Renamed') });
    assert.deepEqual(await read(), settings);
    const change = { knowledgeSourceIds: [one], mayUseInternal: false, answerOnlyFromKnowledge: false };
    await call(200, 'PATCH', path, change);
    assert.deepEqual(await read(), change);
  });

  it('400 that names the field for an unknown source and for one of another account', async () => {
    const { id } = await create();
    const foreign = (
      await service.call('GET', '/knowledge/sources', { token: (await service.createAccount()).jwt })
    ).body.items[0].id;
    for (const unknown of [absentId, 'none', articles.toUpperCase(), foreign]) {
      const knowledgeSourceIds = [articles, unknown];
      const made = await call(400, 'POST', '/agents', { name: 'x', provider: 'offline', knowledgeSourceIds });
      const changed = await call(400, 'PATCH', `/agents/${id}`, { knowledgeSourceIds });
      for (const { message } of [made, changed])
        assert.equal(message, `knowledgeSourceIds has an unknown source: ${unknown}`);
    }
    assert.deepEqual((await call(200, 'GET', `/agents/${id}`)).knowledgeSourceIds, [articles]);
  });

  it('loses a source that is deleted, also in what this process has cached', async () => {
    const gone = await source();
    const { id } = await create({ knowledgeSourceIds: [gone, articles] });
    const { accountConfig, db } = service.context;
    const [{ account }] = (await db.query<{ account: string }>(
      sql`select account_id as account from agents where id = ${id}`,
    )) as [{ account: string }];
    const cached = async () =>
      (await accountConfig.fresh(account)).directory.agents.get(id)?.knowledgeSourceIds;
    assert.deepEqual(await cached(), [gone, articles]);
    await call(200, 'DELETE', `/knowledge/sources/${gone}`);
    assert.deepEqual(await cached(), [articles]);
    assert.deepEqual((await call(200, 'GET', `/agents/${id}`)).knowledgeSourceIds, [articles]);
  });

  it('its own entries become articles that it answers from, once', async () => {
    const other = await source();
    const { id } = await create({
      knowledgeSourceIds: [other],
      knowledge: [
        { title: 'Hours', text: 'Open at nine.' },
        { title: ' ', text: 'We ship.\nEverywhere.' },
      ],
    });
    const path = `/agents/${id}/knowledge/move`;
    const { knowledge, knowledgeSourceIds } = await call(200, 'POST', path);
    assert.deepEqual([knowledge, knowledgeSourceIds], [[], [other, articles]]);
    const listed = async () => (await call(200, 'GET', `/knowledge/documents?sourceId=${articles}`)).items;
    const made: Json[] = await Promise.all(
      (await listed()).map((one: Json) => call(200, 'GET', `/knowledge/documents/${one.id}`)),
    );
    assert.deepEqual(made.map(({ title, text, state, audience }) => [title, text, state, audience]).sort(), [
      ['Hours', 'Open at nine.', 'published', 'public'],
      ['We ship.', 'We ship.\nEverywhere.', 'published', 'public'],
    ]);
    await call(200, 'POST', path);
    assert.equal((await listed()).length, 2);
    await call(404, 'POST', `/agents/${absentId}/knowledge/move`);
  });

  it('moving needs the right to write articles as well', async () => {
    const { id } = await create({ knowledge: [{ title: 'Hours', text: 'Open at nine.' }] });
    const body = { name: unique('token'), scopes: ['manage'] };
    const weak = (await call(201, 'POST', '/api-tokens', body)).token;
    const answer = await service.call('POST', `/agents/${id}/knowledge/move`, { token: weak });
    assert.equal(answer.status, 403, answer.text);
    assert.equal((await call(200, 'GET', `/agents/${id}`)).knowledge.length, 1);
  });
});
