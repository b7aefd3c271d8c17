/** Every view of the settings: both themes and a phone, no serious violation, no error. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { seriousViolations, violationsInBothThemes } from '../support/accessibility.ts';
import { type DashboardStage, go, startDashboard } from '../support/dashboard.ts';
import { fillSettings, type SettingsPlaces, settingsViews } from '../support/settings-workspace.ts';
import { loopbackAllowed } from '../support/webhooks.ts';

/** Also a dialog: what it cuts off cannot be used. */
const isTooWide = `document.documentElement.scrollWidth > innerWidth ||
  [...document.querySelectorAll('[role=dialog], [role=dialog] div')].some((part) =>
    part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).overflowY === 'auto')`;

describe('the looks of the settings', () => {
  let stage: DashboardStage;
  let places: SettingsPlaces;
  before(async () => {
    stage = await startDashboard(loopbackAllowed);
    places = await fillSettings(stage.service);
  });
  after(async () => {
    await places.close();
    await stage.close();
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
    it(`${name}: nothing serious, no error, nothing wider than the page`, async () => {
      const { page, errors, close } = await stage.open(stage.service.admin, { viewport });
      const found: string[] = [];
      for (const view of settingsViews(places)) {
        await go(page, view.path);
        await view.act?.(page);
        const problems = [...(await check(page)), ...errors()];
        if (await page.evaluate(isTooWide)) problems.push('the page or a dialog scrolls sideways');
        found.push(...problems.map((problem) => `${view.name}: ${problem}`));
      }
      assert.deepEqual(found, []);
      await close();
    });
  }
});
