import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';

describe('the scrolled list of conversations', () => {
  let on: InboxStage;
  let page: Page;

  before(async () => {
    on = await startInbox();
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

  it('leads back to the row of before also when it was scrolled out of view', async () => {
    await page.goto(`${on.stage.base}/app/inbox`);
    await page.getByRole('link', { name: /^Customer 39/ }).focus();
    await page.keyboard.press('ArrowDown');
    await isFocused('Customer 38');
    await page.getByRole('link', { name: /^Customer 38/ }).hover();
    await page.mouse.wheel(0, 2_500);
    await page.getByRole('link', { name: /^Customer 05/ }).waitFor();
    assert.equal(await tabStops(), 1);
    await page.getByRole('radiogroup', { name: 'Show' }).getByRole('radio', { name: 'All' }).focus();
    await page.keyboard.press('Tab');
    await isFocused('Customer 38');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Customer 38' }).waitFor();
  });
});
