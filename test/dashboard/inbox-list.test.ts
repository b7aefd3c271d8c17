import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';

describe('the list of conversations', () => {
  let on: InboxStage;
  let page: Page;

  before(async () => {
    on = await startInbox(startDashboard);
    ({ page } = on);
    for (let i = 0; i < 40; i++) await on.begin(`Customer ${String(i).padStart(2, '0')}`);
  });
  after(() => on.stage.close());

  /** The customer of the row that has the focus. */
  const focused = async () =>
    /Customer \d+/.exec(
      String(
        await page.evaluate(
          "document.activeElement?.matches('[data-session]') && document.activeElement.innerText",
        ),
      ),
    )?.[0];
  const isFocused = (name: string) => eventually(async () => (await focused()) === name);
  const tabStops = () => page.locator('[data-session][tabindex="0"]').count();

  it('is one tab stop; arrows, Home, End, j and k move inside it', async () => {
    await page.goto(`${on.stage.base}/app/inbox`);
    await page.getByRole('link', { name: /^Customer 39/ }).waitFor();
    assert.ok((await page.locator('[data-session]').count()) > 8);
    assert.equal(await tabStops(), 1);
    await page.getByRole('radiogroup', { name: 'Show' }).getByRole('radio', { name: 'All' }).focus();
    await page.keyboard.press('Tab');
    await isFocused('Customer 39');
    await page.keyboard.press('ArrowDown');
    await isFocused('Customer 38');
    await page.keyboard.press('j');
    await isFocused('Customer 37');
    await page.keyboard.press('k');
    await isFocused('Customer 38');
    assert.equal(await tabStops(), 1);
    await page.keyboard.press('Tab');
    assert.equal(await focused(), undefined, 'Tab leaves the list');
    await page.keyboard.press('Shift+Tab');
    await isFocused('Customer 38');
    await page.keyboard.press('End');
    await isFocused('Customer 00');
    await page.keyboard.press('Home');
    await isFocused('Customer 39');
  });

  it('the header of a blocked contact says so instead of naming who answers', async () => {
    const id = await on.begin('Blocked Bruno');
    const { body } = await on.stage.service.call('GET', `/sessions/${id}`);
    const path = `/blocked-contacts/${encodeURIComponent(body.externalUserId)}`;
    await on.open(id);
    const header = page.getByRole('region', { name: 'Blocked Bruno' }).locator('header');
    await header.getByText('Assistant answers').waitFor();
    await on.stage.service.call('POST', path, { body: {} });
    await header.getByText('Customer blocked').waitFor();
    assert.equal(await page.getByText('Assistant answers').count(), 0);
    assert.equal(await header.getByRole('button', { name: 'Take over' }).count(), 0);
    await page.keyboard.press('p');
    await on.stage.service.call('DELETE', path);
    await header.getByText('Assistant answers').waitFor();
    await header.getByRole('button', { name: 'Take over' }).waitFor();
    assert.deepEqual(on.visitor.errors(), []);
  });
});
