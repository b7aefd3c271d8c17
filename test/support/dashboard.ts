/** The built dashboard on a whole service with its worker, and users in a real browser. */
import assert from 'node:assert/strict';
import type { Browser, BrowserContext, BrowserContextOptions, Page, Request } from 'playwright-core';
import { buildDashboard } from '../../scripts/build-dashboard.ts';
import { sql } from '../../server/platform/db/sql.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { joinTestService, password, startTestService, type TestService } from './service.ts';

export interface DashboardStage {
  service: TestService;
  base: string;
  /** A signed-in user in a separate browser. */
  open(as: { email: string }, options?: OpenOptions): Promise<Visitor>;
  /** Before signing in. */
  visit(options?: OpenOptions): Promise<Visitor>;
  close(): Promise<void>;
}

export interface BrowserStage extends DashboardStage {
  browser: Browser;
}

/** What opens pages: a browser, or the DOM in this process (dom/dashboard.ts). */
export interface Opener {
  newContext(options: BrowserContextOptions): Promise<BrowserContext>;
  close(): Promise<void>;
}

export interface OpenOptions extends BrowserContextOptions {
  theme?: 'light' | 'dark';
  path?: string;
}

export interface Visitor {
  page: Page;
  context: BrowserContext;
  /** Errors in the console since the last call, except those in `allowed`. */
  errors(allowed?: RegExp): string[];
  close(): Promise<void>;
}

/** `host`: what the browser calls it; passkeys need a name. `cells`: further databases of the instance. */
export async function startDashboard(
  env: Record<string, string> = {},
  host: '127.0.0.1' | 'localhost' = '127.0.0.1',
  cells: readonly string[] = [],
): Promise<BrowserStage> {
  // Not loaded by tests in the DOM: it takes half a second.
  const { startChromium } = await import('./chromium.ts');
  const browser = await startChromium();
  return { ...(await openStage(env, host, { cells }, () => browser)), browser };
}

export interface StageOptions {
  /** Further databases of the instance. */
  cells?: readonly string[];
  /** For a file that looks at the whole instance. */
  own?: boolean;
}

/** By host and settings: the files of a process share the services that are alike. */
const ports = new Map<string, number>();

export async function openStage(
  env: Record<string, string>,
  host: string,
  { cells = [], own = cells.length > 0 }: StageOptions,
  openerOn: (service: TestService, base: string) => Opener,
): Promise<DashboardStage> {
  await buildDashboard();
  // PUBLIC_URL must be known before the service listens: live connections are accepted from its own pages only.
  const key = JSON.stringify([host, env, own]);
  const port = ports.get(key) ?? (await freePort());
  ports.set(key, port);
  const base = `http://${host}:${port}`;
  const options = { worker: true, env: { PUBLIC_URL: base, ...env } };
  const service = await (own ? startTestService({ ...options, cells }) : joinTestService(options));
  if (!service.app.server.listening) await service.app.listen({ host: '127.0.0.1', port });
  await sendAtOnce(service);
  const opener = openerOn(service, base);

  const visit = async (
    { theme = 'light', path = '/', ...options }: OpenOptions = {},
    session?: Session,
  ): Promise<Visitor> => {
    const context = await opener.newContext({
      viewport: { width: 1440, height: 900 },
      colorScheme: theme,
      locale: 'en-GB',
      reducedMotion: 'reduce',
      ...options,
    });
    const page = await context.newPage();
    countRequests(page);
    const heard: string[] = [];
    page.on('console', (message) => message.type() === 'error' && heard.push(message.text()));
    page.on('pageerror', (error) => heard.push(String(error)));
    // Not by `storageState`, which opens a page of its own for what is stored: a quarter of the processor time.
    await context.addCookies(session?.cookies ?? []);
    const stored = session && (await page.addInitScript(session.script));
    await page.goto(`${base}/app${path}`);
    await stored?.dispose();
    return {
      page,
      context,
      errors: (allowed) => heard.splice(0).filter((text) => !allowed?.test(text)),
      close: () => context.close(),
    };
  };
  return {
    service,
    base,
    visit: (options) => visit(options),
    async open({ email }, options) {
      const visitor = await visit(options, await signedInSession(service, base, email));
      // From `/` the dashboard goes on to a page; a test must not leave in the middle of that.
      if (!options?.path || options.path === '/') {
        await visitor.page.waitForURL((url) => url.pathname !== '/app/');
      }
      return visitor;
    },
    async close() {
      await opener.close();
      await service.close();
    },
  };
}

const requestsOf = new WeakMap<Page, { open: Set<Request>; begun: number }>();

function countRequests(page: Page): void {
  const requests = { open: new Set<Request>(), begun: 0 };
  requestsOf.set(page, requests);
  page.on('request', (request) => {
    requests.open.add(request);
    requests.begun++;
  });
  page.on('requestfinished', (request) => requests.open.delete(request));
  page.on('requestfailed', (request) => requests.open.delete(request));
  // What the page before asked for may never be reported as ended.
  page.on('framenavigated', (frame) => frame === page.mainFrame() && requests.open.clear());
}

const frames = `new Promise((resolve) => {
  let left = 6;
  const next = () => (left-- > 0 ? requestAnimationFrame(next) : setTimeout(resolve));
  next();
})`;

/** Waits until the page has drawn a few frames. */
export const drawn = (page: Page): Promise<unknown> => page.evaluate(frames);

/**
 * Waits until the page has drawn a few frames without a request. `networkidle` would wait half a second more each time.
 */
export async function settled(page: Page): Promise<void> {
  const requests = requestsOf.get(page);
  if (!requests) throw new Error('not a page of the stage');
  for (let begun = -1; begun !== requests.begun || requests.open.size > 0; ) {
    begun = requests.begun;
    await drawn(page);
  }
}

/** From the page's next connection on. The returned function waits until a frame has this text; `hello` is the first one. */
export function hearLive(page: Page): (text: string) => Promise<unknown> {
  const heard: string[] = [];
  page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => heard.push(String(payload))));
  return (text) => eventually(() => heard.some((frame) => frame.includes(text)));
}

/** To another view of the dashboard as its links do: without loading it again, which takes four times as long. */
export async function go(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState({}, '', '/app${path}')`);
  await settled(page);
}

/** Keys one after the other, such as `v t`, without waiting for the first to be handled: a pause would end the sequence. */
export async function pressInTurn(page: Page, keys: string): Promise<void> {
  await settled(page);
  await Promise.all(keys.split(' ').map((key) => page.keyboard.press(key)));
}

/** Of the message with this text: those of earlier actions may still be there, and this one may be yet to come. */
export async function undo(page: Page, text: string | RegExp): Promise<void> {
  const messages = page.getByRole('region', { name: 'Messages' });
  const said = messages.locator(':scope > div').filter({ hasText: text });
  await said.getByRole('button', { name: 'Undo' }).last().click();
}

/** Replies of users in tests are not delayed. A test of the delay sets it by PATCH /auth/me. */
async function sendAtOnce({ context: { db } }: TestService): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query(sql`alter table users alter column undo_send_seconds set default 0`);
    await tx.query(sql`update users set undo_send_seconds = 0`);
  });
}

/** What the browser of a signed-in user has stored. */
interface Session {
  cookies: Parameters<BrowserContext['addCookies']>[0];
  /** Stores the rest, in a page of the dashboard. */
  script: string;
}

/** The form takes as long as a short test. */
async function signedInSession(service: TestService, base: string, email: string): Promise<Session> {
  const { status, text, body, headers } = await service.call('POST', '/auth/login', {
    token: null,
    body: { email, password },
  });
  // Such as BUSY, on a machine that does far too much at once.
  assert.equal(status, 200, text);
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(headers['set-cookie'] ?? '') ?? [];
  const cookie = {
    name,
    value,
    domain: new URL(base).hostname,
    path: '/auth',
    expires: -1,
    httpOnly: true,
    secure: base.startsWith('https:'),
    sameSite: 'Strict' as const,
  };
  const mark = JSON.stringify(body.account.id);
  return {
    cookies: [cookie],
    script: `if (origin === ${JSON.stringify(base)}) localStorage.setItem('talkboard.signed-in', ${mark})`,
  };
}

export async function signIn(page: Page, email: string, secret: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(secret);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}
