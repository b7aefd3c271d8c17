import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}
const overlaps = (a: Box, b: Box) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

describe('toasts, motion and icons', () => {
  let on: InboxStage;
  let page: Page;

  before(async () => {
    on = await startInbox();
    ({ page } = on);
    for (let i = 0; i < 30; i++) {
      await on.stage.service.call('POST', '/crm/records', { body: { title: `Card ${i}` } });
    }
  });
  after(() => on.stage.close());

  const openBoard = async () => {
    await page.goto(`${on.stage.base}/app/boards/sales`);
    await page.getByRole('group', { name: /^Card 29/ }).waitFor();
  };
  const toast = () => page.getByRole('region', { name: 'Messages' }).locator(':scope > div').last();
  const boxOf = async (locator: Locator): Promise<Box> => (await locator.boundingBox())!;
  /** Headers, titles, and what the view is for. */
  const assertCoversNothing = async (where: string, ...actions: Locator[]) => {
    await toast().waitFor();
    const shown = await boxOf(toast());
    const { width, height } = page.viewportSize()!;
    assert.ok(shown.x >= 0 && shown.x + shown.width <= width && shown.y + shown.height <= height, where);
    const precious = [...(await page.locator('header:visible, h1:visible, h2:visible').all()), ...actions];
    for (const one of precious) {
      const box = await one.boundingBox();
      if (box) assert.ok(!overlaps(shown, box), `${where}: covers ${await one.innerText()}`);
    }
  };

  for (const width of [1440, 360]) {
    it(`at ${width} px a toast covers no header, title or primary action`, async () => {
      await page.setViewportSize({ width, height: width === 360 ? 720 : 900 });
      const id = await on.begin(`Toast ${width}`);
      await on.open(id);
      await page.getByRole('textbox', { name: 'Reply' }).fill('A\nlonger\ntext\nof\nfive lines');
      await page.getByRole('button', { name: 'Take over' }).click();
      await assertCoversNothing(
        'conversation',
        page.getByRole('button', { name: 'Send' }),
        page.getByRole('textbox', { name: 'Reply' }),
      );
      await openBoard();
      await page.getByRole('group', { name: width === 360 ? /^Card 27/ : /^Card 29/ }).focus();
      await page.keyboard.press('x');
      await page.getByRole('button', { name: 'Move to' }).click();
      await page.getByRole('menuitem').nth(1).click();
      await toast().waitFor();
      await page.getByRole('group', { name: /^Card 28/ }).focus();
      await page.keyboard.press('x');
      await assertCoversNothing('board', page.getByRole('toolbar', { name: '1 selected' }));
      const { call, admin } = on.stage.service;
      await call('PATCH', '/first-run', { token: admin.jwt, body: { dismissed: false } });
      await page.goto(`${on.stage.base}/app/start`);
      await page.getByRole('button', { name: 'Hide', exact: false }).first().click();
      await assertCoversNothing('first steps');
    });
  }

  it('with reduced motion switching the theme starts no transition or animation', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await openBoard();
    await page.evaluate(
      `window.started = [];
      for (const type of ['transitionrun', 'animationstart']) {
        document.addEventListener(type, (event) => started.push(type + ' ' + (event.propertyName ?? event.animationName)), true);
      }`,
    );
    const before = await page.evaluate('document.documentElement.dataset.theme');
    await page.keyboard.press('Shift+D');
    await eventually(async () => (await page.evaluate('document.documentElement.dataset.theme')) !== before);
    await page.getByRole('group', { name: /^Card 27/ }).hover();
    await page.getByRole('button', { name: 'Display' }).click();
    await page.keyboard.press('Escape');
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    assert.deepEqual(await page.evaluate('started'), []);
    assert.equal(await page.evaluate('document.getAnimations().length'), 0);
  });

  it('Display, Filter and Board settings have icons of their own', async () => {
    await openBoard();
    const icons = await Promise.all(
      ['Display', 'Filter', 'Board settings'].map((name) =>
        page.getByRole('button', { name, exact: true }).locator('svg').first().getAttribute('class'),
      ),
    );
    const names = icons.map((icon) => icon?.match(/lucide-[a-z-]+/)?.[0]);
    assert.deepEqual(names, ['lucide-sliders-horizontal', 'lucide-funnel', 'lucide-settings']);
    assert.deepEqual(on.visitor.errors(), []);
  });
});
