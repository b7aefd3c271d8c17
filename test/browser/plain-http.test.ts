/** The dashboard and the chat on a plain http address of another host, where browsers hide what needs a secure page. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { buildDashboard } from '../../scripts/build-dashboard.ts';
import { buildWidget } from '../../scripts/build-widget.ts';
import { startChromium } from '../support/chromium.ts';
import { signIn } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { inboxOf } from '../support/inbox.ts';
import { type Json, password, startTestService, type TestService } from '../support/service.ts';

const host = 'talkboard.test';

describe('a plain http page of another host', () => {
  let service: TestService;
  let browser: Browser;
  let page: Page;
  let base: string;
  const errors: string[] = [];
  before(async () => {
    await buildDashboard();
    await buildWidget();
    const port = await freePort();
    base = `http://${host}:${port}`;
    service = await startTestService({ worker: true, env: { PUBLIC_URL: base } });
    await service.app.listen({ host: '127.0.0.1', port });
    browser = await startChromium(`--host-resolver-rules=MAP ${host} 127.0.0.1`);
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.goto(`${base}/app/login`);
    await signIn(page, service.admin.email, password);
    await page.waitForURL((url) => !url.pathname.endsWith('/login'));
  });
  after(async () => {
    await browser.close();
    await service.close();
  });

  it('is not a secure context, so this test tests what it says', async () => {
    assert.equal(await page.evaluate('isSecureContext'), false);
    assert.equal(await page.evaluate('typeof crypto.randomUUID'), 'undefined');
    assert.equal(await page.evaluate('typeof navigator.mediaDevices'), 'undefined');
  });

  it('the inbox sends replies, notes and files', async () => {
    const inbox = inboxOf(service);
    await inbox.customerSays('http-talk', { sessionName: 'Plain Paul' });
    await page.goto(`${base}/app/inbox/http-talk`);
    const reply = page.getByRole('textbox', { name: 'Reply' });
    const file = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Hello') };
    await page.locator('input[type="file"]').first().setInputFiles(file);
    await reply.fill('Sent over http');
    await reply.press('Enter');
    let sent: Json;
    await eventually(async () => {
      const { items } = (await service.call('GET', '/sessions/http-talk/messages')).body;
      sent = items.find((one: Json) => one.content === 'Sent over http');
      return sent !== undefined;
    });
    assert.equal(sent.attachments[0].fileName, 'notes.txt');
    assert.deepEqual(errors, []);
  });

  it('copying works, and recording says what it needs', async () => {
    const copy = page.getByRole('button', { name: 'Copy' }).first();
    await copy.click();
    await page.getByRole('button', { name: 'Copied' }).first().waitFor();
    await page.getByRole('button', { name: 'Record a voice message' }).click();
    await page.getByText('Open Talkboard over https to use the microphone').first().waitFor();
    assert.deepEqual(errors, []);
  });

  it('a card is made on the board', async () => {
    await page.goto(`${base}/app/`);
    await page.locator('[data-card]', { hasText: 'Plain Paul' }).first().waitFor();
    await page.keyboard.press('c');
    await page.keyboard.type('Made over http');
    await page.keyboard.press('Enter');
    await eventually(async () => {
      const { items } = (await service.call('GET', '/crm/search?q=Made+over+http')).body;
      return items.length === 1;
    });
    assert.deepEqual(errors, []);
  });

  it('a visitor of the chat sends and is answered', async () => {
    const channels = (await service.call('GET', '/channels')).body.items as Json[];
    const web = channels.find(({ type }) => type === 'web');
    await page.goto(`${base}/widget/preview?channel=${web.id}&guide=en`);
    const frame = page.frameLocator('iframe');
    const box = frame.getByRole('textbox', { name: 'Write a message' });
    await box.fill('Is anybody there?');
    await box.press('Enter');
    await frame.locator('.message.assistant:not(.greeting):not(.typing)').first().waitFor();
    assert.deepEqual(errors, []);
  });
});
