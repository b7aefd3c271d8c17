import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type DashboardStage, startDashboard } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';

/** The rest of it is in test/dashboard. */
describe('the command palette in a browser', () => {
  let stage: DashboardStage;
  before(async () => {
    stage = await startDashboard();
    // An empty workspace would lead its administrator to the first steps.
    await stage.service.call('POST', '/crm/records', { body: { title: 'Somebody' } });
  });
  after(() => stage.close());

  it('takes what is typed while it is still being loaded; the page does nothing with it', async () => {
    const { page, errors, close } = await stage.open(stage.service.admin);
    const field = page.getByRole('combobox', { name: 'Search and commands' });
    await page.route(/assets\/palette-/, async (route) => {
      await typed;
      await route.continue();
    });
    let finish = () => {};
    const typed = new Promise<void>((resolve) => {
      finish = resolve;
    });
    await page.goto(`${stage.base}/app/boards/sales`);
    await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
    await page.keyboard.press('ControlOrMeta+k');
    // `c` would add a card here.
    await page.keyboard.type('contact reports');
    finish();
    await field.waitFor();
    assert.equal(await field.inputValue(), 'contact reports');
    await page.keyboard.press('Escape');
    assert.equal(await page.getByRole('textbox', { name: 'Title, then Enter' }).count(), 0);
    await page.unroute(/assets\/palette-/);
    assert.deepEqual(errors(), []);
    await close();
  });

  it('keeps every letter typed after the key, also at the moment in which the palette appears', async () => {
    const { page, errors, close } = await stage.open(stage.service.admin);
    const text = 'abcdefghijklmnopqrstuvwxyz'.repeat(8);
    for (const pauseMs of [0, 4]) {
      await page.goto(`${stage.base}/app/boards/sales`);
      await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
      await page.evaluate(`{
        const typed = '${text}'.split('');
        const letter = () => {
          const to = document.activeElement;
          const key = typed.shift();
          const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
          if (to.dispatchEvent(event) && to.tagName === 'INPUT') document.execCommand('insertText', false, key);
          if (typed.length > 0) setTimeout(letter, ${pauseMs});
          else window.isTyped = true;
        };
        const open = { key: 'k', ctrlKey: true, bubbles: true, cancelable: true };
        document.body.dispatchEvent(new KeyboardEvent('keydown', open));
        setTimeout(letter);
      }`);
      await eventually(() => page.evaluate<boolean>('window.isTyped === true'));
      const field = page.getByRole('combobox', { name: 'Search and commands' });
      await field.waitFor();
      assert.equal(await field.inputValue(), text);
      await page.keyboard.press('Escape');
    }
    assert.deepEqual(errors(), []);
    await close();
  });
});
