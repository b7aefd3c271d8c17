import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { violationsInBothThemes } from '../support/accessibility.ts';
import { type DashboardStage, go, settled, signIn, startDashboard } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { password } from '../support/service.ts';

/** The rest of it is in test/dashboard. */
describe('the shell of the dashboard in a browser', () => {
  let stage: DashboardStage;
  before(async () => {
    stage = await startDashboard();
    // An empty workspace would lead its administrator to the first steps.
    await stage.service.call('POST', '/crm/records', { body: { title: 'Somebody' } });
  });
  after(() => stage.close());

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
    // It says so beside the page, not over it.
    const banner = (await page.getByText('You are offline').boundingBox())!;
    const content = (await page.getByRole('main').boundingBox())!;
    const { height } = page.viewportSize()!;
    assert.ok(banner.y + banner.height <= content.y, 'the banner is above the content');
    assert.ok(content.y + content.height <= height, 'the content ends with the window');
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

  it('a view whose code is missing says that there is no network, and opens when there is one', async () => {
    const { page, context, close } = await stage.open(stage.service.admin, { path: '/boards/sales' });
    await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
    await page.evaluate('window.isSamePage = true');
    await page.route(/assets\/reports-page-/, (route) => route.abort());
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Reports' }).click();
    const view = page.getByRole('main');
    await view.getByRole('heading', { name: 'You are offline' }).waitFor();
    // The navigation works, and the view of before is there.
    await page.getByRole('link', { name: 'Sales' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
    await page.getByRole('link', { name: 'Reports' }).click();
    await view.getByRole('heading', { name: 'You are offline' }).waitFor();
    await page.unroute(/assets\/reports-page-/);
    await context.setOffline(false);
    await page.getByRole('heading', { level: 1, name: 'Reports' }).waitFor();
    assert.equal(await page.evaluate('window.isSamePage'), true);
    await close();
  });

  it('the code of every view is loaded while the page is idle, so that they open offline', async () => {
    const { page, context, close } = await stage.visit({ path: '/login' });
    const loaded = new Set<string>();
    page.on('requestfinished', (request) => loaded.add(new URL(request.url()).pathname));
    await signIn(page, stage.service.admin.email, password);
    await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
    await page.evaluate('window.isSamePage = true');
    // The last one in the list of those that the settings add.
    await eventually(() => [...loaded].some((path) => path.includes('/system-settings-')), 60_000);
    await settled(page);
    await context.setOffline(true);
    for (const name of ['Reports', 'Contacts']) {
      await page.getByRole('link', { name }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
    }
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
    let isResuming = false;
    session.on('Network.responseReceived', ({ requestId, response }) => {
      if (new URL(response.url).pathname.startsWith('/app/')) files.add(requestId);
      if (/assets\/unsent-changes-/.test(response.url)) isResuming = true;
    });
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (files.has(requestId)) bytes += encodedDataLength;
    });
    await page.reload({ waitUntil: 'networkidle' });
    assert.ok(bytes > 50_000 && bytes < 200_000, `${bytes} bytes`);
    assert.equal(isResuming, false, 'nothing is stored that would be resumed');
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
