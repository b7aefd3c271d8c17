import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type { DashboardStage } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { numberIds } from '../support/providers/whatsapp-messages.ts';
import { startWhatsappServer, type WhatsappServer } from '../support/providers/whatsapp-server.ts';
import { loopbackAllowed } from '../support/webhooks.ts';

const hour = 3_600_000;

describe('the reply window, templates and messages that are sent later', () => {
  let stage: DashboardStage;
  let whatsapp: WhatsappServer;
  before(async () => {
    whatsapp = await startWhatsappServer();
    whatsapp.templates.splice(0, Number.POSITIVE_INFINITY, {
      name: 'order_update',
      language: 'en_US',
      category: 'UTILITY',
      status: 'APPROVED',
      components: [{ type: 'BODY', text: 'Hello {{1}}, your order {{2}} is on its way.' }],
    });
    whatsapp.templates.push({
      name: 'summer_sale',
      language: 'en_US',
      category: 'MARKETING',
      status: 'PENDING',
      components: [{ type: 'BODY', text: 'Our sale begins.' }],
    });
    stage = await startDashboard(loopbackAllowed);
    const { call, admin } = stage.service;
    const token = admin.jwt;
    const agentId = (await call('GET', '/agents', { token })).body.items[0].id;
    const { url: apiBase, accessToken, appSecret, verifyToken } = whatsapp;
    const { status, body, text } = await call('POST', '/channels', {
      token,
      body: {
        name: 'Shop number',
        identifier: 'shop-number',
        type: 'chatapp',
        defaultAgentId: agentId,
        connector: {
          kind: 'whatsapp_cloud',
          apiBase,
          ...numberIds,
          credentials: { accessToken, appSecret, verifyToken },
        },
      },
    });
    assert.equal(status, 201, text);
    whatsapp.inboundUrl = `${stage.base}/connect/${body.id}`;
    await eventually(async () => {
      const channel = (await call('GET', `/channels/${body.id}`, { token })).body;
      return channel.connector.state === 'connected';
    });
  });
  after(async () => {
    await stage?.close();
    await whatsapp?.close();
  });

  const writes = (text: string, hoursAgo: number) =>
    whatsapp.customerWrites(text, {
      from: '5511987654321',
      name: 'Ada Lovelace',
      own: { timestamp: String(Math.floor((Date.now() - hoursAgo * hour) / 1_000)) },
    });
  const reply = (page: Page) => page.getByRole('textbox', { name: 'Reply', exact: true });
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

  it('after the window a template is filled from the card and sent', async () => {
    await writes('Is my order on its way?', 30);
    const { page, errors, close } = await stage.open(stage.service.admin, { path: '/inbox' });
    await page
      .getByRole('link', { name: /Ada Lovelace/ })
      .first()
      .click();
    await page.getByText('The reply window is closed').waitFor();
    assert.equal(await reply(page).count(), 0);
    const held = page.getByRole('region', { name: 'Held back: not sent to the customer' });
    await held.getByText(/too old for a free reply/).waitFor();
    await held.getByRole('button', { name: 'Drop' }).waitFor();
    assert.equal(await held.getByRole('button', { name: 'Release' }).count(), 0);
    await held.getByRole('button', { name: 'Choose a template' }).click();
    await page.getByText('Cannot be sent: summer sale (pending)').waitFor();
    await page.getByRole('button', { name: /order update/ }).click();
    const send = page.getByRole('button', { name: 'Send template' });
    assert.equal(await send.isDisabled(), true);
    await page.getByRole('button', { name: 'Fill from the card' }).first().click();
    await page.getByRole('menuitem', { name: /First name/ }).click();
    await page.getByLabel('Value 2').fill('4711');
    await page.getByText('Hello Ada, your order 4711 is on its way.').waitFor();
    await send.click();
    await page.getByRole('log').getByText('Hello Ada, your order 4711 is on its way.').waitFor();
    await eventually(() => whatsapp.sent().some(({ type }) => type === 'template'));
    const { template } = whatsapp.sent().find(({ type }) => type === 'template')!.body;
    assert.deepEqual(
      template.components[0].parameters.map((one: { text: string }) => one.text),
      ['Ada', '4711'],
    );
    assert.equal(whatsapp.sent().filter(({ type }) => type === 'text').length, 0);
    assert.deepEqual(errors(), []);
    await close();
  });

  it('within the window a countdown shows, and a reply is scheduled, changed and cancelled', async () => {
    await writes('Thank you!', 2);
    const { page, errors, close } = await stage.open(stage.service.admin, { path: '/inbox' });
    await page
      .getByRole('link', { name: /Ada Lovelace/ })
      .first()
      .click();
    await page.getByText(/^2[12]h \d+m left$/).waitFor();
    const held = page.getByRole('region', { name: 'Held back: not sent to the customer' }).first();
    await held.getByText(/^This reply was held because the reply window was closed/).waitFor();
    await held.getByRole('button', { name: 'Release' }).waitFor();
    await reply(page).fill('How was the delivery?');
    await press(page, 'Reply options');
    await page.getByRole('menuitem', { name: 'Send later…' }).click();
    await page.getByLabel('Cancel if the customer writes first').click();
    const chooseIn = async (hours: number) => {
      const local = `new Date(Date.now() + ${hours * hour} - new Date().getTimezoneOffset() * 60000)`;
      const time: string = await page.evaluate(`${local}.toISOString().slice(0, 16)`);
      await page.getByLabel('Another time').fill(time);
      await press(page, 'Schedule');
    };
    await chooseIn(30);
    const warning = page.getByRole('dialog').getByRole('alert');
    await warning.getByText(/The reply window closes .* A template can be sent at any time\./).waitFor();
    await warning.getByRole('button', { name: 'Schedule anyway' }).waitFor();
    await chooseIn(20);
    const list = page.getByRole('region', { name: 'Scheduled messages' });
    await list.getByText('How was the delivery?').waitFor();
    assert.equal(await reply(page).inputValue(), '');
    await list.getByText(/only if the customer does not write first/).waitFor();
    await list.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Message', { exact: true }).fill('Did it arrive well?');
    await press(page, 'Save');
    await list.getByText('Did it arrive well?').waitFor();
    await list.getByRole('button', { name: 'Cancel message' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel message' }).click();
    await list.waitFor({ state: 'detached' });
    await reply(page).fill('Are you still there?');
    await press(page, 'Reply options');
    await page.getByRole('menuitem', { name: 'Send later…' }).click();
    await page.getByLabel('Cancel if the customer writes first').click();
    await chooseIn(20);
    await list.getByText('Are you still there?').waitFor();
    await writes('Yes, I am', 0);
    await list.waitFor({ state: 'detached' });
    const chat = page.getByRole('log');
    await chat
      .getByText(/^Scheduled message cancelled: the customer wrote first\.\s+Are you still/)
      .waitFor();
    await chat.getByRole('button', { name: 'Use as draft' }).click();
    await eventually(async () => (await reply(page).inputValue()) === 'Are you still there?');
    assert.deepEqual(errors(), []);
    await close();
  });
});
