/**
 * Hostile HTML mails in a real browser. The sanitiser and the frame protect independently: each is tried without the
 * other, then both together as the service sends them.
 */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { mailSandbox } from '../../contract/messaging/mail.ts';
import { mailDocument, mailHeaders } from '../../server/features/connectors/mail-view/mail-view.document.ts';
import { sanitiseMail } from '../../server/features/connectors/mail-view/mail-view.sanitise.ts';
import { startChromium } from '../support/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { mailVectors } from '../support/mail-vectors.ts';

type Mode = 'unprotected' | 'sanitised' | 'framed' | 'both';

/** Each sandboxed frame is a process of its own, so the frame without the sanitiser gets one of each kind. */
const ofEachKind = [
  'script element',
  'image onerror without quotes',
  'svg onload',
  'iframe srcdoc',
  'meta refresh to data',
  'meta refresh',
  'remote picture',
  'style import',
  'font face',
  'link preload',
  'video with poster',
  'iframe of a host',
  'form that sends itself',
];

describe('hostile HTML mails', () => {
  let browser: Browser;
  /** Shows the mails. */
  let pages: Server;
  /** Counts who calls; an address of its own, as a tracker has. */
  let tracker: Server;
  let pagesUrl = '';
  let vectors: ReturnType<typeof mailVectors> = [];
  const calls: string[] = [];

  const answer = (mode: Mode, index: number): { headers: { [name: string]: string }; body: string } => {
    const plain = { 'content-type': 'text/html; charset=utf-8' };
    const { html } = vectors[index]!;
    if (mode === 'unprotected') return { headers: plain, body: html };
    if (mode === 'framed') return { headers: mailHeaders(false), body: html };
    const clean = (mail: string) =>
      sanitiseMail({ html: mail, remoteImages: false, inlineImages: new Map() });
    if (mode === 'sanitised') return { headers: plain, body: mailDocument(clean(html), 'light') };
    // Sanitised markup is balanced, so all of it fits into one document.
    const all = vectors.map((vector) => clean(vector.html));
    const body = all.map((mail) => mail.body).join('\n');
    const sheet = all.map((mail) => mail.sheet).join('\n');
    return { headers: mailHeaders(false), body: mailDocument({ ...all[0]!, body, sheet }, 'light') };
  };

  before(async () => {
    tracker = createServer((request, response) => {
      calls.push(request.url ?? '');
      response.end();
    });
    pages = createServer((request, response) => {
      const [, mode = '', index = ''] = (request.url ?? '').split('/');
      if (index === '') {
        response.setHeader('content-type', 'text/html').end('<!doctype html><title>frames</title>');
        return;
      }
      const { headers, body } = answer(mode as Mode, Number(index));
      response.writeHead(200, headers).end(body);
    });
    const urls = await Promise.all(
      [tracker, pages].map(async (server) => {
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
        return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      }),
    );
    pagesUrl = urls[1]!;
    vectors = mailVectors(urls[0]!, (name) => `window.ran=1;try{top.ran.push('${name}')}catch{}`);
    browser = await startChromium();
  });
  after(async () => {
    await browser.close();
    for (const server of [tracker, pages]) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  /** Every mail in a frame of one page. Which ran, which called, and whether the page itself was left. */
  const show = async (
    mode: Mode,
    names = vectors.map(({ name }) => name),
    until: () => boolean = () => true,
  ) => {
    calls.length = 0;
    const page = await browser.newPage();
    await page.goto(`${pagesUrl}/`);
    const shown = vectors.flatMap(({ name }, index) => (names.includes(name) ? [index] : []));
    const sandbox = mode === 'both' ? mailSandbox : null;
    await page.evaluate(`(async () => {
      window.ran = [];
      await Promise.all(${JSON.stringify(shown)}.map(async (index) => {
        const frame = document.createElement('iframe');
        ${sandbox ? `frame.setAttribute('sandbox', '${sandbox}');` : ''}
        frame.src = '/${mode}/' + index;
        const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
        document.body.append(frame);
        await loaded;
      }));
      // What a page does after its load event: focus, animations, prefetches.
      for (let left = 10; left > 0; left--) await new Promise((resolve) => requestAnimationFrame(resolve));
    })()`);
    await eventually(until);
    const ran = (await page.evaluate('window.ran')) as string[];
    for (const frame of page.frames().slice(1)) {
      if (await frame.evaluate('"ran" in window').catch(() => false)) ran.push(frame.url());
    }
    const left = page
      .mainFrame()
      .childFrames()
      .map((frame) => frame.url())
      .filter((url) => !url.startsWith(pagesUrl));
    await page.close();
    return { ran, calls: [...calls], left };
  };

  it(`more than 60 of them, each with a name of its own`, () => {
    assert.ok(vectors.length > 60, `${vectors.length}`);
    assert.equal(new Set(vectors.map(({ html }) => html)).size, vectors.length);
  });

  it('the test itself notices scripts and calls', async () => {
    const names = ['image onerror', 'svg onload', 'style background'];
    const { ran } = await show('unprotected', names, () => calls.includes('/style.png'));
    assert.deepEqual(
      names.filter((name) => ran.includes(name)),
      ['image onerror', 'svg onload'],
    );
  });

  it('sanitised alone: no script runs, no request leaves', async () => {
    assert.deepEqual(await show('sanitised'), { ran: [], calls: [], left: [] });
  });

  it('framed alone: no script runs, no request leaves', async () => {
    assert.deepEqual(await show('framed', ofEachKind), { ran: [], calls: [], left: [] });
  });

  it('all of them as the service sends them: no script runs, no request leaves', async () => {
    assert.deepEqual(await show('both', [vectors[0]!.name]), { ran: [], calls: [], left: [] });
  });
});
