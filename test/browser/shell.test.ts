import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { seriousViolations, violationsInBothThemes } from '../support/accessibility.ts';
import {
  type DashboardStage,
  go,
  pressInTurn,
  settled,
  signIn,
  startDashboard,
} from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { password } from '../support/service.ts';

const refusedRequest = /Failed to load resource/;

describe('the shell of the dashboard', () => {
  let stage: DashboardStage;
  before(async () => {
    stage = await startDashboard();
    // An empty workspace would lead its administrator to the first steps.
    await stage.service.call('POST', '/crm/records', { body: { title: 'Somebody' } });
  });
  after(() => stage.close());

  it('a wrong password is told, the right one leads in, and a reload stays in', async () => {
    const { page, errors, close } = await stage.visit();
    await page.waitForURL('**/app/login');
    await signIn(page, stage.service.admin.email, 'not the password');
    await page.getByRole('alert').getByText('is wrong').waitFor();
    assert.deepEqual(errors(refusedRequest), []);
    await signIn(page, stage.service.admin.email, password);
    await page.getByRole('navigation', { name: 'Main navigation' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/app/boards/sales');
    await page.getByRole('button', { name: 'Account and theme' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/app/login*');
    await page.goto(`${stage.base}/app/inbox`);
    await page.waitForURL('**/app/login?next=*');
    assert.deepEqual(errors(), []);
    await close();
  });

  it('the address that was asked for is opened after signing in', async () => {
    const { page, close } = await stage.visit({ path: '/boards/sales/settings' });
    await signIn(page, stage.service.admin.email, password);
    await page.getByRole('heading', { name: 'Sales settings' }).waitFor();
    await close();
  });

  it('a session that was ended elsewhere leads to the login with a word', async () => {
    const user = await stage.service.createUser('operator');
    const { page, close } = await stage.open(user);
    await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
    await stage.service.call('DELETE', `/users/${user.id}`);
    await page.reload();
    await page.waitForURL('**/app/login*');
    await close();
  });

  it('themes are chosen, kept and follow the system', async () => {
    const { page, close } = await stage.open(stage.service.admin, { theme: 'dark' });
    const theme = () => page.evaluate('document.documentElement.dataset.theme');
    assert.equal(await theme(), 'dark');
    await page.getByRole('button', { name: 'Account and theme' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Light' }).click();
    assert.equal(await theme(), 'light');
    await page.reload();
    assert.equal(await theme(), 'light');
    await page.getByRole('button', { name: 'Account and theme' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'System' }).click();
    await eventually(async () => (await theme()) === 'dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await eventually(async () => (await theme()) === 'light');
    await close();
  });

  it('keys open the help and the commands, which find a record and go there', async () => {
    await stage.service.call('POST', '/crm/records', { body: { title: 'Palette Customer' } });
    const { page, errors, close } = await stage.open(stage.service.admin);
    await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Go to the inbox').waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    await page.keyboard.press('Escape');
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox').fill('palete custmer');
    await page.getByRole('option', { name: /Palette Customer/ }).waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Palette Customer' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    await pressInTurn(page, 'g i');
    await page.waitForURL('**/app/inbox');
    assert.deepEqual(errors(), []);
    await close();
  });

  it('offline is told, and the connection comes back by itself', async () => {
    const { page, context, close } = await stage.open(stage.service.admin);
    await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
    await context.setOffline(true);
    await page.getByText('You are offline').waitFor();
    await context.setOffline(false);
    await page.getByText('You are offline').waitFor({ state: 'detached' });
    await close();
  });

  it('an operator has no way to what only administrators may do', async () => {
    const { body: closed } = await stage.service.call('POST', '/kanbans', { body: { name: 'Management' } });
    await stage.service.call('PUT', `/kanbans/${closed.id}/members`, {
      body: { userIds: [stage.service.admin.userId] },
    });
    const operator = await stage.service.createUser('operator');
    const { page, close } = await stage.open(operator);
    await page.getByRole('link', { name: 'Sales' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Management' }).count(), 0);
    assert.equal(await page.getByRole('button', { name: 'New board' }).count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Board settings' }).count(), 0);
    await page.goto(`${stage.base}/app/boards/management`);
    await page.getByText('This board is not there').waitFor();
    await page.goto(`${stage.base}/app/boards/sales/settings`);
    await page.getByText('You don’t have permission to do this').waitFor();
    await close();
  });

  it('a menu opens at the first click and at the first key, also while its code is on its way', async () => {
    const { page, errors, close } = await stage.open(stage.service.admin, { path: '/boards/sales' });
    const button = page.getByRole('button', { name: 'Import, export and more' });
    for (const byKey of [false, true]) {
      await page.mouse.move(0, 0);
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route(/assets\/overlays-/, async (route) => {
        await released;
        await route.continue();
      });
      await page.reload();
      await button.waitFor();
      const opener = await button.elementHandle();
      if (byKey) {
        await button.focus();
        await page.keyboard.press('Enter');
      } else await button.click();
      await eventually(async () => (await button.getAttribute('aria-expanded')) === 'true');
      assert.equal(await page.getByRole('menu').count(), 0);
      release();
      const items = page.getByRole('menuitem');
      await items.first().waitFor();
      assert.equal(await opener!.evaluate((element) => element.isConnected), true);
      if (byKey) {
        await eventually(() => items.first().evaluate((item) => item.matches(':focus')));
      }
      await page.keyboard.press('Escape');
      await page.getByRole('menu').waitFor({ state: 'detached' });
      await eventually(() => opener!.evaluate((element) => element.matches(':focus')));
      await page.unroute(/assets\/overlays-/);
    }
    assert.deepEqual(errors(), []);
    await close();
  });

  it('without a network the page stays, and what it misses is loaded when there is one', async () => {
    const { page, context, close } = await stage.open(stage.service.admin, { path: '/boards/sales' });
    const button = page.getByRole('button', { name: 'Import, export and more' });
    await button.waitFor();
    await settled(page);
    await page.evaluate('window.isSamePage = true');
    await context.setOffline(true);
    const asked = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/version'));
    await page.mouse.move(200, 200);
    await asked;
    assert.equal(await page.evaluate('window.isSamePage'), true);
    await context.setOffline(false);
    let isLoaded = false;
    page.on('response', (response) => {
      if (/assets\/overlays-/.test(response.url())) isLoaded = true;
    });
    let x = 200;
    await eventually(async () => {
      await page.mouse.move(++x, 200);
      return isLoaded;
    });
    await button.click();
    await page.getByRole('menuitem').first().waitFor();
    assert.equal(await page.evaluate('window.isSamePage'), true);
    await close();
  });

  it('the first load stays under 200 KB', async () => {
    const { page, context, close } = await stage.visit({ path: '/login' });
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.setCacheDisabled', { cacheDisabled: true });
    await signIn(page, stage.service.admin.email, password);
    await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
    // Not over the cards: what dragging needs is loaded when the pointer reaches them.
    await page.mouse.move(0, 0);
    await page.waitForLoadState('networkidle');
    const files = new Set<string>();
    let bytes = 0;
    session.on('Network.responseReceived', ({ requestId, response }) => {
      if (new URL(response.url).pathname.startsWith('/app/')) files.add(requestId);
    });
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (files.has(requestId)) bytes += encodedDataLength;
    });
    await page.reload({ waitUntil: 'networkidle' });
    assert.ok(bytes > 50_000 && bytes < 200_000, `${bytes} bytes`);
    await close();
  });

  it('no page has a serious violation of accessibility in either theme', async () => {
    const guest = await stage.visit({ path: '/login' });
    await guest.page.getByRole('button', { name: 'Sign in' }).waitFor();
    assert.deepEqual(await violationsInBothThemes(guest.page), []);
    await guest.close();
    const { page, errors, close } = await stage.open(stage.service.admin);
    for (const path of ['/inbox', '/settings', '/boards/nothing', '/nowhere']) {
      await go(page, path);
      assert.deepEqual(await violationsInBothThemes(page), [], path);
    }
    assert.deepEqual(errors(), []);
    await close();
  });
});
