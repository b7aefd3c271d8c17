import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type DashboardStage, startDashboard } from '../support/dashboard.ts';

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
});
