/** The pages of the service in a real browser: what their policies allow, who may frame them, and what uploads can do. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { Page, Request } from 'playwright-core';
import { sql } from '../../server/platform/db/sql.ts';
import { hostileContentTypes } from '../support/content-types.ts';
import { type BrowserStage, startDashboard } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { filesOf } from '../support/files.ts';

/** A GIF of one pixel whose width is `/*`: a script may begin with it, and what follows the picture is the script's. */
const pixel = Buffer.concat([
  Buffer.from('GIF89a/*'),
  Buffer.from('0100000000 2c0000000001000100 80 000000ffffff 02 02 4c01 00 3b'.replaceAll(' ', ''), 'hex'),
]);
const gifAndScript = Buffer.concat([pixel, Buffer.from('*/=1;window.pwned=1;alert(1);')]);
const gifAndPage = Buffer.concat([pixel, Buffer.from('<script>top.pwned=1;alert(1)</script>')]);

const embeddings = [
  ['iframe', 'src'],
  ['object', 'data'],
  ['script', 'src'],
] as const;

/** In the page until the browser has shown, refused or downloaded it. A download has no event in the page. */
async function embed(page: Page, tag: string, attribute: string, url: string): Promise<void> {
  let isDownloaded = false;
  const onFailed = (request: Request) => {
    if (request.url() === new URL(url, page.url()).href) isDownloaded = true;
  };
  page.on('requestfailed', onFailed);
  await page.evaluate(`{
    const element = document.createElement('${tag}');
    for (const type of ['load', 'error']) element.addEventListener(type, () => (element.isOver = true));
    element.setAttribute('${attribute}', ${JSON.stringify(url)});
    document.body.append(element);
    window.embedded = element;
  }`);
  await eventually(async () => isDownloaded || page.evaluate<boolean>('embedded.isOver === true'));
  await page.evaluate('embedded.remove()');
  page.off('requestfailed', onFailed);
}

describe('pages in a browser', () => {
  let stage: BrowserStage;
  before(async () => {
    stage = await startDashboard();
  });
  after(() => stage.close());

  const newPage = async (): Promise<{ page: Page; violations: string[] }> => {
    const page = await stage.browser.newPage();
    const violations: string[] = [];
    page.on('console', (message) => {
      if (/Content Security Policy|Refused to/.test(message.text())) violations.push(message.text());
    });
    return { page, violations };
  };

  it('the API reference works under its policy, without an inline script of its own and without eval', async () => {
    const { page, violations } = await newPage();
    const answer = await page.goto(`${stage.base}/docs`);
    const policy = (await answer!.headerValue('content-security-policy')) ?? '';
    assert.match(policy, /default-src 'none'; script-src 'nonce-[\w-]{22}';/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe-eval|script-src[^;]*unsafe/);
    assert.equal(await answer!.headerValue('x-frame-options'), 'DENY');
    await page.getByRole('heading', { name: 'Talkboard' }).first().waitFor();
    const font = await page.evaluate('getComputedStyle(document.querySelector(".scalar-app")).fontFamily');
    assert.match(String(font), /Inter/, 'its styles are applied');
    // The dialog that sends requests is another part of the library, with an editor and styles of its own.
    await page
      .getByRole('button', { name: /Test Request/ })
      .first()
      .click();
    const sent = page.waitForResponse(`${stage.base}/health/live`);
    await page.getByRole('button', { name: /Send/ }).first().click();
    assert.equal((await sent).status(), 200);
    assert.deepEqual(violations, []);
    await page.close();
  });

  it('no page of the service can be framed by another site, but the chat on allowed origins', async () => {
    const site = createServer((request, response) => {
      const target = new URL(request.url ?? '/', 'http://site').searchParams.get('of') ?? '';
      response.setHeader('content-type', 'text/html');
      response.end(`<!doctype html><iframe src="${stage.base}${target}"></iframe>`);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const { port } = site.address() as { port: number };
    const channels = (await stage.service.call('GET', '/channels')).body.items as {
      id: string;
      type: string;
    }[];
    const { id } = channels.find(({ type }) => type === 'web')!;
    const { page } = await newPage();
    const framed = async (path: string) => {
      await page.goto(`http://localhost:${port}/?of=${encodeURIComponent(path)}`);
      const frame = page.frames()[1]!;
      await frame.waitForLoadState();
      return frame.url() !== 'chrome-error://chromewebdata/';
    };
    for (const path of ['/app/', '/docs/', '/', `/widget/preview?channel=${id}`]) {
      assert.equal(await framed(path), false, path);
    }
    assert.equal(await framed(`/widget/frame?channel=${id}`), true, 'any site without a list of origins');
    const allow = (allowedOrigins: string[]) =>
      stage.service.call('PATCH', `/channels/${id}/widget`, { body: { allowedOrigins } });
    assert.equal((await allow([`http://localhost:${port}`])).status, 200);
    assert.equal(await framed(`/widget/frame?channel=${id}`), true, 'an allowed site');
    await allow(['https://shop.example']);
    assert.equal(await framed(`/widget/frame?channel=${id}`), false, 'another site');
    await allow([]);
    await page.close();
    await new Promise((resolve) => site.close(resolve));
  });

  it('files whose stored type names a second one run nothing: opened, framed, as scripts of the dashboard', async () => {
    const { service, base } = stage;
    const files = await filesOf(service, base);
    const [{ page: opened }, { page: dashboard }] = [await newPage(), await newPage()];
    const dialogs: string[] = [];
    for (const page of [opened, dashboard]) {
      page.on('dialog', (dialog) => {
        dialogs.push(dialog.message());
        void dialog.dismiss();
      });
    }
    const ran = async (page: Page) => dialogs.length > 0 || page.evaluate<boolean>(`'pwned' in window`);
    await dashboard.goto(`${base}/app/login`);
    for (const bytes of [gifAndPage, gifAndScript]) {
      const { fileKey } = await files.upload('image/gif', bytes);
      for (const stored of hostileContentTypes) {
        // As an older release would have stored it.
        await service.context.db.transaction((tx) =>
          tx.query(sql`update attachments set content_type = ${stored} where file_key = ${fileKey}`),
        );
        const url = (await files.describe(fileKey)).downloadUrl;
        await opened.goto(url).catch(() => {});
        assert.equal(await ran(opened), false, `${stored} opened`);
        for (const [tag, attribute] of embeddings) await embed(dashboard, tag, attribute, url);
        assert.equal(await ran(dashboard), false, `${stored} in a page of the dashboard`);
      }
    }
    await opened.goto('about:blank');
    await opened.setContent('<script>window.pwned=1</script>');
    assert.equal(await ran(opened), true, 'it would have been noticed');
    await opened.close();
    await dashboard.close();
  });
});
