import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';
import type { Json } from '../support/service.ts';

describe('a reply takes over from the AI', () => {
  let on: InboxStage;
  let page: Page;

  before(async () => {
    on = await startInbox(startDashboard);
    ({ page } = on);
  });
  after(() => on.stage.close());

  const reply = () => page.getByRole('textbox', { name: 'Reply' });
  const otherWays = () => page.getByRole('button', { name: 'Reply options' });
  const way = (name: string) => page.getByRole('menuitem', { name });
  const answersNow = (text: string | RegExp) => page.locator('header').getByText(text).waitFor();
  const sessionOf = async (id: string): Promise<Json> =>
    (await on.stage.service.call('GET', `/sessions/${id}`)).body;
  /** Sends a reply, by Enter or by an item of the menu; the body that went to the service. */
  const say = async (text: string, item?: string): Promise<Json> => {
    const [request] = await Promise.all([
      page.waitForRequest('**/agent-messages'),
      (async () => {
        await reply().fill(text);
        if (!item) return reply().press('Enter');
        await otherWays().click();
        await way(item).click();
      })(),
    ]);
    await page.getByRole('article', { name: /^You,/ }).getByText(text).waitFor();
    const { clientId, ...body } = request.postDataJSON();
    assert.match(clientId, /^[0-9a-f-]{36}$/);
    return body;
  };

  it('the AI is paused with the reply, and header and chat say that a person answers', async () => {
    const id = await on.begin('Taken Tina');
    await on.open(id);
    await answersNow(/ answers$/);
    assert.deepEqual(await say('I am here now'), { content: 'I am here now', pauseAi: true });
    await answersNow(/ paused$/);
    await page.getByRole('log').getByText('You took over').waitFor();
    assert.equal((await sessionOf(id)).aiPaused, true);
    await reply().fill('x');
    await otherWays().click();
    await way('Send and resolve').waitFor();
    assert.equal(await way('Send and take over').count(), 0, 'nothing to decide while the AI is paused');
    await page.keyboard.press('Escape');
    const link = page.getByRole('link', { name: /^Taken Tina.*The AI is paused/ });
    await link.waitFor();
  });

  it('the menu beside Send keeps the AI on, for one reply only', async () => {
    const id = await on.begin('Kept Kurt');
    await on.open(id);
    const kept = await say('Just adding something', 'Send, AI keeps answering');
    assert.deepEqual(kept, { content: 'Just adding something' });
    assert.equal((await sessionOf(id)).aiPaused, false);
    assert.equal((await say('Now I take over')).pauseAi, true);
    await eventually(async () => (await sessionOf(id)).aiPaused);
  });

  it('a note takes nothing over and has no menu', async () => {
    const id = await on.begin('Noted Nora');
    await on.open(id);
    await page.getByRole('radio', { name: 'Note' }).click();
    assert.equal(await otherWays().count(), 0);
    await page.getByRole('textbox', { name: 'Note' }).fill('Among us');
    await page.keyboard.press('Enter');
    await eventually(async () => (await on.messages(id)).some((one) => one.isNote));
    assert.equal((await sessionOf(id)).aiPaused, false);
  });

  it('the workspace can keep the AI on by default; Alt and Enter take over once', async () => {
    await page.goto(`${on.stage.base}/app/settings/workspace`);
    const setting = page.getByRole('switch', { name: 'Replies take over from the assistant' });
    await eventually(async () => setting.isChecked());
    await setting.uncheck();
    await page.getByText('Saved', { exact: true }).waitFor();
    assert.equal((await on.stage.service.call('GET', '/account')).body.replyTakesOver, false);
    const id = await on.begin('Default Dirk');
    await on.open(id);
    assert.equal((await say('The AI stays on')).pauseAi, undefined);
    assert.equal((await sessionOf(id)).aiPaused, false);
    const request = page.waitForRequest('**/agent-messages');
    await reply().fill('Taking over');
    await reply().press('Alt+Enter');
    assert.equal((await request).postDataJSON().pauseAi, true);
    await answersNow(/ paused$/);
    await on.stage.service.call('PATCH', '/account', {
      token: on.stage.service.admin.jwt,
      body: { replyTakesOver: true },
    });
  });

  it('a held reply keeps the conversation under Needs a person after a human reply', async () => {
    const id = await on.begin('Held Hanna');
    await on.inbox.hold(id, 'The margin is 40 percent');
    await on.open(id);
    await page.getByText('Held back: not sent to the customer').waitFor();
    await say('One moment please');
    await page.getByRole('radio', { name: 'Needs a person' }).click();
    await page.getByRole('link', { name: /^Held Hanna/ }).waitFor();
    assert.equal((await sessionOf(id)).needsAttention, true);
    await page.getByRole('button', { name: 'Release' }).click();
    await eventually(async () => !(await sessionOf(id)).needsAttention);
    await page.getByRole('link', { name: /^Held Hanna/ }).waitFor({ state: 'detached' });
    assert.deepEqual(on.visitor.errors(), []);
  });
});
