/** Articles of the help center for visitors who are about to write. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { addressOf } from '../../../test/support/address.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { visitorsOf } from '../../../test/support/visitors.ts';

describe('articles in the widget', () => {
  let service: TestService;
  let token: string;
  let channelId: string;
  const ids: { [name: string]: string } = {};
  before(async () => {
    service = await joinTestService();
    const { items } = (await service.call('GET', '/channels')).body;
    channelId = items.find(({ type }: Json) => type === 'web').id;
    token = await visitorsOf(await addressOf(service.app)).visit(channelId);
    const sources = await service.call('GET', '/knowledge/sources');
    const sourceId = sources.body.items[0].id;
    for (const [name, more] of Object.entries({
      english: {},
      portuguese: { title: 'Devolver um produto', text: 'Você tem 30 dias.', language: 'pt' },
      internal: { audience: 'internal' },
      draft: { state: 'draft' },
    })) {
      const body = {
        sourceId,
        title: 'Return a product',
        text: 'You have 30 days.',
        state: 'published',
        ...more,
      };
      ids[name] = (await service.call('POST', '/knowledge/documents', { body })).body.id;
    }
  });
  after(() => service.close());

  const suggest = (body: object) => service.call('POST', '/widget/articles', { token, body });
  const settings = (body: object) => service.call('PATCH', '/help-center', { body });
  const hasArticles = async () => {
    const { text } = await service.call('GET', `/widget/frame?channel=${channelId}`, { token: null });
    return JSON.parse(/id="look">(.*?)<\/script>/.exec(text)![1]!).hasArticles;
  };

  it('none while there is no help center', async () => {
    assert.deepEqual((await suggest({ q: 'return product' })).body, { articles: [] });
    assert.equal(await hasArticles(), false);
  });

  it('are public ones in the language of the visitor, with their pages', async () => {
    await settings({ enabled: true, slug: 'widget-articles', languages: ['en', 'pt-BR'] });
    assert.equal(await hasArticles(), true);
    const { body } = await suggest({ q: 'how do I retrn a product', language: 'es' });
    assert.deepEqual(body.articles, [
      {
        title: 'Return a product',
        url: `http://localhost:80/help/widget-articles/en/articles/${ids.english}`,
        excerpt: 'You have 30 days.',
      },
    ]);
    await settings({ languages: ['en', 'pt'] });
    const portuguese = await suggest({ q: 'devolver produto', language: 'pt' });
    assert.deepEqual(
      portuguese.body.articles.map(({ url }: Json) => url.split('/').at(-1)),
      [ids.portuguese],
    );
    assert.deepEqual((await suggest({ q: '' })).body, { articles: [] });
    for (const wrong of [{ language: 'en' }, { q: 'a'.repeat(201) }])
      assert.equal((await suggest(wrong)).status, 400);
    assert.equal((await service.call('GET', '/widget/articles?q=return', { token })).status, 404);
  });

  it('401 without the token of a visitor', async () => {
    for (const other of [null, service.token, 'tbv_x']) {
      const body = { q: 'return' };
      const { status } = await service.call('POST', '/widget/articles', { token: other, body });
      assert.equal(status, 401);
    }
  });
});
