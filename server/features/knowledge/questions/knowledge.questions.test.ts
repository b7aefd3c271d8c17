import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { absentId } from '../../../../test/support/api-samples.ts';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';

describe('judged questions', () => {
  let service: TestService;
  let token: string;
  let sourceId: string;
  const call = async (status: number, method: string, path: string, body?: object): Promise<Json> => {
    const answer = await service.call(method, `/knowledge${path}`, { token, ...(body && { body }) });
    assert.equal(answer.status, status, answer.text);
    return answer.body;
  };
  const write = async (title: string, text: string): Promise<string> =>
    (await call(201, 'POST', '/documents', { sourceId, title, text, state: 'published' })).id;
  const evaluate = (body: object = {}) => call(200, 'POST', '/questions/evaluate', body);
  before(async () => {
    service = await joinTestService();
    token = (await service.createAccount()).jwt;
    sourceId = (await call(200, 'GET', '/sources')).items[0].id;
  });
  after(() => service.close());

  it('measure the search as it is, and as it would be with a new version', async () => {
    const zero = { 'hit@1': 0, 'hit@5': 0, 'nDCG@10': 0 };
    assert.deepEqual(await evaluate(), { now: zero, after: null, questions: [] });
    assert.deepEqual((await call(200, 'POST', '/questions/evaluate')).now, zero);
    const returns = await write('Returns', 'You can return a sofa within 30 days.');
    const shipping = await write('Shipping', 'Parcels leave on the next day.');
    const first = await call(201, 'POST', '/questions', {
      q: ' How do I return a sofa? ',
      documentIds: [returns, returns],
    });
    const { createdAt, ...made } = first;
    const documents = [{ id: returns, title: 'Returns' }];
    assert.deepEqual(made, {
      id: first.id,
      q: 'How do I return a sofa?',
      documentIds: [returns],
      documents,
    });
    assert.deepEqual((await call(200, 'GET', '/questions')).items, [{ ...made, createdAt }]);
    const second = await call(201, 'POST', '/questions', { q: 'customs duties', documentIds: [shipping] });
    const now = { 'hit@1': 0.5, 'hit@5': 0.5, 'nDCG@10': 0.5 };
    const asked = [
      { id: first.id, q: first.q, placeNow: 1, placeAfter: null },
      { id: second.id, q: second.q, placeNow: null, placeAfter: null },
    ];
    assert.deepEqual(await evaluate(), { now, after: null, questions: asked });

    await call(200, 'PUT', `/documents/${shipping}`, {
      title: 'Shipping',
      text: 'Parcels leave on the next day. Customs duties are paid by us.',
      expectedVersion: 1,
    });
    const expected = {
      now,
      after: { 'hit@1': 1, 'hit@5': 1, 'nDCG@10': 1 },
      questions: [
        { ...asked[0], placeAfter: 1 },
        { ...asked[1], placeAfter: 1 },
      ],
    };
    assert.deepEqual(await evaluate({ documentId: shipping }), expected);
    // It changed nothing: the draft is not found, and the published text is.
    assert.deepEqual(await evaluate({ documentId: shipping }), expected);
    assert.deepEqual((await call(200, 'POST', '/search', { q: 'customs' })).passages, []);
    const [found] = (await call(200, 'POST', '/search', { q: 'parcels' })).passages;
    assert.deepEqual([found.documentId, found.version], [shipping, 1]);
  });

  it('lose documents that go, and do not count without one', async () => {
    const gone = await write('Gone', 'pangolin');
    const { id } = await call(201, 'POST', '/questions', { q: 'pangolin', documentIds: [gone] });
    const before = await evaluate();
    assert.equal(before.questions.length, 3);
    await call(200, 'DELETE', `/documents/${gone}`);
    const listed = (await call(200, 'GET', '/questions')).items;
    assert.deepEqual(listed.at(-1).documentIds, []);
    assert.equal((await evaluate()).questions.length, 2);
    await call(200, 'DELETE', `/questions/${id}`);
    await call(404, 'DELETE', `/questions/${id}`);
    const page = await call(200, 'GET', '/questions?limit=1');
    assert.equal(page.items.length, 1);
    const next = await call(200, 'GET', `/questions?limit=1&nextToken=${encodeURIComponent(page.nextToken)}`);
    assert.equal(next.nextToken, null);
  });

  it('are refused with what is wrong', async () => {
    const message = async (status: number, path: string, body: object) =>
      (await call(status, 'POST', path, body)).message;
    assert.equal(await message(400, '/questions', { q: ' ', documentIds: [absentId] }), 'q is required');
    assert.equal(
      await message(400, '/questions', { q: 'x', documentIds: [absentId] }),
      'documentIds[0] is not a knowledge document of this account',
    );
    assert.match(await message(400, '/questions', { q: 'x', documentIds: [] }), /documentIds/);
    assert.equal(
      await message(400, '/questions/evaluate', { documentId: absentId, runId: absentId }),
      'only one of runId and documentId can be given',
    );
    await message(404, '/questions/evaluate', { documentId: absentId });
    await message(404, '/questions/evaluate', { documentId: 'x' });
  });
});
