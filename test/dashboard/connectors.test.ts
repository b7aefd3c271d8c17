import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type DashboardStage, settled, undo } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
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

/** Messages go through the queues of the service. */
const slowMs = 30_000;
/** Who writes to the linked phone. */
const number = '5511988887777';
const customer = `${number}@s.whatsapp.net`;

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
  /** Opens the conversation of the channel's only customer, and replies. */
  const reply = async (page: Page, channelId: string, question: string, text: string) => {
    let sessionId = '';
    await eventually(async () => {
      const { items } = (await stage.service.call('GET', '/sessions?limit=100')).body;
      sessionId = items.find((one: Json) => one.channelId === channelId)?.sessionId ?? '';
      return sessionId !== '';
    }, slowMs);
    await page.goto(`${stage.base}/app/inbox/${encodeURIComponent(sessionId)}`);
    await page.getByRole('log').getByText(question).waitFor();
    const box = page.getByRole('textbox', { name: 'Reply', exact: true });
    await box.fill(text);
    await box.press('Enter');
  };
  const connection = (page: Page) => page.getByRole('region', { name: 'Connection' });

  it('a bot of Telegram is connected by keyboard, checked, and gets another token', async () => {
    const { page, errors, close } = await asAdmin('/settings/channels');
    await page.getByRole('button', { name: 'Connect a channel' }).press('Enter');
    const tile = page.getByRole('button', { name: /^Telegram bot/ });
    await tile.waitFor();
    await tile.press('Enter');
    await fill(page, 'Name', 'Shop bot');
    await page.getByText('More', { exact: true }).press('Enter');
    await fill(page, 'Server address', telegram.url);
    await fill(page, 'Bot token', 'hello');
    await page.keyboard.press('Enter');
    await page.locator('[aria-invalid="true"]').waitFor();
    await eventually(
      async () => (await page.getByLabel('Bot token').getAttribute('aria-invalid')) === 'true',
    );
    const before = (await stage.service.call('GET', '/channels')).body.items.length;
    await fill(page, 'Bot token', '123456789:AAEnotATokenOfTelegram_0123456789abcd');
    await page.keyboard.press('Enter');
    const refused = page.getByRole('alert').filter({ hasText: 'the connection was refused: ' });
    await refused.waitFor();
    assert.equal(await page.getByRole('alert').count(), 1);
    await page.getByRole('button', { name: 'Save anyway' }).waitFor();
    assert.equal((await stage.service.call('GET', '/channels')).body.items.length, before);
    await fill(page, 'Bot token', telegram.token);
    // It was offered for what was refused.
    await page.getByRole('button', { name: 'Save anyway' }).waitFor({ state: 'detached' });
    await page.getByLabel('Bot token').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /Shop bot/ }).waitFor();
    await state(page, 'Connected');
    await press(page, 'Check connection');
    await connection(page).getByRole('status').locator('p').waitFor();
    telegram.setToken('123456789:AAEnotTheFormerToken_0123456789abcdef');
    await press(page, 'Check connection');
    await connection(page).getByRole('status').locator('.text-danger').waitFor();
    await press(page, 'Change credentials');
    assert.equal(await page.getByLabel('Bot token').inputValue(), '');
    await fill(page, 'Bot token', '123456789:AAEnotTheFormerToken_0123456789abcdef');
    await press(page, 'Save and connect');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // What the former token gave is not true any more.
    await connection(page).getByRole('status').locator('p').waitFor({ state: 'detached' });
    await state(page, 'Connected');
    await press(page, 'Check connection');
    await connection(page).locator('.text-success').waitFor();
    assert.deepEqual(errors(/409/), []);
    await close();
  });

  it('what a provider refuses is saved only if that is wanted', async () => {
    const { page, errors, close } = await asAdmin('/settings/channels/connect');
    await page.getByRole('button', { name: /^Telegram bot/ }).click();
    await fill(page, 'Name', 'Later bot');
    await page.getByText('More', { exact: true }).click();
    await fill(page, 'Server address', telegram.url);
    await fill(page, 'Bot token', '123456789:AAEnotATokenOfTelegram_0123456789abcd');
    await press(page, 'Connect');
    await press(page, 'Save anyway');
    await page.getByRole('heading', { name: /Later bot/ }).waitFor();
    await state(page, 'Error');
    await press(page, 'Change credentials');
    await fill(page, 'Bot token', '123456789:AAEnotATokenOfTelegram_9876543210abcd');
    await press(page, 'Save and connect');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('alert').filter({ hasText: 'the connection was refused: ' }).waitFor();
    await dialog.getByRole('button', { name: 'Save anyway' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(errors(/409/), []);
    const { id } = await channelNamed('Later bot');
    assert.equal((await stage.service.call('DELETE', `/channels/${id}`)).status, 200);
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
    // The menu that is gone must not take the focus back: what is typed is the reply.
    await settled(page);
    const box = page.getByRole('textbox', { name: 'Reply', exact: true });
    await page.keyboard.type('Yes, from ten.');
    await page.keyboard.press('Enter');
    await eventually(() => telegram.sent(501).some(({ text }) => text === 'Yes, from ten.'), slowMs);
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
    await chat.getByRole('button', { name: 'Send again' }).click();
    await eventually(() => telegram.sent(501).some(({ text }) => text === 'Anything else?'), slowMs);
    await chat.getByRole('button', { name: 'Send again' }).waitFor({ state: 'detached' });
    const row = page.getByRole('link', { name: /Ada/ }).first();
    assert.equal(await row.locator('svg.lucide-send').count(), 1);
    const { id } = await channelNamed('Shop bot');
    await page.goto(`${stage.base}/app/settings/channels/${id}`);
    await page.getByRole('tab', { name: 'Traffic' }).click();
    const failed = page
      .getByRole('list', { name: 'Traffic' })
      .getByRole('listitem')
      .filter({ hasText: 'Anything else?' })
      .filter({ hasText: 'Failed' });
    await failed.getByText('Failed').waitFor();
    await page.getByText('Do you open on Sunday?').waitFor();
    await failed.getByRole('button', { name: 'Retry' }).click();
    const twice = () => telegram.sent(501).filter(({ text }) => text === 'Anything else?').length === 2;
    await eventually(twice, slowMs);
    assert.deepEqual(errors(), []);
    await close();
  });

  it('a number of Twilio receives and replies, is disabled, disconnected and removed', async () => {
    const { page, errors, close } = await asAdmin('/settings/channels/connect');
    await press(page, /^SMS with Twilio/);
    await page
      .getByRole('note')
      .getByText(/must be an https address on the internet/)
      .waitFor();
    await fill(page, 'Name', 'Texts');
    await fill(page, 'Account SID', twilio.accountSid);
    await fill(page, 'Auth token', twilio.authToken);
    await fill(page, 'Twilio number', '555 1234');
    await page.getByRole('combobox', { name: 'Who answers first?' }).press('Enter');
    await page.getByRole('option', { name: 'People only' }).click();
    await press(page, 'Connect');
    await page.getByRole('alert').getByText('Check the field “Twilio number”.').waitFor();
    const number = page.getByLabel('Twilio number', { exact: true });
    assert.equal(await number.getAttribute('aria-invalid'), 'true');
    await page.getByText(/^Twilio number must be a number with its country code/).waitFor();
    await eventually(
      async () => (await page.evaluate('document.activeElement.getAttribute("aria-invalid")')) === 'true',
    );
    await number.fill(twilio.from);
    // The form of its settings is checked for Twilio's own servers only.
    await page.getByText('More', { exact: true }).click();
    await fill(page, 'Server address', twilio.url);
    await press(page, 'Connect');
    await state(page, 'Connected');
    await connection(page)
      .getByRole('note')
      .getByText(/^The provider cannot reach http:/)
      .waitFor();
    const { id, connector } = await channelNamed('Texts');
    await connection(page).getByText(connector.inboundUrl).waitFor();
    twilio.inboundUrl = connector.inboundUrl;
    assert.equal((await twilio.customerWrites('Is it ready?')).status, 200);
    await eventually(async () => {
      const { items } = (await stage.service.call('GET', `/sessions?channelId=${id}`)).body;
      return items.some(({ aiPaused, needsAttention }: Json) => aiPaused && needsAttention);
    }, slowMs);
    await reply(page, id, 'Is it ready?', 'Since noon.');
    await eventually(() => twilio.sent('+5511987654321').some(({ body }) => body === 'Since noon.'), slowMs);
    assert.equal(await twilio.deliverWithSignature('wrong'), 401);
    await eventually(async () => (await channelNamed('Texts')).connector.rejected?.count === 1);
    await page.goto(`${stage.base}/app/settings/channels/${id}`);
    await connection(page)
      .getByText(/^1 request was rejected: wrong signature/)
      .waitFor();
    await page
      .getByText(/neither receives nor sends.*Text messages that arrive meanwhile are lost/)
      .waitFor();
    await press(page, 'Disconnect');
    await page
      .getByRole('dialog')
      .getByText(/Text messages that arrive meanwhile are lost/)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
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
    assert.deepEqual(errors(), [
      'Failed to load resource: the server responded with a status of 400 (Bad Request)',
    ]);
    await close();
  });

  it('a phone is linked by the code that is shown, which changes', async () => {
    const { page, errors, close } = await asAdmin('/settings/channels/connect');
    await press(page, /^Linked phone/);
    await fill(page, 'Name', 'Store phone');
    await fill(page, 'Server address', evolution.url);
    await fill(page, 'API key', 'not-the-key-of-the-server');
    await press(page, 'Connect');
    await press(page, 'Save anyway');
    // Nothing is waited for while the key is wrong.
    await state(page, 'Error');
    await connection(page).getByRole('alert').waitFor();
    assert.equal(await page.getByLabel('Waiting for a code').count(), 0);
    await press(page, 'Change credentials');
    await fill(page, 'API key', evolution.apiKey);
    await press(page, 'Save and connect');
    await state(page, 'Waiting for the phone');
    const code = connection(page).getByRole('img', { name: 'QR code that links the phone' });
    await code.waitFor();
    const [instance] = evolution.instances.keys();
    const before = await code.getAttribute('src');
    await evolution.changeCode(instance!);
    await eventually(async () => (await code.getAttribute('src')) !== before);
    assert.equal(await code.getAttribute('src'), codePicture(evolution.instances.get(instance!)!.codes));
    await evolution.link(instance!);
    await connection(page).getByText('The phone is linked.').waitFor();
    await state(page, 'Connected');
    const { id } = await channelNamed('Store phone');
    await evolution.say(instance!, 'Do you deliver?', { from: customer });
    await reply(page, id, 'Do you deliver?', 'Yes, every day.');
    await eventually(() => evolution.sent.some(({ text }) => text === 'Yes, every day.'), slowMs);
    assert.deepEqual(errors(/409/), []);
    await close();
  });

  it('shows what came from the phone, what was edited and what was deleted', async () => {
    const [instance] = evolution.instances.keys();
    const { page, errors, close } = await asAdmin(`/inbox/evolution:${number}`);
    const chat = page.getByRole('log');
    const article = (text: string) => chat.getByRole('article').filter({ hasText: text });
    await evolution.say(instance!, 'Written on the phone', { from: customer, fromMe: true });
    await article('Written on the phone').getByText('sent from the connected phone').waitFor();
    const id = await evolution.say(instance!, 'Ten, please', { from: customer });
    await article('Ten, please').waitFor();
    const key = { id, remoteJid: customer, fromMe: false };
    const editedMessage = { conversation: 'Twelve, please' };
    await evolution.deliver(instance!, 'messages.edited', { key, type: 'MESSAGE_EDIT', editedMessage });
    await article('Twelve, please').getByText('edited', { exact: true }).waitFor();
    await evolution.deliver(instance!, 'messages.delete', { ...key, status: 'DELETED' });
    await article('Twelve, please').getByText('Deleted by the customer').waitFor();
    assert.deepEqual(errors(), []);
    await close();
  });

  it('two contacts that turn out to be one are offered with the evidence, merged and separated again', async () => {
    const [instance] = evolution.instances.keys();
    const lid = '77001122@lid';
    const contactOf = async (sessionId: string): Promise<string | null> => {
      const path = `/sessions/${encodeURIComponent(sessionId)}`;
      return (await stage.service.call('GET', path)).body.contactId ?? null;
    };
    await evolution.say(instance!, 'Hello', { from: lid, name: 'Ada by id' });
    await eventually(async () => (await contactOf(`evolution:${lid}`)) !== null, slowMs);
    await evolution.say(instance!, 'It is me', { from: lid, alt: customer, name: 'Ada by id' });
    const path = `/contacts/${await contactOf(`evolution:${number}`)}`;
    await eventually(
      async () => (await stage.service.call('GET', path)).body.mergeOffers.length === 1,
      slowMs,
    );
    const { page, errors, close } = await asAdmin(path);
    const offer = page.getByRole('region', { name: 'Possibly the same person: Ada by id' });
    await offer
      .getByText(/^One message on Store phone came with identifiers of both: .*77001122@lid/)
      .waitFor();
    await offer.getByRole('button', { name: 'Merge' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Merge' }).click();
    await offer.waitFor({ state: 'detached' });
    const conversations = page.getByRole('list', { name: 'Conversations' }).getByRole('listitem');
    await eventually(async () => (await conversations.count()) === 2);
    await undo(page, 'Merged with Ada by id');
    await page.getByText('The contacts are separate again').waitFor();
    await offer.waitFor();
    await eventually(async () => (await conversations.count()) === 1);
    assert.deepEqual(errors(), []);
    await close();
  });
});
