/**
 * A new user's path, step by step, in a real browser: from the start of the program on an empty folder, with the login
 * that it prints, to a customer's message that the AI answered and a person took over. Then the rest of the first steps.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { Browser, BrowserContext, FrameLocator, Page } from 'playwright-core';
import { buildDashboard } from '../../scripts/build-dashboard.ts';
import { buildWidget } from '../../scripts/build-widget.ts';
import { seriousViolations, violationsInBothThemes } from '../support/accessibility.ts';
import { startChromium } from '../support/chromium.ts';
import { signIn } from '../support/dashboard.ts';
import { freePort } from '../support/free-port.ts';
import { bringProgram } from '../support/packages.ts';
import { createStage, type Program } from '../support/program.ts';

const withinMs = 3 * 60_000;
const run = promisify(execFile);

describe('a new user', () => {
  const stage = createStage();
  let browser: Browser;
  let context: BrowserContext;
  let program: Program;
  let page: Page;
  let site: Page;
  let chat: FrameLocator;
  let begun: number;
  const heard: string[] = [];

  before(async () => {
    await buildDashboard();
    await buildWidget();
    browser = await startChromium();
  });
  after(async () => {
    await browser?.close();
    await stage.close();
  });

  const step = (name: string) => page.locator(`[data-step="${name}"]`);
  const isDone = (name: string) => page.locator(`[data-step="${name}"][data-done]`).waitFor();
  const openStep = async (name: string) => {
    const head = step(name).getByRole('button', { expanded: false }).first();
    if (await head.isVisible()) await head.click();
  };
  const textOf = async (name: string) => (await page.getByRole('region', { name }).textContent()) ?? '';
  const start = () => page.getByRole('link', { name: 'Get started' }).first().click();

  it('starts the service on an empty folder and is told a login', async () => {
    begun = performance.now();
    program = await stage.start({ DATA_DIR: stage.newDataDir(), PORT: String(await freePort()) });
    assert.match(program.output(), /password {2}\S+/);
  });

  it('signs in with it and is led to the first steps', async () => {
    const email = /e-mail\s+(\S+)/.exec(program.output())![1]!;
    const password = /password\s+(\S+)/.exec(program.output())![1]!;
    context = await browser.newContext({
      viewport: { width: 1280, height: 860 },
      locale: 'en-GB',
      reducedMotion: 'reduce',
    });
    page = await context.newPage();
    page.on('console', (message) => message.type() === 'error' && heard.push(message.text()));
    page.on('pageerror', (error) => heard.push(String(error)));
    await page.goto(`${program.base}/app/`);
    await signIn(page, email, password);
    await page.getByRole('heading', { name: 'Get started', level: 1 }).waitFor();
    await page.getByText('0 of 5 done').waitFor();
  });

  it('is asked for their name, once', async () => {
    const form = page.locator('form', { has: page.getByLabel('Your name') });
    assert.equal(await form.getByRole('button', { name: 'Save' }).isDisabled(), true);
    await page.getByLabel('Your name').fill('Ada Lovelace');
    await page.keyboard.press('Enter');
    await form.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /Ada Lovelace/ }).waitFor();
    await page.reload();
    await page.getByText('0 of 5 done').waitFor();
    assert.equal(await page.getByLabel('Your name').count(), 0);
  });

  it('opens the demo chat and writes as a customer', async () => {
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: 'Open the demo chat' }).click(),
    ]);
    site = opened;
    chat = site.frameLocator('iframe');
    const box = chat.getByRole('textbox', { name: 'Write a message' });
    await box.fill('What is Talkboard?');
    await box.press('Enter');
  });

  it('is answered by the AI', async () => {
    await chat.getByText('Talkboard keeps your customers on boards').waitFor();
  });

  it('sees the steps tick themselves off, and the card on the board', async () => {
    await page.bringToFront();
    await isDone('chat');
    await isDone('card');
    await openStep('card');
    await page.getByRole('link', { name: 'Open the board' }).click();
    await page.locator('[data-card]').first().waitFor();
    await start();
  });

  it('takes over and answers as a person', async () => {
    await openStep('takeOver');
    await page.getByRole('link', { name: 'Open the conversation' }).click();
    // Exactly: the step on the page that is being left has these words in its title.
    await page.getByRole('button', { name: 'Take over', exact: true }).click();
    await page.getByRole('button', { name: 'Hand back' }).waitFor();
    const reply = page.getByRole('textbox', { name: 'Reply' });
    await reply.fill('A person here. How can I help?');
    await reply.press('Enter');
    await chat.getByText('A person here. How can I help?').waitFor();
    await start();
    await isDone('takeOver');
  });

  it('has needed less than three minutes for it', (t) => {
    const took = performance.now() - begun;
    t.diagnostic(`${(took / 1000).toFixed(1)} s from the start of the program`);
    assert.ok(took < withinMs, `${took} ms`);
  });

  it('makes a token, and the command that comes with it works as it stands', async (t) => {
    await openStep('token');
    await page.getByRole('button', { name: 'Create a token' }).click();
    const command = await textOf('The command');
    await isDone('token');
    if (!bringProgram('curl')) return t.skip('there is no curl, and these tests may not install it');
    const { stdout } = await run('sh', ['-e', '-c', command]);
    assert.equal(JSON.parse(stdout).title, 'My first customer');
  });

  it('sees a signed webhook arrive in the built-in receiver', async () => {
    await openStep('webhook');
    await page.getByRole('button', { name: 'Open a receiver and send a test' }).click();
    await step('webhook').getByText('Signature verified').first().waitFor();
    const body = await textOf('Body');
    assert.equal(JSON.parse(body).event, 'webhook_test');
    assert.match(await textOf('Headers'), /webhook-signature: v1,/);
    await page.getByText('5 of 5 done').waitFor();
    await page.getByText('You know the basics now').waitFor();
    await page
      .getByRole('navigation')
      .getByRole('link', { name: 'Get started' })
      .waitFor({ state: 'detached' });
  });

  it('meets nothing that axe calls serious, in both themes, and no error', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    assert.deepEqual(await violationsInBothThemes(page), []);
    assert.deepEqual(await seriousViolations(site), [], 'the demo chat');
    assert.deepEqual(heard, []);
  });

  it('fills the workspace with a demo and removes it again', async () => {
    await page.getByRole('button', { name: 'Fill with a demo' }).click();
    await page.getByRole('link', { name: 'Demo sales' }).waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Open a board' }).click();
    await page.locator('[data-card]').nth(5).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByRole('link', { name: 'Get started' }).click();
    await page.getByRole('button', { name: 'Remove the demo' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove the demo?' });
    await dialog.getByRole('button', { name: 'Remove the demo' }).click();
    await page.getByRole('link', { name: 'Demo sales' }).waitFor({ state: 'detached', timeout: 60_000 });
    await page.getByRole('button', { name: 'Fill with a demo' }).waitFor();
    assert.deepEqual(heard, []);
  });

  it('finds a reference without the tools of its maker, and no missing icon', async () => {
    const missing: string[] = [];
    const docs = await context.newPage();
    docs.on('response', (response) => response.status() >= 400 && missing.push(response.url()));
    await docs.goto(`${program.base}/docs`);
    await docs.getByRole('heading', { name: 'Talkboard' }).first().waitFor();
    for (const name of ['Ask AI', 'Share', 'Deploy', 'Configure', 'Developer Tools']) {
      assert.equal(await docs.getByText(name, { exact: true }).count(), 0, name);
    }
    assert.deepEqual(missing, []);
    await docs.close();
  });
});
