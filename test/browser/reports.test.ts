import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { seriousViolations, violationsInBothThemes } from '../support/accessibility.ts';
import { type DashboardStage, startDashboard, type Visitor } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { fillReports, type ReportsPlaces } from '../support/reports-workspace.ts';
import { loopbackAllowed } from '../support/webhooks.ts';

describe('the charts of the reports', () => {
  let stage: DashboardStage;
  let places: ReportsPlaces;
  let visitor: Visitor;
  let page: Page;
  before(async () => {
    stage = await startDashboard(loopbackAllowed);
    places = await fillReports(stage.service);
    visitor = await stage.open(stage.service.admin);
    ({ page } = visitor);
  });
  after(async () => {
    await places?.close();
    await stage.close();
  });

  const report = (name: string, who = page) => who.locator(`[data-report="${name}"]`);
  const open = async (search = '', who = page) => {
    await who.goto(`${stage.base}/app/reports${search}`);
    await who.getByRole('heading', { level: 1, name: 'Reports' }).waitFor();
    await settled(who);
  };
  /** Every figure is there and drawn, and none is of an earlier period. */
  const settled = (who = page) =>
    eventually(async () => {
      const found = await who.locator('[data-report]').count();
      // Charts are drawn after React has shown their place.
      const open = await who.locator('[data-report][aria-busy="true"], .chart:not(:has(canvas))').count();
      return found > 0 && open === 0;
    });
  const chart = (name: string, who = page) => report(name, who).getByRole('slider');
  const tip = (who = page) => who.locator('[data-chart-tip]');

  it('a chart of one step has something to see', async (context) => {
    // As in the first hour of a day.
    const ofTheLastHour = new RegExp(`^${stage.base}/reports/`);
    context.after(() => page.unroute(ofTheLastHour));
    await page.route(ofTheLastHour, async (route) => {
      const answer = await route.fetch();
      const body = await answer.json();
      await route.fulfill({ response: answer, json: { ...body, buckets: body.buckets?.slice(-1) } });
    });
    await open('?period=today&compare=off');
    for (const one of ['records-by-status', 'answers', 'first-response']) {
      // Only what has a hue: axes and their words are grey.
      const countColored = `(() => {
        const canvas = document.querySelector('[data-report="${one}"] canvas');
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let found = 0;
        for (let at = 0; at < data.length; at += 4) {
          const [red, green, blue, alpha] = data.slice(at, at + 4);
          if (alpha > 200 && Math.max(red, green, blue) - Math.min(red, green, blue) > 60) found++;
        }
        return found;
      })()`;
      await eventually(async () => Number(await page.evaluate(countColored)) > 10);
    }
  });

  it('the tip follows the pointer', async () => {
    await open('?period=7d&compare=off');
    await chart('answers').hover({ position: { x: 300, y: 80 } });
    await tip().getByText('People').waitFor();
    await page.mouse.move(0, 0);
    await tip().waitFor({ state: 'hidden' });
  });

  const looks = [
    {
      name: 'light and dark, 1440 px',
      check: violationsInBothThemes,
      viewport: { width: 1440, height: 900 },
    },
    { name: 'light, 390 px', check: seriousViolations, viewport: { width: 390, height: 844 } },
  ];
  for (const { name, check, viewport } of looks) {
    it(`${name}: charts and tables without a serious violation or an error`, async () => {
      const other = await stage.open(stage.service.admin, { viewport });
      await open('?period=30d', other.page);
      assert.deepEqual(await check(other.page), [], 'charts');
      await other.page.keyboard.press('v');
      assert.deepEqual(await check(other.page), [], 'tables');
      assert.equal(await other.page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
      await open('?period=custom&from=2020-01-01&to=2020-01-02', other.page);
      assert.deepEqual(await check(other.page), [], 'empty');
      // The content policy would have said here if a chart had broken it.
      assert.deepEqual(other.errors(), []);
      await other.close();
    });
  }

  it('charts are drawn anew for the other theme and another width', async () => {
    await open('?period=7d');
    const canvas = chart('answers').locator('canvas');
    const picture = () => canvas.evaluate((one) => (one as unknown as { toDataURL(): string }).toDataURL());
    const light = await picture();
    await page.keyboard.press('Shift+D');
    await eventually(async () => (await picture()) !== light);
    await page.keyboard.press('Shift+D');
    await eventually(async () => (await picture()) === light);
    const width = () => canvas.evaluate((one) => one.getBoundingClientRect().width);
    const wide = await width();
    await page.setViewportSize({ width: 700, height: 900 });
    await eventually(async () => (await width()) !== wide);
    await page.setViewportSize({ width: 1440, height: 900 });
    await eventually(async () => (await width()) === wide);
    assert.deepEqual(visitor.errors(), []);
  });
});
