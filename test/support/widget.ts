/** The built widget on a site of its own origin, on a whole service with its worker, in a real browser. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { Browser, BrowserContext, BrowserContextOptions, FrameLocator, Page } from 'playwright-core';
import { buildWidget } from '../../scripts/build-widget.ts';
import { startChromium } from './chromium.ts';
import { freePort } from './free-port.ts';
import { startTestService, type TestService } from './service.ts';

export interface WidgetStage {
  service: TestService;
  /** Of the service. */
  base: string;
  /** Of the first web channel. */
  channelId: string;
  /** Of the site with the widget. */
  site: string;
  browser: Browser;
  /** A visitor of the site in a separate browser. */
  visit(options?: VisitOptions): Promise<SiteVisitor>;
  close(): Promise<void>;
}

export interface VisitOptions extends BrowserContextOptions {
  /** The id of the first web channel unless given. */
  channel?: string;
  /** Of the script element, as in the page. */
  attributes?: string;
  site?: string;
}

export interface SiteVisitor {
  page: Page;
  context: BrowserContext;
  chat: FrameLocator;
  open(): Promise<void>;
  say(text: string): Promise<void>;
  /** The texts of the bubbles, in order; without the greeting. */
  texts(): Promise<string[]>;
  errors(): string[];
  close(): Promise<void>;
}

const addressOf = (server: { address(): unknown }) => {
  const address = server.address() as { port: number } | null;
  assert.ok(address);
  return address.port;
};

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/** An ordinary page with the one line of HTML. */
function startSite(base: string): Promise<Server> {
  const site = createServer((request, response) => {
    const query = new URL(request.url ?? '/', 'http://site').searchParams;
    const source = `${base}/widget.js?channel=${encodeURIComponent(query.get('channel') ?? '')}`;
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<main><h1>Shop</h1><p>Things to buy.</p><input aria-label="Search"></main>
<script src="${escaped(source)}" ${query.get('attributes') ?? ''} async></script></html>`);
  });
  return new Promise((resolve) => site.listen(0, '127.0.0.1', () => resolve(site)));
}

export async function startWidget(): Promise<WidgetStage> {
  await buildWidget();
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const service = await startTestService({ worker: true, env: { PUBLIC_URL: base } });
  await service.app.listen({ host: '127.0.0.1', port });
  const { items } = (await service.call('GET', '/channels')).body;
  const channelId: string = items.find(({ type }: { type: string }) => type === 'web').id;
  const server = await startSite(base);
  const site = `http://localhost:${addressOf(server)}`;
  const browser = await startChromium();

  return {
    service,
    base,
    channelId,
    site,
    browser,
    async visit({ channel = channelId, attributes = '', site: place = site, ...options } = {}) {
      const context = await browser.newContext({
        viewport: { width: 1100, height: 800 },
        locale: 'en-GB',
        reducedMotion: 'reduce',
        ...options,
      });
      const page = await context.newPage();
      const heard: string[] = [];
      page.on('console', (message) => message.type() === 'error' && heard.push(message.text()));
      page.on('pageerror', (error) => heard.push(String(error)));
      await page.goto(`${place}/?${new URLSearchParams({ channel, attributes })}`);
      const chat = page.frameLocator('iframe');
      return {
        page,
        context,
        chat,
        async open() {
          await page.getByRole('button', { name: 'Open chat' }).click();
          await chat.getByRole('textbox', { name: 'Write a message' }).waitFor();
        },
        async say(text) {
          const box = chat.getByRole('textbox', { name: 'Write a message' });
          await box.fill(text);
          await box.press('Enter');
        },
        texts: () => chat.locator('.message:not(.greeting):not(.typing) .text').allInnerTexts(),
        errors: () => heard.splice(0),
        close: () => context.close(),
      };
    },
    async close() {
      await browser.close();
      await new Promise((resolve) => server.close(resolve));
      await service.close();
    },
  };
}
