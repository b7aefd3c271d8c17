import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { violationsInBothThemes } from '../support/accessibility.ts';
import { eventually } from '../support/eventually.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';

describe('the composer in a browser', () => {
  let on: InboxStage;
  let page: Page;

  before(async () => {
    on = await startInbox();
    ({ page } = on);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  });
  after(() => on.stage.close());

  const reply = () => page.getByRole('textbox', { name: 'Reply' });
  const looksRight = async () => {
    assert.deepEqual(await violationsInBothThemes(page), []);
  };

  it('messages are quoted, copied, reacted to and linked, by keyboard too', async () => {
    const id = await on.begin('Quoted Quinn', { content: 'First line\nSecond line' });
    await on.inbox.operatorSays(id, { content: 'Answer' });
    await on.open(id);
    const menus = page.getByRole('button', { name: 'Message actions' });
    await menus.last().focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Quote' }).click();
    await eventually(async () => (await reply().inputValue()) === '> First line\n> Second line\n\n');

    const choose = async (name: string) => {
      await menus.first().focus();
      await page.keyboard.press('Enter');
      await page.getByRole('menu').waitFor();
      await page.getByRole(/^React/.test(name) ? 'menuitemcheckbox' : 'menuitem', { name }).click();
    };
    await menus.first().focus();
    await page.keyboard.press('Enter');
    await looksRight();
    await page.keyboard.press('Escape');
    await choose('React with 👍');
    await page.getByRole('img', { name: 'Reactions: 👍' }).waitFor();
    await eventually(async () => (await on.messages(id))[0]!.reactions[0] === '👍');
    const clipboard = () => page.evaluate('navigator.clipboard.readText()') as Promise<string>;
    await choose('Copy text');
    await eventually(async () => (await clipboard()) === 'First line\nSecond line');
    await choose('Copy link');
    const [first] = await on.messages(id);
    await eventually(async () => (await clipboard()).endsWith(`/app/inbox/${id}?message=${first!.id}`));
    await page.goto(await clipboard());
    await page.locator(`[data-hit] [data-message="${first!.id}"]`).waitFor();
  });

  it('a pasted picture gets a name with its time', async () => {
    await reply().focus();
    await page.evaluate(`{
      const data = new DataTransfer();
      data.items.add(new File(['x'], 'image.png', { type: 'image/png' }));
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
    }`);
    await page.getByRole('button', { name: /^Remove pasted-\d{4}-\d\d-\d\d-\d{6}\.png$/ }).click();
    // It is no picture: its upload may have failed before it was removed.
    on.visitor.errors();
  });

  it('leaving the page meanwhile makes a reply the draft again', async () => {
    const id = await on.begin('Left Lena');
    const { call, admin } = on.stage.service;
    await call('PATCH', '/auth/me', { token: admin.jwt, body: { undoSendSeconds: 20 } });
    await on.open(id);
    await reply().fill('Not lost');
    await reply().press('Enter');
    await page.getByText(/^Sending in/).waitFor();
    // The page asks before it is left.
    page.once('dialog', (dialog) => void dialog.accept());
    await page.goto(`${on.stage.base}/app/boards`);
    await on.open(id);
    assert.equal(await reply().inputValue(), 'Not lost');
    assert.equal((await on.messages(id)).length, 1);
  });

  it('closing the tab meanwhile deletes a note all the same', async () => {
    const id = await on.begin('Closed Clea');
    await on.inbox.operatorSays(id, { content: 'Among us', isNote: true });
    const other = await on.visitor.context.newPage();
    await on.open(id, other);
    const note = other.getByRole('region', { name: 'Note, not visible to the customer' });
    await note.hover();
    await note.getByRole('button', { name: 'Delete the note' }).click();
    await note.waitFor({ state: 'detached' });
    await other.close({ runBeforeUnload: true });
    await eventually(async () => !(await on.messages(id)).some((one) => one.isNote), 4_000);
  });
});
