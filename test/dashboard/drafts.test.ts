import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { signIn } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';
import { password } from '../support/service.ts';

describe('drafts of replies and notes', () => {
  let on: InboxStage;
  let page: Page;

  before(async () => {
    on = await startInbox(startDashboard);
    ({ page } = on);
  });
  after(() => on.stage.close());

  const reply = () => page.getByRole('textbox', { name: 'Reply' });
  const note = () => page.getByRole('textbox', { name: 'Note' });
  const switchTo = (mode: 'Reply' | 'Note') => page.getByRole('radio', { name: mode }).click();
  const storedDrafts = () =>
    page.evaluate(
      "Object.entries(localStorage).filter(([key]) => key.startsWith('talkboard.draft.')).map(([key, value]) => [key, JSON.parse(value)])",
    ) as Promise<[string, { reply: string; note: string; at: number }][]>;

  it('the text of a note never becomes a reply: each mode has its own draft', async () => {
    const id = await on.begin('Two Drafts');
    await on.goTo(id);
    await reply().fill('Dear customer');
    await switchTo('Note');
    assert.equal(await note().inputValue(), '');
    await note().fill('Do not tell the customer');
    await switchTo('Reply');
    assert.equal(await reply().inputValue(), 'Dear customer');
    await switchTo('Note');
    assert.equal(await note().inputValue(), 'Do not tell the customer');
  });

  it('both drafts survive a reload and belong to their conversation', async () => {
    const id = await on.begin('Reloaded Rita');
    const other = await on.begin('Other Olga');
    await on.goTo(id);
    await reply().fill('A reply to finish');
    await switchTo('Note');
    await note().fill('A note to finish');
    await page.reload();
    await page.getByRole('log').waitFor();
    assert.equal(await note().inputValue(), 'A note to finish');
    await switchTo('Reply');
    assert.equal(await reply().inputValue(), 'A reply to finish');
    await on.goTo(other);
    assert.equal(await reply().inputValue(), '');
  });

  it('adding a note removes its draft, keeps the reply, and a second Enter sends nothing', async () => {
    const id = await on.begin('Enter Erna');
    await on.goTo(id);
    await reply().fill('Half a reply');
    await switchTo('Note');
    await note().fill('For us');
    await note().press('Enter');
    await page.keyboard.press('Enter');
    await eventually(async () => (await on.messages(id)).some((one) => one.isNote));
    assert.equal(await note().inputValue(), '');
    await page.reload();
    await page.getByRole('log').waitFor();
    await switchTo('Reply');
    assert.equal(await reply().inputValue(), 'Half a reply');
    await reply().press('Enter');
    await eventually(async () => (await on.messages(id)).at(-1)?.content === 'Half a reply');
    await eventually(async () => !(await storedDrafts()).some(([key]) => key.endsWith(`.${id}`)));
    await page.reload();
    await page.getByRole('log').waitFor();
    assert.equal(await reply().inputValue(), '');
  });

  it('at most 50 drafts are stored, and none older than 30 days', async () => {
    const id = await on.begin('Bounded Bodo');
    await on.goTo(id);
    await reply().fill('Newest');
    const [[key = ''] = []] = (await storedDrafts()).filter(([, { reply }]) => reply === 'Newest');
    const owner = key.slice(0, -id.length);
    await page.evaluate(
      new Function(
        'owner',
        `const day = 24 * 60 * 60_000;
        const put = (id, at) => localStorage.setItem(owner + id,
          JSON.stringify({ at, isNote: false, isVisibleToAi: false, reply: id, note: '' }));
        for (let i = 0; i < 60; i++) put('young-' + i, Date.now() - day - i * 60_000);
        put('old', Date.now() - 31 * day);
        localStorage.setItem(owner + 'broken', '{');`,
      ) as (owner: string) => void,
      owner,
    );
    const second = await on.begin('Bounded Beate');
    await on.open(second);
    await reply().fill('Newer still');
    await eventually(async () => (await storedDrafts()).length === 50);
    const texts = (await storedDrafts()).map(([, draft]) => draft.reply);
    for (const kept of ['Newest', 'Newer still', 'young-0']) assert.ok(texts.includes(kept), kept);
    for (const gone of ['old', 'young-59']) assert.ok(!texts.includes(gone), gone);
  });

  it('a text that could not be sent is the draft again after a reload, and only then', async () => {
    const id = await on.begin('Offline Olaf');
    await on.begin('Online Otto');
    // Its console says that a request failed.
    const { page: window, close } = await on.stage.open(on.stage.service.admin);
    const text = window.getByRole('textbox', { name: 'Reply' });
    await on.goTo(id, window);
    await window.route('**/agent-messages', (route) => route.abort());
    await text.fill('Please do not lose me');
    await text.press('Enter');
    await window.getByRole('alert').getByText('Retry').waitFor();
    assert.equal(await text.inputValue(), '');
    await window.getByRole('link', { name: /^Online Otto/ }).click();
    await window.getByRole('heading', { name: 'Online Otto' }).waitFor();
    await window.getByRole('link', { name: /^Offline Olaf/ }).click();
    await window.getByText('Please do not lose me').waitFor();
    assert.equal(await text.inputValue(), '');
    await window.reload();
    await window.getByRole('log').waitFor();
    assert.equal(await text.inputValue(), 'Please do not lose me');
    await window.unroute('**/agent-messages');
    await text.press('Enter');
    await eventually(async () => (await on.messages(id)).at(-1)?.content === 'Please do not lose me');
    await window.getByText('Sending').waitFor({ state: 'detached' });
    await window.reload();
    await window.getByRole('log').waitFor();
    assert.equal(await text.inputValue(), '');
    await close();
  });

  it('a note that was begun while the contact was blocked stays a note after a colleague unblocks', async () => {
    const id = await on.begin('Unblocked Uwe');
    const { call } = on.stage.service;
    const { body } = await call('GET', `/sessions/${id}`);
    const path = `/blocked-contacts/${encodeURIComponent(body.externalUserId)}`;
    await call('POST', path, { body: {} });
    await on.goTo(id);
    const banner = page.getByText('This customer is blocked');
    await banner.waitFor();
    await note().pressSequentially('Careful');
    await call('DELETE', path);
    await banner.waitFor({ state: 'detached' });
    await page.keyboard.type(' with him');
    await page.keyboard.press('Enter');
    await eventually(async () => (await on.messages(id)).at(-1)?.content === 'Careful with him');
    assert.equal((await on.messages(id)).at(-1)?.isNote, true);
  });

  it('signing out from a board removes the drafts when no conversation was opened since the reload', async () => {
    const id = await on.begin('Board Berta');
    await on.goTo(id);
    await reply().fill('Written before the reload');
    await eventually(async () => (await storedDrafts()).some(([key]) => key.endsWith(`.${id}`)));
    const { body: boards } = await on.stage.service.call('GET', '/kanbans');
    await page.goto(`${on.stage.base}/app/boards/${boards.items[0].slug}`);
    await page.getByRole('button', { name: /Clara Nunes/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL(/\/login/);
    assert.deepEqual(await storedDrafts(), []);
    await signIn(page, on.stage.service.admin.email, password);
    await page.waitForURL((url) => !url.pathname.endsWith('/login'));
  });

  it('signing out removes the drafts from the browser and from the page', async () => {
    const id = await on.begin('Private Paul');
    await on.goTo(id);
    await reply().fill('Not for the next person');
    await eventually(async () => (await storedDrafts()).length > 0);
    await page.getByRole('button', { name: /Clara Nunes/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL(/\/login/);
    assert.deepEqual(await storedDrafts(), []);
    await signIn(page, on.stage.service.admin.email, password);
    await page.waitForURL((url) => !url.pathname.endsWith('/login'));
    await page.getByRole('link', { name: 'Inbox' }).click();
    await page.getByRole('link', { name: /^Private Paul/ }).click();
    await page.getByRole('log').waitFor();
    assert.equal(await reply().inputValue(), '');
    assert.deepEqual(on.visitor.errors(), []);
  });
});
