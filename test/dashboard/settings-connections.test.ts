import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type { DashboardStage } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { fails, type ModelServer, startOpenAiServer } from '../support/model-servers.ts';
import type { Json } from '../support/service.ts';
import { answerWith, type Inbox, loopbackAllowed, startInbox, verify } from '../support/webhooks.ts';

describe('settings of webhooks, channels and agents', () => {
  let stage: DashboardStage;
  let receiver: Inbox;
  let model: ModelServer;
  before(async () => {
    receiver = await startInbox();
    model = await startOpenAiServer({ apiKey: 'sk-browser' });
    stage = await startDashboard(loopbackAllowed);
  });
  after(async () => {
    await stage.close();
    await model.close();
    await receiver.close();
  });

  const asAdmin = (path: string) => stage.open(stage.service.admin, { path });
  const get = async (path: string): Promise<Json> =>
    (await stage.service.call('GET', path, { token: stage.service.admin.jwt })).body;
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const choose = async (page: Page, box: string, option: string) => {
    await page.getByRole('combobox', { name: box, exact: true }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  const addChip = async (page: Page, group: string, option: string) => {
    await page.getByRole('group', { name: group }).getByRole('button', { name: 'Add' }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
    await page.keyboard.press('Escape');
  };
  const saved = (page: Page) => page.getByText('Saved', { exact: true }).first().waitFor();
  const deliveries = (page: Page) => page.getByRole('list', { name: 'Deliveries' });
  const createRecord = (title: string) => stage.service.call('POST', '/crm/records', { body: { title } });
  let webhookId = '';

  it('a webhook is created with filters, and its secret, shown once, signs what it gets', async () => {
    const { page, errors, close } = await asAdmin('/settings/webhooks');
    await page.getByText('No webhooks yet').waitFor();
    await press(page, 'New webhook');
    await page.getByLabel('URL').fill(receiver.url('/crm'));
    await page.getByLabel('Description').fill('Order system');
    await page.getByRole('checkbox', { name: 'crm_record_deleted' }).click();
    await addChip(page, 'Boards', 'Sales');
    await addChip(page, 'Fields', 'Title');
    await press(page, 'Create');
    await page.getByRole('dialog', { name: 'The webhook is ready' }).waitFor();
    const secret = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
    await press(page, 'I have copied it');
    await page.getByRole('heading', { name: /Order system/ }).waitFor();
    const [webhook] = (await get('/webhooks')).items;
    webhookId = webhook.id;
    const [board] = (await get('/kanbans')).items;
    assert.deepEqual(webhook.events, ['crm_field_update', 'crm_record_created']);
    assert.deepEqual([webhook.kanbanIds, webhook.fieldIds], [[board.id], ['title']]);
    await createRecord('First');
    verify(secret, (await receiver.first(1))[0]!);
    assert.deepEqual(errors(), []);
    await close();
  });

  it('on a phone the sections are a page of their own, and each leads back to it', async () => {
    const { page, close } = await stage.open(stage.service.admin, {
      path: '/settings',
      viewport: { width: 390, height: 844 },
    });
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('link', { name: /Order system/ }).click();
    // What stands there while it loads has the same link.
    await page.getByRole('heading', { name: /Order system/ }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('main').getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'API Tokens' }).waitFor();
    await close();
  });

  it('a test is sent, and the log shows request, response and where the event went', async () => {
    const { page, errors, close } = await asAdmin(`/settings/webhooks/${webhookId}`);
    await press(page, 'Send test');
    const row = deliveries(page).getByRole('button', { name: /webhook_test/ });
    await row.getByText('Delivered').waitFor();
    await row.click();
    const panel = page.getByRole('complementary', { name: 'Delivery' });
    await panel.getByText('"webhook_test"').waitFor();
    await panel.getByText('HTTP 200').waitFor();
    await panel.getByRole('region', { name: 'Response' }).getByText('ok').waitFor();
    await panel.getByRole('list', { name: 'Where this event went' }).getByText('Order system').waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    assert.deepEqual(errors(), []);
    await close();
  });

  it('what failed is found by its status and sent again', async () => {
    const { page, errors, close } = await asAdmin(`/settings/webhooks/${webhookId}`);
    receiver.answer = answerWith(500, {}, 'out of order');
    await createRecord('Refused');
    await page.getByRole('tab', { name: 'Deliveries' }).click();
    await choose(page, 'Status', 'Retrying');
    const row = deliveries(page).getByRole('button', { name: /crm_record_created/ });
    await eventually(async () => {
      await press(page, 'Refresh');
      return (await row.count()) === 1;
    }, 20_000);
    await row.click();
    const panel = page.getByRole('complementary', { name: 'Delivery' });
    await panel.getByText('out of order').first().waitFor();
    receiver.answer = answerWith(200);
    await press(page, 'Send again');
    await page.getByText('Sent again').waitFor();
    // Two, or more if the worker has repeated it meanwhile.
    let attempts = 0;
    await eventually(async () => {
      const [newest] = (await get(`/webhooks/${webhookId}/deliveries`)).items;
      attempts = newest.attempts.length;
      return newest.status === 'delivered' && attempts > 1;
    });
    await choose(page, 'Status', 'All deliveries');
    await deliveries(page).getByText(`${attempts} attempts`).waitFor();
    assert.deepEqual(errors(), []);
    await close();
  });

  it('a time range is replayed, and an event that was kept by a filter says by which', async () => {
    const { page, errors, close } = await asAdmin(`/settings/webhooks/${webhookId}`);
    await page.getByRole('tab', { name: 'Deliveries' }).click();
    const before = receiver.received.length;
    await press(page, 'Replay');
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
    await page.getByText(/events are being sent again/).waitFor();
    await eventually(() => receiver.received.length >= before + 2);

    const other = await stage.service.call('POST', '/webhooks', {
      body: { url: receiver.url('/notes'), events: ['note_created'], description: 'Only notes' },
    });
    await createRecord('Not for the notes');
    await eventually(() => receiver.received.some(({ text }) => text.includes('Not for the notes')));
    const event = receiver.received.find(({ text }) => text.includes('Not for the notes'))!.body;
    await page.goto(`${stage.base}/app/settings/webhooks`);
    await page.getByLabel('Event ID').fill(event.id);
    await press(page, 'Look up');
    const panel = page.getByRole('complementary', { name: 'Event' });
    await panel.getByText('Not subscribed to this event').waitFor();
    await stage.service.call('DELETE', `/webhooks/${other.body.id}`);
    assert.deepEqual(errors(), []);
    await close();
  });

  it('a webhook is disabled, enabled, gets a new secret, and is deleted by typing its name', async () => {
    const { page, errors, close } = await asAdmin(`/settings/webhooks/${webhookId}`);
    await press(page, 'Disable');
    await page.getByText(/disabled by an administrator/).waitFor();
    await press(page, 'Enable');
    await page.getByText(/disabled by an administrator/).waitFor({ state: 'detached' });
    await press(page, 'New secret');
    await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('dialog', { name: 'The new secret' }).locator('code').waitFor();
    await press(page, 'I have copied it');
    await page.getByLabel('URL').fill('ftp://nowhere');
    await page.keyboard.press('Enter');
    await page.getByText(/^Url /).waitFor();
    await page.getByLabel('URL').fill(receiver.url('/moved'));
    await page.keyboard.press('Enter');
    await saved(page);
    assert.equal((await get(`/webhooks/${webhookId}`)).url, receiver.url('/moved'));
    await press(page, 'Delete');
    await page.getByRole('dialog').getByRole('textbox').fill('Order system');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No webhooks yet').waitFor();
    assert.deepEqual(errors(/Failed to load resource/), []);
    await close();
  });

  it('an agent is set up, learns, is tried, and tells when its model fails', async () => {
    const { page, errors, close } = await asAdmin('/settings/agents');
    await press(page, 'New agent');
    await page.getByLabel('Name', { exact: true }).fill('Barista');
    await press(page, 'Create');
    await page.getByRole('heading', { name: /Barista/ }).waitFor();
    const agent = async () => (await get('/agents')).items.find((one: Json) => one.name === 'Barista');
    await page.getByLabel('Instructions').fill('Be brief.');
    await page.getByLabel('Name', { exact: true }).focus();
    await saved(page);
    await page.getByRole('checkbox', { name: 'Fill in fields' }).click();
    await eventually(async () => (await agent()).tools.includes('set_field'));
    await page.getByLabel('Wait for more messages (seconds)').fill('1.5');
    await page.keyboard.press('Enter');
    await eventually(async () => (await agent()).batchWindowMs === 1500);
    assert.equal((await agent()).instructions, 'Be brief.');

    await page.getByRole('tab', { name: /Knowledge/ }).click();
    await press(page, 'Add entry');
    await page.getByLabel('Title').fill('When do you roast?');
    await page.getByLabel('Text', { exact: true }).fill('On Mondays and Thursdays.');
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
    await page.getByRole('button', { name: /When do you roast/ }).waitFor();

    await page.getByRole('tab', { name: 'Try it' }).click();
    await page.getByLabel('Message as a customer').fill('When do you roast?');
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('On Mondays and Thursdays.').waitFor();
    await page.getByLabel('Message as a customer').fill('I want to talk to a human please');
    await page.keyboard.press('Enter');
    await page.getByText(/would hand over to a person/).waitFor();

    await page.getByRole('tab', { name: 'Settings' }).click();
    await choose(page, 'Provider', 'OpenAI-compatible');
    await page.getByLabel('Model', { exact: true }).fill('small-one');
    await page.getByLabel('Base URL').fill(model.baseUrl);
    await press(page, 'Save model');
    await page.getByLabel(/API key/).fill('sk-browser');
    await press(page, 'Set key');
    await eventually(async () => (await agent()).hasApiKey);
    await eventually(async () => (await page.getByLabel(/API key/).inputValue()) === '');
    await page.getByRole('tab', { name: 'Try it' }).click();
    await page.getByLabel('Message as a customer').fill('Hello?');
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('This is the answer of the model.').waitFor();
    model.choose(() => fails(401));
    await page.getByLabel('Message as a customer').fill('And now?');
    await page.keyboard.press('Enter');
    await page
      .getByRole('alert')
      .getByText(/No answer/)
      .waitFor();
    assert.equal((await get('/sessions')).items.length, 0);
    assert.deepEqual(errors(), []);
    await close();
  });

  it('a channel is created, gets agents, a board, a webhook and its other settings', async () => {
    const { page, errors, close } = await asAdmin('/settings/channels');
    await page.getByRole('link', { name: /Website/ }).waitFor();
    await press(page, 'Connect a channel');
    await press(page, 'Chat app');
    await page.getByLabel('Name', { exact: true }).fill('Shop phone');
    await page.getByLabel('Identifier').fill('+351 21 000 0000');
    await choose(page, 'Default agent', 'Assistant');
    await press(page, 'Create');
    await page.getByRole('dialog', { name: 'Shop phone is ready' }).locator('code').waitFor();
    await press(page, 'I have copied it');
    await page.getByRole('heading', { name: /Shop phone/ }).waitFor();
    const channel = async () => (await get('/channels')).items.find((one: Json) => one.name === 'Shop phone');
    await addChip(page, 'Other agents', 'Barista');
    await choose(page, 'Board of Barista', 'Sales');
    await page.getByLabel('Webhook URL').fill(receiver.url('/messages'));
    await page.keyboard.press('Enter');
    await page.getByRole('tab', { name: 'Deliveries' }).waitFor();
    await page.getByRole('switch', { name: /Forward incoming messages/ }).click();
    await choose(page, 'Transcribe voice messages', 'All audio');
    await eventually(async () => (await channel()).settings.transcribe === 'all');
    const kept = await channel();
    const barista = (await get('/agents')).items.find((one: Json) => one.name === 'Barista');
    const [board] = (await get('/kanbans')).items;
    assert.deepEqual(
      [kept.type, kept.allowedAgentIds, kept.agentKanbanConfigs, kept.webhookUrl, kept.forwardIncoming],
      ['chatapp', [barista.id], { [barista.id]: board.id }, receiver.url('/messages'), true],
    );
    await press(page, 'Delete');
    await page.getByRole('dialog').getByRole('textbox').fill('Shop phone');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Shop phone was deleted').waitFor();
    assert.deepEqual(errors(), []);
    await close();
  });
});
