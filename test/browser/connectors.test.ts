import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { seriousViolations } from '../support/accessibility.ts';
import { type DashboardStage, startDashboard } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import {
  codePicture,
  type EvolutionServer,
  startEvolutionServer,
} from '../support/providers/evolution-server.ts';
import { startTelegramServer, type TelegramServer } from '../support/providers/telegram-server.ts';
import { startTwilioServer, type TwilioServer } from '../support/providers/twilio-server.ts';
import type { Json } from '../support/service.ts';
import { loopbackAllowed } from '../support/webhooks.ts';

describe('channels that connect to a provider', () => {
  let stage: DashboardStage;
  let telegram: TelegramServer;
  let twilio: TwilioServer;
  let evolution: EvolutionServer;
  before(async () => {
    [telegram, twilio, evolution] = await Promise.all([
      startTelegramServer(),
      startTwilioServer(),
      startEvolutionServer(),
    ]);
    stage = await startDashboard(loopbackAllowed);
  });
  after(async () => {
    await stage.close();
    await Promise.all([telegram.close(), twilio.close(), evolution.close()]);
  });

  const asAdmin = (path: string) => stage.open(stage.service.admin, { path });
  const press = (page: Page, name: string | RegExp) =>
    page.getByRole('button', { name, exact: true }).click();
  const fill = (page: Page, label: string, text: string) =>
    page.getByLabel(label, { exact: true }).fill(text);
  const state = (page: Page, text: string) =>
    page.getByRole('heading', { level: 2 }).getByText(text, { exact: true }).waitFor();
  const channelNamed = async (name: string): Promise<Json> =>
    (await stage.service.call('GET', '/channels', { token: stage.service.admin.jwt })).body.items.find(
      (one: Json) => one.name === name,
    );
  const connection = (page: Page) => page.getByRole('region', { name: 'Connection' });

  it('a bot of Telegram is connected by keyboard, checked, and gets another token', async () => {
    const { page, errors, close } = await asAdmin('/settings/channels');
    await page.getByRole('button', { name: 'Connect a channel' }).press('Enter');
    const tile = page.getByRole('button', { name: /^Telegram bot/ });
    await tile.waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    await tile.press('Enter');
    await fill(page, 'Name', 'Shop bot');
    await page.getByText('More', { exact: true }).press('Enter');
    await fill(page, 'Server address', telegram.url);
    await fill(page, 'Bot token', telegram.token);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /Shop bot/ }).waitFor();
    await state(page, 'Connected');
    await press(page, 'Check connection');
    await connection(page).getByRole('status').locator('p').waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    telegram.setToken('123456789:AAEnotTheFormerToken_0123456789abcdef');
    await press(page, 'Check connection');
    await connection(page).locator('.text-danger').first().waitFor();
    await press(page, 'Change credentials');
    assert.equal(await page.getByLabel('Bot token').inputValue(), '');
    await fill(page, 'Bot token', '123456789:AAEnotTheFormerToken_0123456789abcdef');
    await press(page, 'Save and connect');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await state(page, 'Connected');
    await press(page, 'Check connection');
    await connection(page).locator('.text-success').waitFor();
    assert.deepEqual(errors(), []);
    await close();
  });

  it('a customer of Telegram is answered, and a failed reply says why', async () => {
    const { page, errors, close } = await asAdmin('/inbox');
    telegram.customerWrites('Do you open on Sunday?', { chatId: 501, name: 'Ada' });
    await page.getByRole('link', { name: /Ada/ }).first().click();
    const chat = page.getByRole('log');
    const question = chat.getByRole('article').filter({ hasText: 'Do you open on Sunday?' });
    await question.hover();
    await question.getByRole('button', { name: 'Message actions' }).click();
    await page.getByRole('menuitem', { name: 'Reply to this' }).click();
    await page.getByText('Reply to Ada').waitFor();
    const box = page.getByRole('textbox', { name: 'Reply', exact: true });
    await box.fill('Yes, from ten.');
    await box.press('Enter');
    await eventually(() => telegram.sent(501).some(({ text }) => text === 'Yes, from ten.'));
    const sent = telegram.sent(501).find(({ text }) => text === 'Yes, from ten.')!;
    assert.notEqual(sent.replyTo, null);
    await chat.getByRole('link', { name: 'Go to the quoted message' }).waitFor();
    telegram.failNext({
      on: (name) => name === 'sendMessage',
      status: 403,
      message: 'Forbidden: bot was blocked by the user',
    });
    await box.fill('Anything else?');
    await box.press('Enter');
    await chat.getByText(/Not delivered: /).waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    const { id } = await channelNamed('Shop bot');
    await page.goto(`${stage.base}/app/settings/channels/${id}`);
    await page.getByRole('tab', { name: 'Traffic' }).click();
    const failed = page
      .getByRole('list', { name: 'Traffic' })
      .getByRole('listitem')
      .filter({ hasText: 'Anything else?' });
    await failed.getByText('Failed').waitFor();
    await page.getByText('Do you open on Sunday?').waitFor();
    await failed.getByRole('button', { name: 'Retry' }).click();
    await eventually(() => telegram.sent(501).some(({ text }) => text === 'Anything else?'));
    assert.deepEqual(await seriousViolations(page), []);
    assert.deepEqual(errors(), []);
    await close();
  });

  it('a number of Twilio shows its address, is disabled, disconnected and removed', async () => {
    const { page, errors, close } = await asAdmin('/settings/channels/connect');
    await press(page, /^SMS with Twilio/);
    await fill(page, 'Name', 'Texts');
    await fill(page, 'Account SID', twilio.accountSid);
    await fill(page, 'Auth token', twilio.authToken);
    await fill(page, 'Twilio number', twilio.from);
    await page.getByText('More', { exact: true }).click();
    await fill(page, 'Server address', twilio.url);
    await press(page, 'Connect');
    await state(page, 'Connected');
    const { id, connector } = await channelNamed('Texts');
    await connection(page).getByText(connector.inboundUrl).waitFor();
    await press(page, 'Disconnect');
    await state(page, 'Disconnected');
    await press(page, 'Connect');
    await state(page, 'Connected');
    await page.getByRole('switch', { name: /Channel enabled/ }).click();
    await state(page, 'Disabled');
    assert.equal((await channelNamed('Texts')).enabled, false);
    await press(page, 'Remove connection');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove connection' }).click();
    await page.getByText('The connection was removed').waitFor();
    assert.equal((await channelNamed('Texts')).connector, null);
    assert.equal((await stage.service.call('GET', `/channels/${id}`)).status, 200);
    assert.deepEqual(errors(), []);
    await close();
  });

  it('a phone is linked by the code that is shown, which changes', async () => {
    const { page, errors, close } = await asAdmin('/settings/channels/connect');
    await press(page, /^Linked phone/);
    await fill(page, 'Name', 'Store phone');
    await fill(page, 'Server address', evolution.url);
    await fill(page, 'API key', evolution.apiKey);
    await press(page, 'Connect');
    await state(page, 'Waiting for the phone');
    const code = connection(page).getByRole('img', { name: 'QR code that links the phone' });
    await code.waitFor();
    const [instance] = evolution.instances.keys();
    const before = await code.getAttribute('src');
    await evolution.changeCode(instance!);
    await eventually(async () => (await code.getAttribute('src')) !== before);
    assert.equal(await code.getAttribute('src'), codePicture(evolution.instances.get(instance!)!.codes));
    assert.deepEqual(await seriousViolations(page), []);
    await evolution.link(instance!);
    await connection(page).getByText('The phone is linked.').waitFor();
    await state(page, 'Connected');
    assert.deepEqual(errors(), []);
    await close();
  });
});
