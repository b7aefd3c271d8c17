import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';

describe('drafts in two windows', () => {
  let on: InboxStage;
  let page: Page;

  before(async () => {
    on = await startInbox();
    ({ page } = on);
  });
  after(() => on.stage.close());

  const reply = () => page.getByRole('textbox', { name: 'Reply' });
  const storedDrafts = () =>
    page.evaluate(
      "Object.entries(localStorage).filter(([key]) => key.startsWith('talkboard.draft.')).map(([key, value]) => [key, JSON.parse(value)])",
    ) as Promise<[string, { reply: string; note: string; at: number }][]>;

  it('a draft that another window has sent leaves an untouched composer', async () => {
    const id = await on.begin('Double Dora');
    await on.goTo(id);
    await reply().fill('Sent once');
    await eventually(async () => (await storedDrafts()).some(([key]) => key.endsWith(`.${id}`)));
    const second = await page.context().newPage();
    await on.open(id, second);
    const there = second.getByRole('textbox', { name: 'Reply' });
    assert.equal(await there.inputValue(), 'Sent once');
    await reply().press('Enter');
    await eventually(async () => (await there.inputValue()) === '');
    await second.close();
    await eventually(async () => (await on.messages(id)).at(-1)?.content === 'Sent once');
  });
});
