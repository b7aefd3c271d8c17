/** A person's profile: their theme on every device, and the devices where they are signed in. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type DashboardStage, signIn, type Visitor } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type Json, password } from '../support/service.ts';

const refusedRequest = /Failed to load resource/;
const themeOf = (page: Page) => page.evaluate('document.documentElement.dataset.theme');
const phone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';

/** Every theme that the page has had since its first moment. */
const recordThemes = `
  window.themes = [];
  const note = () => {
    const theme = document.documentElement?.dataset.theme;
    if (theme && window.themes.at(-1) !== theme) window.themes.push(theme);
  };
  new MutationObserver(note).observe(document, { attributes: true, childList: true, subtree: true });
`;

describe('the profile', () => {
  let stage: DashboardStage;
  before(async () => {
    stage = await startDashboard();
  });
  after(() => stage.close());

  const opened: Visitor[] = [];
  const open = async (user: { email: string }, options = {}) => {
    const visitor = await stage.open(user, { path: '/settings/profile', ...options });
    await visitor.page.getByRole('heading', { level: 2, name: 'Profile' }).waitFor();
    opened.push(visitor);
    return visitor;
  };
  after(() => Promise.all(opened.map((visitor) => visitor.close().catch(() => {}))));
  const kept = async (user: { jwt: string }): Promise<string> =>
    (await stage.service.call('GET', '/auth/me', { token: user.jwt })).body.user.theme;
  const chooseTheme = (page: Page, name: string) => page.getByRole('radio', { name, exact: true }).click();

  it('the theme follows the person to another device, and a reload begins in it', async () => {
    const user = await stage.service.createUser('operator');
    const first = await open(user);
    assert.equal(await themeOf(first.page), 'light');
    await chooseTheme(first.page, 'Dark');
    await eventually(async () => (await kept(user)) === 'dark');

    const second = await open(user, { theme: 'light' });
    await eventually(async () => (await themeOf(second.page)) === 'dark');
    assert.ok(await second.page.getByRole('radio', { name: 'Dark', exact: true }).isChecked());
    await second.page.addInitScript(recordThemes);
    await second.page.reload();
    await second.page.getByRole('heading', { level: 2, name: 'Profile' }).waitFor();
    assert.deepEqual(await second.page.evaluate('window.themes'), ['dark'], 'no flash of another theme');

    await chooseTheme(second.page, 'System');
    await eventually(async () => (await kept(user)) === 'system');
    await first.page.reload();
    await eventually(async () => (await themeOf(first.page)) === 'light');
    assert.deepEqual([...first.errors(), ...second.errors()], []);
  });

  it('a theme chosen in this browser before the upgrade is kept and saved', async () => {
    const user = await stage.service.createUser('operator');
    const visitor = await stage.visit({ path: '/login' });
    opened.push(visitor);
    await visitor.page.evaluate(`localStorage.setItem('talkboard.theme', 'dark')`);
    await visitor.page.reload();
    await signIn(visitor.page, user.email, password);
    await eventually(async () => (await kept(user)) === 'dark');
    assert.equal(await themeOf(visitor.page), 'dark');
    assert.deepEqual(visitor.errors(), []);
  });

  it('another person at the same browser has their own theme', async () => {
    const [one, other] = [
      await stage.service.createUser('operator'),
      await stage.service.createUser('operator'),
    ];
    const { page } = await open(one);
    await chooseTheme(page, 'Dark');
    await eventually(async () => (await kept(one)) === 'dark');
    await page.getByRole('button', { name: 'Account and theme' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail').waitFor();
    await signIn(page, other.email, password);
    await eventually(async () => (await themeOf(page)) === 'light');
    assert.equal(await kept(other), 'system');
  });

  it('a person sees where they are signed in, and signs out one device or all others', async () => {
    const user = await stage.service.createUser('operator');
    const own = await open(user);
    const lost = await open(user, { userAgent: phone });
    await own.page.reload();
    const list = own.page.getByRole('list', { name: 'Where you are signed in' });
    await list.getByText('Safari on iPhone').waitFor();
    // The third is the one that the test itself made.
    assert.equal(await list.getByRole('listitem').count(), 3);
    const current = list.getByRole('listitem').first();
    await current.getByText('This device').waitFor();
    await current.getByText('127.0.0.1').waitFor();
    assert.equal(await current.getByRole('button').count(), 0);

    await list.getByRole('button', { name: 'Sign out Safari on iPhone' }).click();
    await own.page.getByText('Safari on iPhone was signed out').waitFor();
    await eventually(async () => (await list.getByRole('listitem').count()) === 2);
    await lost.page.reload();
    await lost.page.getByLabel('E-mail').waitFor();

    await own.page.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await own.page.getByText('All other devices were signed out').waitFor();
    await eventually(async () => (await list.getByRole('listitem').count()) === 1);
    assert.equal((await stage.service.call('GET', '/auth/me', { token: user.jwt })).status, 401);
    assert.equal(await own.page.getByRole('button', { name: 'Sign out everywhere else' }).count(), 0);
    await own.page.reload();
    await own.page.getByRole('heading', { level: 2, name: 'Profile' }).waitFor();
    assert.deepEqual(own.errors(), []);
    assert.deepEqual(lost.errors(refusedRequest), []);
  });

  it('two tabs of a browser that load at the same moment both stay signed in', async () => {
    const user = await stage.service.createUser('operator');
    const { page, context } = await open(user);
    const tab = await context.newPage();
    for (let round = 0; round < 3; round++) {
      await Promise.all([page.reload(), tab.goto(`${stage.base}/app/settings/profile`)]);
      for (const one of [page, tab]) await one.getByRole('heading', { level: 2, name: 'Profile' }).waitFor();
    }
    const jwt = await stage.service.login(user.email, password);
    const { items } = (await stage.service.call('GET', '/auth/sessions', { token: jwt })).body as Json;
    assert.equal(items.length, 3, 'the session has not ended');
  });

  it('a common password is refused beside its field, in words', async () => {
    const user = await stage.service.createUser('operator');
    const { page, errors } = await open(user);
    await page.getByLabel('Current password').fill(password);
    await page.getByLabel('New password').fill('password123');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('This is one of the most common passwords. Choose another one.').waitFor();
    assert.equal(await page.getByLabel('New password').getAttribute('aria-invalid'), 'true');
    assert.deepEqual(errors(refusedRequest), []);
  });
});
