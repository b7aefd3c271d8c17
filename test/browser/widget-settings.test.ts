/** The page where an administrator sets the widget up, sees it and copies its line. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { buildWidget } from '../../scripts/build-widget.ts';
import { seriousViolations } from '../support/accessibility.ts';
import { type DashboardStage, startDashboard } from '../support/dashboard.ts';

describe("the widget's settings", () => {
  let stage: DashboardStage;
  before(async () => {
    await buildWidget();
    stage = await startDashboard();
  });
  after(() => stage.close());

  it('a change is saved, shown by the widget beside it, and the line to copy is there', async () => {
    const { page, errors, close } = await stage.open(stage.service.admin, { path: '/settings/widget' });
    const { items } = (await stage.service.call('GET', '/channels')).body;
    const { id } = items.find(({ type }: { type: string }) => type === 'web');
    await page.getByText(`<script src="${stage.base}/widget.js?channel=${id}" async></script>`).waitFor();
    await page.getByLabel('Title').fill('Harbour Shop');
    await page.getByLabel('Title').press('Tab');
    await page.getByText('Saved').first().waitFor();
    const preview = page.frameLocator('iframe[title="Live preview"]');
    await preview.getByRole('button', { name: 'Open chat' }).click();
    await preview.frameLocator('iframe').getByRole('heading', { name: 'Harbour Shop' }).waitFor();
    await preview.frameLocator('iframe').getByRole('textbox').fill('Hello from the preview');
    await preview.frameLocator('iframe').getByRole('textbox').press('Enter');
    await preview
      .frameLocator('iframe')
      .getByRole('img', { name: /Sent|Seen/ })
      .waitFor();
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByText('it is not shown again').waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    assert.deepEqual(errors(), []);
    await close();
  });
});
