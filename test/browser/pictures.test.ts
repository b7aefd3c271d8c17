/** A picture that would unfold to gigabytes is never loaded by itself, in the inbox and in the customer's chat. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { buildWidget } from '../../scripts/build-widget.ts';
import type { BrowserStage } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { picture } from '../support/inbox.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';
import { hugePng } from '../support/sample-files.ts';
import type { Json } from '../support/service.ts';

describe('pictures without a thumbnail', () => {
  let on: InboxStage<BrowserStage>;
  let page: Page;
  let hills: Buffer;
  before(async () => {
    await buildWidget();
    // Before the service closes the decoder to all but uploaded files.
    hills = await picture();
    on = await startInbox();
    ({ page } = on);
  });
  after(() => on.stage.close());

  /** Whole files that a page has asked for, by their keys. */
  const originalsAskedBy = (who: Page): string[] => {
    const asked: string[] = [];
    who.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.startsWith('/files/') && searchParams.get('variant') === 'file') {
        asked.push(pathname.split('/').at(-1)!);
      }
    });
    return asked;
  };
  const upload = async (name: string, bytes: Buffer): Promise<Json> =>
    on.inbox.upload(name, 'image/png', bytes);

  it('the inbox shows name, size and dimensions, and leads to the original on request', async () => {
    const [small, huge] = [await upload('hills.png', hills), await upload('bomb.png', hugePng(60_000))];
    const alone = await on.begin('Alone Al', { attachments: [huge] });
    const asked = originalsAskedBy(page);
    await on.open(alone);
    const log = page.getByRole('log');
    await log.getByText('bomb.png', { exact: true }).waitFor();
    await log.getByText('60,000 × 60,000 px').waitFor();
    const link = log.getByRole('link', { name: 'Open original' });
    assert.match((await link.getAttribute('href')) ?? '', new RegExp(`/files/.*${huge.fileKey}`));
    assert.equal(await link.getAttribute('target'), '_blank');
    assert.equal(await log.locator('img').count(), 0);

    const both = await on.begin('Both Bo', { attachments: [small, huge] });
    await on.open(both);
    await log.getByText('bomb.png', { exact: true }).waitFor();
    await log.getByRole('button', { name: 'Open the picture hills.png' }).click();
    const lightbox = page.getByRole('dialog');
    await lightbox.getByRole('img', { name: 'Picture hills.png' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await lightbox.getByRole('link', { name: 'Open original' }).waitFor();
    assert.equal(await lightbox.locator('img').count(), 0);
    await page.keyboard.press('Escape');
    assert.deepEqual([...new Set(asked)], [small.fileKey]);
  });

  it('a picture that was just sent appears as soon as its thumbnail is there', async () => {
    const id = await on.begin('Fresh Fee');
    await on.open(id);
    const file = { name: 'fresh.png', mimeType: 'image/png', buffer: hills };
    await page.locator('input[type="file"]').first().setInputFiles(file);
    await page.getByRole('textbox', { name: 'Reply' }).fill('Look');
    await page.getByRole('textbox', { name: 'Reply' }).press('Enter');
    await page.getByRole('button', { name: 'Open the picture fresh.png' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Open original' }).count(), 0);
  });

  it('the customer’s chat shows the same for what an operator sends', async () => {
    const { call, admin } = on.stage.service;
    const chat = await on.stage.browser.newPage();
    const asked = originalsAskedBy(chat);
    const web = ((await call('GET', '/channels')).body.items as Json[]).find(({ type }) => type === 'web');
    await chat.goto(`${on.stage.base}/widget/preview?channel=${web.id}&guide=en`);
    const frame = chat.frameLocator('iframe');
    const box = frame.getByRole('textbox', { name: 'Write a message' });
    await box.fill('Send me pictures');
    await box.press('Enter');
    let session: Json;
    await eventually(async () => {
      session = (await call('GET', `/sessions?channelId=${web.id}`)).body.items[0];
      return session !== undefined;
    });
    const files = [await upload('plan.png', hills), await upload('poster.png', hugePng(60_000))];
    await on.inbox.operatorSays(session.sessionId, { attachments: files }, admin.jwt);
    await frame.getByText('poster.png', { exact: true }).waitFor();
    await frame.getByText(/· 60000 × 60000 px/).waitFor();
    await frame.getByText('Open original').waitFor();
    await frame.locator('.picture img').waitFor();
    assert.equal(await frame.locator('img').count(), 1);
    assert.deepEqual(asked, []);
    await chat.close();
  });
});
