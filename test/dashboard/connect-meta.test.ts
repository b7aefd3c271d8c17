import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type { DashboardStage } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type MessengerServer, startMessengerServer } from '../support/providers/messenger-server.ts';
import type { MetaServer } from '../support/providers/meta-server.ts';
import { numberIds } from '../support/providers/whatsapp-messages.ts';
import { startWhatsappServer, type WhatsappServer } from '../support/providers/whatsapp-server.ts';
import type { Json } from '../support/service.ts';
import { loopbackAllowed } from '../support/webhooks.ts';

describe('channels of Meta', () => {
  let stage: DashboardStage;
  let whatsapp: WhatsappServer;
  let messenger: MessengerServer;
  before(async () => {
    [whatsapp, messenger] = await Promise.all([startWhatsappServer(), startMessengerServer()]);
    stage = await startDashboard(loopbackAllowed);
  });
  after(async () => {
    await stage.close();
    await Promise.all([whatsapp.close(), messenger.close()]);
  });

  const fill = (page: Page, label: string, text: string) =>
    page.getByLabel(label, { exact: true }).fill(text);

  /** From the gallery to the address and the token, as Meta's console wants them. */
  async function connect(page: Page, kind: RegExp, name: string, server: MetaServer, ids: object) {
    await page.getByRole('button', { name: kind }).click();
    await fill(page, 'Name', name);
    for (const [label, id] of Object.entries(ids)) await fill(page, label, id);
    await fill(page, 'Access token', server.accessToken);
    await fill(page, 'App secret', server.appSecret);
    server.verifyToken = await page.getByLabel('Verify token', { exact: true }).inputValue();
    assert.match(server.verifyToken, /^[0-9a-f]{32}$/);
    await page.getByText('More', { exact: true }).click();
    await fill(page, 'Server address', server.url);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('heading', { level: 2 }).getByText('Connected', { exact: true }).waitFor();
    const list = await stage.service.call('GET', '/channels', { token: stage.service.admin.jwt });
    server.inboundUrl = list.body.items.find((one: Json) => one.name === name).connector.inboundUrl;
    const connection = page.getByRole('region', { name: 'Connection' });
    for (const text of [server.inboundUrl, server.verifyToken]) await connection.getByText(text).waitFor();
    assert.equal((await server.handshake()).status, 200);
    await page.getByRole('button', { name: 'Check connection' }).click();
    await connection.locator('.text-success').waitFor();
  }

  async function reply(page: Page, customer: string, text: string) {
    await page.goto(`${stage.base}/app/inbox`);
    await page
      .getByRole('link', { name: new RegExp(customer) })
      .first()
      .click();
    const box = page.getByRole('textbox', { name: 'Reply', exact: true });
    await box.fill(text);
    await box.press('Enter');
  }

  it('a number of WhatsApp is connected, and a customer gets a reply', async () => {
    const { page, errors, close } = await stage.open(stage.service.admin, {
      path: '/settings/channels/connect',
    });
    await connect(page, /^WhatsApp Business/, 'Shop number', whatsapp, {
      'Phone number ID': numberIds.phoneNumberId,
      'Business account ID': numberIds.businessAccountId,
    });
    const { status } = await whatsapp.customerWrites('Do you deliver?', { name: 'Grace' });
    assert.equal(status, 200);
    await reply(page, 'Grace', 'Yes, every day.');
    await eventually(() => whatsapp.sent().some(({ text }) => text === 'Yes, every day.'));
    assert.deepEqual(errors(), []);
    await close();
  });

  it('a page is connected, and a customer gets a reply', async () => {
    const { page, errors, close } = await stage.open(stage.service.admin, {
      path: '/settings/channels/connect',
    });
    await connect(page, /^Messenger or Instagram/, 'Shop page', messenger, {
      'Page or account ID': messenger.pageId,
    });
    messenger.names.set('7001', 'Hedy');
    const { status } = await messenger.customerWrites('7001', 'Are you open?');
    assert.equal(status, 200);
    await reply(page, 'Hedy', 'Until six.');
    await eventually(() => messenger.sent('7001').some(({ text }) => text === 'Until six.'));
    // The service does not return the token: it is shown until the page is loaded again.
    await page.goto(
      new URL(messenger.inboundUrl).pathname.replace('/connect/', `${stage.base}/app/settings/channels/`),
    );
    await page.getByText(/was set when the channel was connected/).waitFor();
    assert.deepEqual(errors(), []);
    await close();
  });
});
