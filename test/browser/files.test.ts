/** What strangers upload, opened in a real browser by its download address and inside a page: nothing runs. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { startChromium } from '../support/chromium.ts';
import { filesOf } from '../support/files.ts';
import { hostileFiles, polyglotFiles } from '../support/hostile-files.ts';
import { scriptPayloads } from '../support/script-payloads.ts';
import { startTestService, type TestService } from '../support/service.ts';

describe('hostile files in a browser', () => {
  let service: TestService;
  let files: Awaited<ReturnType<typeof filesOf>>;
  let browser: Browser;
  let page: Page;
  const dialogs: string[] = [];
  before(async () => {
    service = await startTestService();
    files = await filesOf(service);
    browser = await startChromium();
    page = await browser.newPage();
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
  });
  after(async () => {
    await browser.close();
    await service.close();
  });

  /** As a text where it is one, else as a PDF; null when it is refused already at the upload. */
  const store = async (contentType: string, bytes: Buffer, fileName: string): Promise<string | null> => {
    const { body } = await files.announce({ fileName, contentType, size: bytes.length });
    const { status } = await files.put(body.uploadUrl, bytes, { 'content-type': contentType });
    if (status === 400) return null;
    assert.equal(status, 200);
    return files.here((await files.describe(body.fileKey)).downloadUrl);
  };
  const ran = async () => dialogs.length > 0 || page.evaluate<boolean>(`'pwned' in window`);

  /** Opened by itself (a download interrupts that), as a frame, an object and a script of a page. */
  const openEverywhere = async (url: string) => {
    await page.goto(url).catch(() => {});
    assert.equal(await ran(), false, `${url} by itself`);
    await page.goto(`${files.base}/health/live`);
    await page.evaluate(`Promise.all([['iframe', 'src'], ['object', 'data'], ['img', 'src'], ['script', 'src']].map(
      ([tag, attribute]) => new Promise((resolve) => {
        const element = document.createElement(tag);
        element.addEventListener('load', resolve);
        element.addEventListener('error', resolve);
        element.setAttribute(attribute, ${JSON.stringify(url)});
        document.body.append(element);
        // A download fires neither.
        setTimeout(resolve, 150);
      }))).then(() => null)`);
    assert.equal(await ran(), false, `${url} in a page`);
  };

  it(`${scriptPayloads.length} script payloads as texts and as names, and every hostile file, run nowhere`, async () => {
    let opened = 0;
    const all = [
      ...scriptPayloads.map((payload) => ({
        name: `${payload}.txt`,
        bytes: Buffer.from(payload),
        types: ['text/plain'],
      })),
      ...hostileFiles().map((file) => ({ ...file, types: ['text/plain', 'application/pdf'] })),
      ...polyglotFiles().map((file) => ({ ...file, types: [file.contentType] })),
    ];
    for (const { name, bytes, types } of all) {
      for (const type of types) {
        const url = await store(type, bytes, name.slice(0, 200));
        if (url === null) continue;
        opened++;
        await openEverywhere(url);
      }
    }
    assert.ok(opened >= 60, `only ${opened} were taken and opened`);
    await page.setContent(`<script>window.pwned=1</script>`);
    assert.equal(await ran(), true, 'it would have been noticed');
  });
});
