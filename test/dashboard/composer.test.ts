import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';
import type { Json } from '../support/service.ts';

describe('the composer', () => {
  let on: InboxStage;
  let page: Page;

  before(async () => {
    on = await startInbox(startDashboard);
    ({ page } = on);
  });
  after(() => on.stage.close());

  const call = (...args: Parameters<typeof on.stage.service.call>) => on.stage.service.call(...args);
  const reply = () => page.getByRole('textbox', { name: 'Reply' });
  const row = (name: string) => page.getByRole('link', { name: new RegExp(`^${name}`) });
  const contents = async (id: string) => (await on.messages(id)).map(({ content }) => content);
  /** Of the person; the page reads it again. */
  const undoSend = async (undoSendSeconds: number) => {
    const { jwt } = on.stage.service.admin;
    await call('PATCH', '/auth/me', { token: jwt, body: { undoSendSeconds } });
    await page.reload();
    await page.getByRole('log').waitFor();
  };
  const say = async (text: string) => {
    await reply().fill(text);
    await reply().press('Enter');
  };

  it('a reply waits and can be undone or sent at once; several keep their order', async () => {
    const id = await on.begin('Undone Uta');
    await page.goto(`${on.stage.base}/app/settings/profile`);
    await page.getByRole('radio', { name: '20 s' }).click();
    await eventually(async () => {
      const { body } = await call('GET', '/auth/me', { token: on.stage.service.admin.jwt });
      return body.user.undoSendSeconds === 20;
    });
    await on.open(id);
    await say('First');
    await page.getByText(/^Sending in \d+ s$/).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    assert.equal(await reply().inputValue(), 'First');
    assert.deepEqual(await contents(id), ['Hello from Undone Uta']);

    await reply().press('Enter');
    await say('Second');
    await say('Third, a mistake');
    await reply().press('Control+z');
    assert.equal(await reply().inputValue(), 'Third, a mistake');
    await say('{{blank}}');
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Send now' }).last().click();
    await eventually(async () => (await contents(id)).length === 3);
    assert.deepEqual((await contents(id)).slice(1), ['First', 'Second']);
    await row('Undone Uta.*Unsent draft').waitFor();
    await undoSend(0);
  });

  it('Send and resolve resolves after the message, with undo', async () => {
    const id = await on.begin('Resolved Rosa');
    await on.open(id);
    await reply().fill('All done');
    await reply().press('Control+Shift+Enter');
    const statusOf = async () => (await call('GET', `/sessions/${id}`)).body.status;
    await eventually(async () => (await statusOf()) === 'resolved');
    assert.equal((await contents(id)).at(-1), 'All done');
    await page.getByText('Sent and resolved').waitFor();
    await page.getByRole('region', { name: 'Messages' }).getByRole('button', { name: 'Undo' }).click();
    await eventually(async () => (await statusOf()) === 'open');

    await undoSend(20);
    await reply().fill('Anything else?');
    await reply().press('Control+Shift+Enter');
    await page.getByText(/^Sending and resolving in/).waitFor();
    await on.inbox.customerSays(id, { content: 'Yes, one question' });
    await page.getByRole('log').getByText('Yes, one question').waitFor();
    await page.getByRole('button', { name: 'Send now' }).click();
    await page.getByText('The customer wrote again, so the conversation stays open').waitFor();
    assert.equal((await contents(id)).at(-1), 'Anything else?');
    assert.equal(await statusOf(), 'open');
    await undoSend(0);
  });

  it('a reply with an unfilled placeholder is stopped once; unknown ones are marked in a saved reply', async () => {
    const id = await on.begin('Blank Bea');
    await on.open(id);
    await say('Your order {{order number}} is ready');
    await page.getByRole('alert').getByText('{{order number}} has no value').waitFor();
    assert.equal((await contents(id)).length, 1);
    await page.keyboard.type('4711');
    assert.equal(await reply().inputValue(), 'Your order 4711 is ready');
    await reply().fill('Use {{name}} in templates');
    await reply().press('Enter');
    await page.getByRole('button', { name: 'Send anyway' }).click();
    await eventually(async () => (await contents(id)).at(-1) === 'Use {{name}} in templates');

    await page.goto(`${on.stage.base}/app/settings/saved-replies`);
    await page.getByRole('button', { name: 'New reply' }).click();
    const text = page.getByRole('textbox', { name: 'Text' });
    await text.fill('Dear {{custmer}}, ');
    await page.getByText('{{custmer}} is not a known placeholder').waitFor();
    await page.getByRole('button', { name: 'Insert a placeholder' }).click();
    await page.getByRole('menuitem', { name: '{{E-mail}}' }).click();
    await eventually(async () => (await text.inputValue()) === 'Dear {{custmer}}, {{E-mail}}');
  });

  it('a conversation is started from the inbox and from a card', async () => {
    const { body: made } = await call('POST', '/channels', {
      body: { name: 'Text messages', identifier: 'sms', type: 'sms', defaultAgentId: on.agent.id },
    });
    await page.goto(`${on.stage.base}/app/inbox`);
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'New conversation' });
    await dialog.getByRole('combobox', { name: 'Channel' }).click();
    assert.equal(await page.getByRole('option').count(), 2, 'no web chat');
    await page.getByRole('option', { name: 'Text messages' }).click();
    await dialog.getByRole('textbox', { name: 'Recipient' }).fill('123');
    await dialog.getByText('at least 7 digits').waitFor();
    await dialog.getByRole('textbox', { name: 'Recipient' }).fill('+44 20 7946 0001');
    await dialog.getByRole('textbox', { name: 'Name (optional)' }).fill('Nora New');
    await dialog.getByRole('textbox', { name: 'Message' }).fill('Hello Nora');
    await dialog.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('heading', { name: 'Nora New' }).waitFor();
    await page.getByRole('log').getByText('Hello Nora').waitFor();
    const { items } = (await call('GET', `/sessions?channelId=${made.id}`)).body;
    assert.deepEqual([items[0].externalUserId, items[0].aiPaused], ['+44 20 7946 0001', true]);

    const { body: record } = await call('GET', `/crm/records/${items[0].recordId}`);
    await page.goto(`${on.stage.base}/app/boards/${record.kanbanId}/records/${record.recordId}`);
    await page.getByRole('button', { name: 'New conversation' }).click();
    await eventually(async () => {
      const recipient = dialog.getByRole('textbox', { name: 'Recipient' });
      return (await recipient.inputValue()) === '+44 20 7946 0001';
    });
    await dialog.getByRole('combobox', { name: 'Channel' }).click();
    await page.getByRole('option', { name: 'Text messages' }).click();
    await dialog.getByRole('textbox', { name: 'Message' }).fill('Once more');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Sent in the conversation that the customer already has').waitFor();
    await page.getByRole('log').getByText('Once more').waitFor();
    const after: Json = (await call('GET', `/sessions?channelId=${made.id}`)).body;
    assert.equal(after.items.length, 1);
    assert.deepEqual(on.visitor.errors(), []);
  });

  it('a text message has neither reactions nor quoted replies', async () => {
    const texts = { name: 'Texts', identifier: 'texts', type: 'sms', defaultAgentId: on.agent.id };
    assert.equal((await call('POST', '/channels', { body: texts })).status, 201);
    const place = { fromChannelIdentifier: 'texts', channelType: 'sms' };
    const id = await on.begin('Texting Tess', { content: 'Is it ready?', ...place });
    await on.open(id);
    const said = page.getByRole('log').getByRole('article').filter({ hasText: 'Is it ready?' });
    await said.hover();
    await said.getByRole('button', { name: 'Message actions' }).click();
    await page.getByRole('menuitem', { name: 'Copy link' }).waitFor();
    assert.equal(await page.getByRole('menuitem', { name: 'Reply to this' }).count(), 0);
    assert.equal(await page.getByRole('menu').getByText('👍').count(), 0);
    await page.keyboard.press('Escape');
  });
});
