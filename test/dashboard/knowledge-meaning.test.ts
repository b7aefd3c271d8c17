import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type DashboardStage, go, type Visitor } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { type EmbeddingServer, startEmbeddingServer } from '../support/embedding-server.ts';
import type { Json } from '../support/service.ts';
import { loopbackAllowed } from '../support/webhooks.ts';

describe('search by meaning in the dashboard', () => {
  let stage: DashboardStage;
  let visitor: Visitor;
  let page: Page;
  let provider: EmbeddingServer;
  before(async () => {
    provider = await startEmbeddingServer((text) => [text.length, 1]);
    stage = await startDashboard(loopbackAllowed);
    const [articles] = (await call('GET', '/sources')).items;
    const article = { sourceId: articles.id, title: 'Returns', text: 'Within 30 days.', state: 'published' };
    await call('POST', '/documents', article);
    visitor = await stage.open(stage.service.admin, { path: '/knowledge' });
    ({ page } = visitor);
  });
  after(async () => {
    await stage.close();
    await provider.close();
  });
  const call = async (method: string, path: string, body?: object): Promise<Json> => {
    const token = stage.service.admin.jwt;
    const answer = await stage.service.call(method, `/knowledge${path}`, { token, ...(body && { body }) });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  const stored = async () => (await call('GET', '/settings')).embedding;
  const save = () => page.getByRole('button', { name: 'Save', exact: true });

  it('is set up with an address, a model and a key, and shows how far it is', async () => {
    await page.getByRole('link', { name: 'Set up search by meaning' }).click();
    await page.getByLabel('Address of the provider').fill(provider.baseUrl);
    assert.equal(await save().isDisabled(), true);
    await page.getByLabel('Model').fill('small');
    await page.getByLabel('API key').fill('sk-1');
    await save().click();
    await page.getByText('1 of 1 passages are ready').waitFor();
    await page.getByText('Ready', { exact: true }).waitFor();
    assert.equal(provider.requests[0]!.authorization, 'Bearer sk-1');
    assert.deepEqual(visitor.errors(), []);
  });

  it('says why the provider fails, and tries again when it is saved', async () => {
    provider.choose(() => ({ status: 401, body: { error: { message: 'Incorrect key' } } }));
    await page.getByLabel('Model').fill('large');
    await save().click();
    await page.getByText('The provider answered 401: Incorrect key').waitFor();
    provider.choose(() => null);
    await page.getByLabel('API key').fill('sk-2');
    await save().click();
    await page.getByText('Ready', { exact: true }).waitFor();
    assert.equal(provider.requests.at(-1)!.authorization, 'Bearer sk-2');
    assert.deepEqual(visitor.errors(), []);
  });

  it('says that the key goes with another address, and sends one only to the address that it was typed for', async () => {
    await page.getByLabel('API key').fill('sk-3');
    await page.getByLabel('Address of the provider').fill('https://models.example.com/v1');
    await page.getByText('The stored key belongs to another address').waitFor();
    assert.equal(await page.getByLabel('API key').inputValue(), '');
    await go(page, '/knowledge');
    await go(page, '/knowledge/meaning/settings');
  });

  it('is turned off and on, and removed after a question', async () => {
    await page.getByRole('switch', { name: 'Use search by meaning' }).click();
    await page.getByText('Off', { exact: true }).waitFor();
    assert.equal((await stored()).enabled, false);
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Off', { exact: true }).waitFor({ state: 'detached' });
    assert.equal(await stored(), null);
    assert.equal(await page.getByLabel('Model').inputValue(), '');
    assert.deepEqual(visitor.errors(), []);
  });
});
