/** The dashboard in Chromium, signed in, with a way to time its frames. */
import type { Page } from 'playwright-core';
import { startChromium } from '../../../test/support/chromium.ts';
import { login, type Stage } from '../../stage.ts';

const frames = `
  window.watchFrames = () => {
    window.frames_ = [];
    let last = performance.now();
    const next = (now) => { window.frames_.push(now - last); last = now; window.handle_ = requestAnimationFrame(next); };
    window.handle_ = requestAnimationFrame(next);
  };
  window.stopFrames = () => { cancelAnimationFrame(window.handle_); return window.frames_.slice(1); };`;

/** `script` runs before the first script of the page. */
export async function openDashboard(
  stage: Stage,
  script = '',
): Promise<{ page: Page; close(): Promise<void> }> {
  const browser = await startChromium();
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    await page.addInitScript(frames + script);
    // The service's port differs from its PUBLIC_URL here, so it would reject the live connection.
    await page.route('**/ws/tickets', (route) => route.fulfill({ status: 404, json: {} }));
    await page.goto(`${stage.service.url}/app/login`);
    await page.getByLabel('E-mail').fill(login.email);
    await page.getByLabel('Password').fill(login.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL((url) => !url.pathname.endsWith('/login'));
    return { page, close: () => browser.close() };
  } catch (error) {
    await browser.close();
    throw error;
  }
}
