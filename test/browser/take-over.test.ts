import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { buildWidget } from '../../scripts/build-widget.ts';
import type { BrowserStage } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';
import type { Json } from '../support/service.ts';

/** The rest of it is in test/dashboard. */
describe('a reply takes over from the AI, in the chat widget', () => {
  let on: InboxStage<BrowserStage>;
  before(async () => {
    on = await startInbox();
  });
  after(() => on.stage.close());

  it('the customer reads in the chat widget that a person answers', async () => {
    await buildWidget();
    const { call } = on.stage.service;
    const { chat: web } = (await call('GET', '/first-run', { token: on.stage.service.admin.jwt })).body;
    const context = await on.stage.browser.newContext({ locale: 'en-GB' });
    const site = await context.newPage();
    await site.goto(`${on.stage.base}/widget/preview?channel=${web.channelId}&guide=en`);
    const chat = site.frameLocator('iframe');
    await chat.getByRole('textbox', { name: 'Write a message' }).fill('Is anybody there?');
    await chat.getByRole('textbox', { name: 'Write a message' }).press('Enter');
    const presence = chat.locator('.presence');
    await presence.waitFor();
    assert.doesNotMatch((await presence.textContent()) ?? '', /is here/);
    let id = '';
    await eventually(async () => {
      const { items } = (await call('GET', '/sessions')).body;
      id = items.find((one: Json) => one.channelType === 'web')?.sessionId ?? '';
      return id !== '';
    });
    await on.open(id);
    await on.page.getByRole('textbox', { name: 'Reply' }).fill('Yes, I am');
    await on.page.keyboard.press('Enter');
    await chat.getByText('Yes, I am').waitFor();
    await presence.getByText(/from the team is here/).waitFor();
    await context.close();
  });
});
