/** The frame with the original formatting of a mail. test/dashboard/mailbox.test.ts has the mailbox. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type DashboardStage, startDashboard, type Visitor } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { mailChannelOf, receiveMail } from '../support/mail.ts';

describe('the frame of a mail', () => {
  let stage: DashboardStage;
  let visitor: Visitor;
  let page: Page;
  before(async () => {
    stage = await startDashboard();
    const channel = await mailChannelOf(stage.service);
    const receive = (written: object) => receiveMail(stage.service, channel, 'mail:1', written);
    await receive({ text: 'Where is order?', html: '<h1>Where is the order?</h1><p>Ana</p>' });
    const rows = Array.from({ length: 200 }, (_, row) => `<p>Row ${row}</p>`);
    await receive({ text: 'Where is list?', html: `<h1>Prices</h1>${rows.join('')}` });
    visitor = await stage.open(stage.service.admin, { path: '/inbox/mail:1' });
    ({ page } = visitor);
  });
  after(() => stage.close());

  const message = (text: string) => page.getByRole('log').getByRole('article').filter({ hasText: text });
  const showFormatting = async (text: string) => {
    await message(text).getByRole('button', { name: 'Show original formatting' }).click();
    const frame = page.locator('iframe');
    await page.frameLocator('iframe').getByRole('heading').first().waitFor();
    return frame;
  };
  const closeDialog = async () => {
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).first().click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };

  it('is as high as its content until the window is full', async () => {
    await message('Where is list?').waitFor();
    const window = page.viewportSize()!.height;
    /** Until it has loaded, the frame has a height of its own. */
    const becomes = async (text: string, isRight: (height: number, content: number) => boolean) => {
      const frame = await showFormatting(text);
      const content = Number(await page.frames()[1]!.evaluate('document.body.scrollHeight'));
      await eventually(async () => isRight((await frame.boundingBox())!.height, content));
      await closeDialog();
      return content;
    };
    await becomes('Where is order?', (height, content) => height >= content && height < content + 4);
    const long = await becomes('Where is list?', (height) => height > window / 2 && height < window);
    assert.ok(long > window, `${long}`);
    assert.deepEqual(visitor.errors(), []);
  });
});
