import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { absentId } from '../../../../test/support/api-samples.ts';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';

describe('collections of knowledge', () => {
  let service: TestService;
  let sourceId: string;
  before(async () => {
    service = await joinTestService();
    sourceId = (await call('GET', '/sources')).body.items[0].id;
  });
  after(() => service.close());

  const call = (method: string, path: string, body?: object) =>
    service.call(method, `/knowledge${path}`, { token: service.admin.jwt, ...(body && { body }) });
  const expect = async (status: number, method: string, path: string, body?: object): Promise<Json> => {
    const answer = await call(method, path, body);
    assert.equal(answer.status, status, answer.text);
    return answer.body;
  };
  const create = (name: string, parent: string | null = null, more: object = {}) =>
    expect(201, 'POST', '/collections', { name, parent, ...more });
  const write = (body: object = {}) =>
    expect(201, 'POST', '/documents', { sourceId, title: 'Returns', text: '30 days.', ...body });

  it('are created, changed and listed by order', async () => {
    const first = await create(' Orders ');
    const { id, createdAt, updatedAt, ...rest } = first;
    assert.deepEqual(rest, { name: 'Orders', names: {}, order: 0, parent: null });
    assert.deepEqual([typeof id, updatedAt], ['string', createdAt]);
    const second = await create('Shipping');
    assert.equal(second.order, 1);
    const changed = await expect(200, 'PATCH', `/collections/${second.id}`, { name: 'Delivery', order: -1 });
    const { items } = await expect(200, 'GET', '/collections');
    assert.deepEqual(items, [changed, first]);
    assert.deepEqual(await expect(200, 'GET', `/collections/${id}`), first);
    const log = await service.call('GET', '/audit-log', { token: service.admin.jwt });
    const actions = log.body.items
      .filter(({ target }: Json) => target.id === second.id)
      .map(({ action }: Json) => action);
    assert.deepEqual(actions, ['knowledge_collection.updated', 'knowledge_collection.created']);
  });

  it('have names by language, which are replaced together', async () => {
    const { id, names } = await create('Orders', null, { names: { pt: ' Pedidos ', es: '' } });
    assert.deepEqual(names, { pt: 'Pedidos' });
    const change = (status: number, body: object) => expect(status, 'PATCH', `/collections/${id}`, body);
    assert.deepEqual((await change(200, { order: 3 })).names, { pt: 'Pedidos' });
    assert.deepEqual((await change(200, { names: { es: 'Ventas' } })).names, { es: 'Ventas' });
    assert.equal(
      (await change(400, { names: { Spanish: 'Ventas' } })).message,
      'a key of names must be a language tag such as en or pt-BR',
    );
    assert.match(
      (await change(400, { names: { pt: 'x'.repeat(1_000) } })).message,
      /names\.pt must have at most/,
    );
  });

  it('nest three levels deep, never in themselves', async () => {
    const one = await create('1');
    const two = await create('2', one.id);
    const three = await create('3', two.id);
    const messages: [string, object][] = [
      ['collections can nest at most 3 levels deep', { name: '4', parent: three.id }],
      ['parent is not a collection of this account', { name: '4', parent: absentId }],
      ['parent is not a collection of this account', { name: '4', parent: 'x' }],
      ['name is required', { name: ' ' }],
    ];
    for (const [message, body] of messages) {
      assert.equal((await expect(400, 'POST', '/collections', body)).message, message);
    }
    for (const parent of [one.id, two.id, three.id]) {
      const { message } = await expect(400, 'PATCH', `/collections/${one.id}`, { parent });
      assert.equal(message, 'parent must not be the collection itself or one in it');
    }
    const other = await create('other');
    await expect(400, 'PATCH', `/collections/${one.id}`, { parent: other.id });
    await expect(200, 'PATCH', `/collections/${two.id}`, { parent: other.id });
  });

  it('a deleted one leaves what is in it to its parent', async () => {
    const outer = await create('outer');
    const inner = await create('inner', outer.id);
    const innermost = await create('innermost', inner.id);
    const { id } = await write({ collectionId: inner.id });
    await expect(200, 'DELETE', `/collections/${inner.id}`);
    assert.equal((await expect(200, 'GET', `/documents/${id}`)).collectionId, outer.id);
    assert.equal((await expect(200, 'GET', `/collections/${innermost.id}`)).parent, outer.id);
    await expect(404, 'DELETE', `/collections/${inner.id}`);
  });

  it('hold documents, which leave them with null', async () => {
    const { id: collectionId } = await create('A');
    const { id } = await write();
    assert.equal(
      (await expect(200, 'PATCH', `/documents/${id}`, { collectionId })).collectionId,
      collectionId,
    );
    assert.equal(
      (await expect(200, 'PATCH', `/documents/${id}`, { audience: 'internal' })).collectionId,
      collectionId,
    );
    assert.equal((await expect(200, 'PATCH', `/documents/${id}`, { collectionId: null })).collectionId, null);
    for (const wrong of [absentId, 'x', '']) {
      const { message } = await expect(400, 'PATCH', `/documents/${id}`, { collectionId: wrong });
      assert.equal(message, 'collectionId is not a collection of this account');
      const place = await expect(400, 'PATCH', `/documents/${id}`, { translationOf: wrong });
      assert.equal(place.message, 'translationOf is not a document of this account');
    }
  });

  it('and originals narrow the list of documents', async () => {
    const { id: collectionId } = await create('B');
    const inside = await write({ collectionId });
    const outside = await write();
    const spanish = await write({ language: 'es', translationOf: inside.id });
    const list = async (query: string) =>
      (await expect(200, 'GET', `/documents?${query}`)).items.map(({ id }: Json) => id);
    assert.deepEqual(await list(`collectionId=${collectionId}`), [inside.id]);
    assert.deepEqual((await list('collectionId=none&limit=2')).sort(), [outside.id, spanish.id].sort());
    assert.deepEqual(await list(`translationOf=${inside.id}`), [spanish.id]);
    for (const query of [`collectionId=${absentId}`, 'collectionId=x', 'translationOf=x'])
      assert.deepEqual(await list(query), [], query);
  });

  it('translations belong to one original', async () => {
    const original = await write();
    const spanish = await write({ language: 'es', translationOf: original.id });
    const portuguese = await write({ language: 'pt', translationOf: spanish.id });
    assert.deepEqual([spanish.translationOf, portuguese.translationOf], [original.id, original.id]);
    const change = (id: string, translationOf: string | null, status: number) =>
      expect(status, 'PATCH', `/documents/${id}`, { translationOf });
    const other = await write();
    await change(original.id, other.id, 409);
    await change(original.id, spanish.id, 400);
    await change(other.id, absentId, 400);
    assert.equal((await change(portuguese.id, null, 200)).translationOf, null);
    await expect(200, 'DELETE', `/documents/${original.id}`);
    assert.equal((await expect(200, 'GET', `/documents/${spanish.id}`)).translationOf, null);
  });
});
