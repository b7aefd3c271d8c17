import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { startDashboard } from '../support/dom/dashboard.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';

describe('a customer who is known by a generated id only', () => {
  const sessionId = '0197b2f0-8f0e-7cc1-9d2e-5a1b2c3dbeef';
  let on: InboxStage;
  let page: Page;

  before(async () => {
    on = await startInbox(startDashboard);
    ({ page } = on);
    await on.inbox.customerSays(sessionId, { content: 'Hello' });
    const { call } = on.stage.service;
    await call('PATCH', `/sessions/${sessionId}/ai-paused`, { body: { aiPaused: true } });
    await on.inbox.customerSays(sessionId, { content: 'Is anybody there?' });
  });
  after(() => on.stage.close());

  for (const [language, name, texts] of [
    ['en', 'Visitor BEEF', { notifications: 'Notifications', title: 'Title' }],
    ['pt', 'Visitante BEEF', { notifications: 'Notificações', title: 'Título' }],
    ['es', 'Visitante BEEF', { notifications: 'Notificaciones', title: 'Título' }],
  ] as const) {
    it(`is ${name} in the list, on the card, in the palette and in notifications (${language})`, async () => {
      const { call, admin } = on.stage.service;
      await call('PATCH', '/auth/me', { token: admin.jwt, body: { language } });
      await page.goto(`${on.stage.base}/app/inbox`);
      await page.getByRole('link', { name: new RegExp(`^${name}`) }).click();
      await page.getByRole('heading', { level: 2, name }).waitFor();
      const context = page.getByRole('textbox', { name: texts.title });
      assert.equal(await context.inputValue(), name);
      await page.goto(`${on.stage.base}/app/boards/sales`);
      const card = page.getByRole('group', { name: new RegExp(`^${name}`) });
      assert.equal(await card.getByText(name).getAttribute('title'), name);
      await card.click();
      await page.getByRole('complementary', { name }).waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('ControlOrMeta+k');
      await page.getByRole('combobox').fill('3dbeef');
      const options = page.getByRole('option', { name: new RegExp(name) });
      await options.nth(1).waitFor();
      assert.equal(
        await page.getByRole('option').filter({ hasText: sessionId }).filter({ hasNotText: name }).count(),
        0,
      );
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: new RegExp(texts.notifications) }).click();
      await page.getByRole('dialog').getByText(name).first().waitFor();
      assert.deepEqual(on.visitor.errors(), []);
    });
  }
});
