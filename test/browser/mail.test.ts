/** Conversations by e-mail in the dashboard: reading, the original formatting, replying. mailbox.test.ts has a mailbox. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { violationsInBothThemes } from '../support/accessibility.ts';
import { type DashboardStage, startDashboard, type Visitor } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { mailChannelOf, receiveMail } from '../support/mail.ts';
import { mailVectors } from '../support/mail-vectors.ts';

const history =
  '\n\nOn Sunday, Shop <shop@example.com> wrote:\n> Thank you for your order.\n> It leaves tomorrow.';

describe('e-mail in the inbox', () => {
  let stage: DashboardStage;
  let visitor: Visitor;
  let page: Page;
  let tracker: Server;
  let trackerUrl = '';
  const calls: string[] = [];
  before(async () => {
    tracker = createServer((request, response) => {
      calls.push(request.url ?? '');
      response
        .writeHead(200, { 'content-type': 'image/svg+xml' })
        .end('<svg xmlns="http://www.w3.org/2000/svg"/>');
    });
    await new Promise<void>((resolve) => tracker.listen(0, '127.0.0.1', resolve));
    trackerUrl = `http://127.0.0.1:${(tracker.address() as AddressInfo).port}`;
    stage = await startDashboard();
    const channel = await mailChannelOf(stage.service);
    const hostile = mailVectors(trackerUrl, (name) => `window.ran='${name}'`).filter(
      ({ html }) => html.length < 6_000,
    );
    const receive = (written: object) => receiveMail(stage.service, channel, 'mail:1', written);
    await receive({ subject: 'Order 4411', text: `Where is it?${history}`, cc: 'Bo <bo@example.com>' });
    await stage.service.call('PATCH', '/sessions/mail:1/ai-paused', { body: { aiPaused: true } });
    await receive({ subject: 'Re: Order 4411', text: 'Any news?' });
    await receive({
      subject: 'Invoice',
      text: 'See the invoice.',
      html: `<h1 id="top">Invoice</h1><img src="${trackerUrl}/logo.svg" width="40" height="40"><a href="https://example.com/pay">Pay</a>${hostile.map(({ html }) => html).join('')}`,
    });
    visitor = await stage.open(stage.service.admin, { path: '/inbox/mail:1' });
    page = visitor.page;
    // The list shows it too, and earlier.
    await page.getByRole('log').getByText('See the invoice.').waitFor();
  });
  after(async () => {
    await stage.close();
    tracker.closeAllConnections();
    await new Promise((resolve) => tracker.close(resolve));
  });

  const message = (text: string) => page.locator('article').filter({ hasText: text });

  it('shows a subject where it changes, the addresses and the quoted text on demand', async () => {
    const log = page.getByRole('log');
    assert.deepEqual(await log.locator('article p.font-semibold').allTextContents(), [
      'Subject: Order 4411',
      'Subject: Invoice',
    ]);
    const first = message('Where is it?');
    assert.equal(await first.getByText('It leaves tomorrow').count(), 0);
    await first.getByRole('button', { name: 'Show quoted text' }).press('Enter');
    await first.getByText('It leaves tomorrow').waitFor();
    await first.getByRole('button', { name: 'Details' }).press('Enter');
    await first.getByText('bo@example.com').waitFor();
    assert.deepEqual(await violationsInBothThemes(page), []);
  });

  it('shows the original formatting without scripts and requests, and remote images after a click', async () => {
    const opener = message('See the invoice.').getByRole('button', { name: 'Show original formatting' });
    await opener.press('Enter');
    const frame = page.frameLocator('iframe');
    await frame.getByRole('heading', { name: 'Invoice' }).waitFor();
    assert.equal(
      await page.locator('iframe').getAttribute('sandbox'),
      'allow-same-origin allow-popups allow-popups-to-escape-sandbox',
    );
    assert.equal(
      await frame.getByRole('link', { name: 'Pay' }).getAttribute('rel'),
      'noopener noreferrer nofollow',
    );
    assert.deepEqual(await violationsInBothThemes(page), []);
    assert.equal(calls.join(' '), '');
    await page.getByRole('button', { name: 'Show remote images' }).press('Enter');
    await eventually(() => calls.includes('/logo.svg'));
    await page.getByRole('button', { name: 'Show remote images' }).waitFor({ state: 'detached' });
    assert.equal(
      await page
        .frames()[1]!
        .evaluate('"ran" in window')
        .catch(() => false),
      false,
    );
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download original' }).press('Enter');
    assert.equal((await download).suggestedFilename(), 'message.eml');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('the frame is not wider than a phone', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await message('See the invoice.').getByRole('button', { name: 'Show original formatting' }).click();
    const frame = page.frameLocator('iframe');
    await frame.getByRole('heading', { name: 'Invoice' }).waitFor();
    const { width } = (await page.locator('iframe').boundingBox())!;
    assert.ok(width <= 328, `${width}`);
    // The element that reaches farthest to the right.
    const widest = (await page.frames()[1]!.evaluate(`[...document.querySelectorAll('body *')]
      .map((one) => [one.getBoundingClientRect().right, one.outerHTML.slice(0, 200)])
      .sort(([a], [b]) => b - a)[0]`)) as [number, string];
    assert.ok(widest[0] <= width, `${widest}`);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).first().click();
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('a reply has a Cc and a subject, and a wrong address is not sent', async () => {
    const requests: unknown[] = [];
    await page.route('**/agent-messages', (route) => {
      requests.push(route.request().postDataJSON());
      void route.continue();
    });
    const area = page.getByRole('textbox', { name: 'Reply' });
    await page.getByRole('button', { name: /Re: Invoice/ }).press('Enter');
    await page.getByLabel('Cc', { exact: true }).fill('bo@example.com, nobody');
    await page.getByText('Not an e-mail address: nobody').waitFor();
    await area.fill('It is on its way.');
    assert.equal(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled(), true);
    assert.deepEqual(await violationsInBothThemes(page), []);
    await page.getByLabel('Cc', { exact: true }).fill('bo@example.com, Di <di@example.com>');
    await page.getByLabel('Subject', { exact: true }).fill('Order 4411 is on its way');
    await area.press('Enter');
    await eventually(() => requests.length > 0);
    const { mail } = requests[0] as { mail: unknown };
    assert.deepEqual(mail, {
      to: ['ana@example.com'],
      cc: ['bo@example.com', 'di@example.com'],
      subject: 'Order 4411 is on its way',
    });
    assert.deepEqual(visitor.errors(), []);
  });
});
