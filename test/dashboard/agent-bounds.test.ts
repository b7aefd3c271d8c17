/** What bounds an agent, in the dashboard: its key, the boards it may transfer to, the fields it may see. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page, Route } from 'playwright-core';
import type { DashboardStage } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { fails, type ModelServer, startOpenAiServer } from '../support/model-servers.ts';
import type { Json } from '../support/service.ts';
import { loopbackAllowed } from '../support/webhooks.ts';

describe('what bounds an agent', () => {
  let stage: DashboardStage;
  let model: ModelServer;
  let agentId: string;
  before(async () => {
    model = await startOpenAiServer({ apiKey: 'sk-browser' });
    stage = await startDashboard(loopbackAllowed);
    const agent = {
      name: 'Barista',
      provider: 'openai-compatible',
      model: 'm',
      baseUrl: model.baseUrl,
      apiKey: 'sk-browser',
      tools: ['transfer'],
    };
    agentId = (await call('POST', '/agents', agent)).id;
  });
  after(async () => {
    await stage.close();
    await model.close();
  });

  const call = async (method: string, path: string, body?: object): Promise<Json> =>
    (await stage.service.call(method, path, { token: stage.service.admin.jwt, ...(body && { body }) })).body;
  const agent = () => call('GET', `/agents/${agentId}`);
  const openAgent = () => stage.open(stage.service.admin, { path: `/settings/agents/${agentId}` });
  const saveModel = (page: Page) => page.getByRole('button', { name: 'Save model' }).click();

  it('has a price of its own, which is both prices, or the public one', async () => {
    const { page, errors, close } = await openAgent();
    await page.getByLabel(/^Price of a million input tokens/).fill('0.5');
    const save = page.getByRole('button', { name: 'Save price' });
    assert.ok(await save.isDisabled());
    await page.getByLabel(/^Price of a million output tokens/).fill('2');
    await save.click();
    await eventually(async () => (await agent()).price?.output === 2);
    assert.deepEqual((await agent()).price, { input: 0.5, output: 2 });
    await page.getByRole('button', { name: 'Use the public price' }).click();
    await eventually(async () => (await agent()).price === null);
    assert.deepEqual(errors(), []);
    await close();
  });

  it('asks for the key again when the address moves to another origin', async () => {
    const { page, errors, close } = await openAgent();
    const again = page.getByLabel('API key for the new URL');
    await page.getByLabel('Base URL').fill(`${model.baseUrl}/other`);
    assert.equal(await again.count(), 0, 'another path of the same origin keeps the key');
    await page.getByLabel('Base URL').fill('http://127.0.0.2:9/v1');
    await page.getByText(/The stored key belongs to the old URL/).waitFor();
    await again.fill('sk-of-the-new-host');
    // The response is late: what was typed for one origin is not offered to the next.
    const mayAnswer = Promise.withResolvers<void>();
    const answerLate = async (route: Route) => {
      if (route.request().method() !== 'PATCH') return route.fallback();
      const response = await route.fetch();
      await mayAnswer.promise;
      await route.fulfill({ response });
    };
    await page.route(`**/agents/${agentId}`, answerLate);
    await saveModel(page);
    await eventually(async () => (await agent()).baseUrl === 'http://127.0.0.2:9/v1');
    assert.equal((await agent()).hasApiKey, true);
    await page.getByLabel('Base URL').fill(model.baseUrl);
    await again.waitFor();
    assert.equal(await again.inputValue(), '');
    mayAnswer.resolve();
    await page.unrouteAll({ behavior: 'wait' });
    await saveModel(page);
    await eventually(async () => (await agent()).baseUrl === model.baseUrl);
    assert.equal((await agent()).hasApiKey, false);
    await again.waitFor({ state: 'detached' });
    await page.getByLabel(/API key/).fill('sk-browser');
    await page.getByRole('button', { name: 'Set key' }).click();
    await eventually(async () => (await agent()).hasApiKey);
    assert.deepEqual(errors(), []);
    await close();
  });

  it('says how to allow a private address, and what the provider said', async () => {
    const { page, close } = await openAgent();
    await page.getByLabel('Base URL').fill('http://10.0.0.5:11434/v1');
    await saveModel(page);
    await page.getByText(/add 10\.0\.0\.5\/32:11434 to the service's OUTBOUND_ALLOW setting/).waitFor();
    model.choose(() => fails(404, {}, 'The model m does not exist'));
    await page.getByRole('tab', { name: 'Try it' }).click();
    await page.getByLabel('Message as a customer').fill('Hello?');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('The model m does not exist').waitFor();
    await close();
  });

  it('chooses the boards that the agent may transfer to', async () => {
    const board = await call('POST', '/kanbans', { name: 'Complaints' });
    const { page, errors, close } = await openAgent();
    const group = page.getByRole('group', { name: 'Boards it can transfer to' });
    await group.getByText('The channel’s boards').waitFor();
    await group.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('option', { name: 'Complaints' }).click();
    await page.keyboard.press('Escape');
    await eventually(async () => (await agent()).allowedKanbanIds[0] === board.id);
    await group.getByRole('button', { name: /Complaints/ }).click();
    await eventually(async () => (await agent()).allowedKanbanIds.length === 0);
    assert.deepEqual(errors(), []);
    await close();
  });

  it('hides a field from agents, also one that comes with every board', async () => {
    const { page, errors, close } = await stage.open(stage.service.admin, { path: '/boards/sales/settings' });
    await page.getByRole('button', { name: 'Fields' }).click();
    const isVisible = async () =>
      (await call('GET', '/crm/fields')).fields.find((field: Json) => field.name === 'Phone').aiVisible;
    for (const wanted of [false, true]) {
      await page.getByRole('button', { name: 'Edit Phone' }).click();
      const dialog = page.getByRole('dialog');
      const visible = dialog.getByRole('switch', { name: 'AI agents can see this field' });
      assert.equal(await visible.isChecked(), !wanted);
      await visible.click();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      assert.equal(await isVisible(), wanted);
      const mark = page.getByLabel('Hidden from AI agents');
      await mark.waitFor({ state: wanted ? 'detached' : 'visible' });
    }
    assert.deepEqual(errors(), []);
    await close();
  });
});
