import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type DashboardStage, startDashboard, undo, type Visitor } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/service.ts';

/** By keyboard in test/dashboard. */
describe('the manual order of a board by mouse', () => {
  let stage: DashboardStage;
  let board: Json;
  let visitor: Visitor;
  let page: Page;

  before(async () => {
    stage = await startDashboard();
    const { call } = stage.service;
    const statuses = [
      { value: 'lead', label: 'Lead', color: '#5660d6' },
      { value: 'won', label: 'Won', color: '#23a35a' },
    ];
    board = (await call('POST', '/kanbans', { body: { name: 'Deals', statuses } })).body;
    for (const title of ['Dee', 'Cid', 'Bob', 'Ada']) {
      await call('POST', `/crm/records?kanbanId=${board.id}`, { body: { title } });
    }
    visitor = await stage.open(stage.service.admin, { path: `/boards/${board.slug}` });
    ({ page } = visitor);
  });
  after(() => stage.close());

  const card = (title: string, on = page) => on.getByRole('group', { name: title });
  const shownIn = async (status: string, on = page) => {
    const cards = on.locator(`[data-column="${status}"] [data-card]`);
    const found = await cards.evaluateAll((all) =>
      all
        .map((one) => ({ top: one.getBoundingClientRect().top, text: one.getAttribute('aria-label') ?? '' }))
        .sort((a, b) => a.top - b.top)
        .map(({ text }) => text),
    );
    return found.join(' ');
  };
  const storedIn = async (status: string) => {
    const { body } = await stage.service.call(
      'GET',
      `/crm/records?kanbanId=${board.id}&status=${status}&sort=manual`,
    );
    return body.items.map((one: Json) => one.title).join(' ');
  };
  const orderIs = async (status: string, wanted: string, on = page) => {
    let found: string[] = [];
    const holds = eventually(async () => {
      found = [await shownIn(status, on), await storedIn(status)];
      return found.every((order) => order === wanted);
    });
    await holds.catch(() => assert.deepEqual(found, [wanted, wanted], 'what is shown, and what is stored'));
  };

  it('is set by dragging, for everyone', async () => {
    await page.goto(`${stage.base}/app/boards/${board.slug}?sort=manual`);
    await orderIs('lead', 'Ada Bob Cid Dee');
    // Another person, whose page has the cards already and not yet what moves them.
    const other = await stage.open(stage.service.admin, {
      path: `/boards/${board.slug}`,
      serviceWorkers: 'block',
    });
    const asked = Promise.withResolvers<void>();
    const isMoved = Promise.withResolvers<void>();
    await other.page.route('**/assets/manual-order-*', async (route) => {
      asked.resolve();
      await isMoved.promise;
      await route.continue();
    });
    await other.page.goto(`${stage.base}/app/boards/${board.slug}?sort=manual`);
    await card('Dee', other.page).waitFor();
    await asked.promise;

    await card('Ada').dragTo(card('Cid'), { targetPosition: { x: 40, y: 35 } });
    await orderIs('lead', 'Bob Cid Ada Dee');
    await orderIs('lead', 'Bob Cid Ada Dee', other.page);
    isMoved.resolve();

    await card('Dee').dragTo(card('Cid'), { targetPosition: { x: 40, y: 4 } });
    await orderIs('lead', 'Bob Dee Cid Ada');

    await card('Cid').dragTo(page.getByRole('region', { name: /^Won/ }));
    await orderIs('won', 'Cid');
    await card('Ada').dragTo(card('Cid'), { targetPosition: { x: 40, y: 4 } });
    await orderIs('won', 'Ada Cid');
    await orderIs('lead', 'Bob Dee', other.page);
    await undo(page, '“Ada” was moved to Won');
    await orderIs('lead', 'Bob Dee Ada');

    // Several cards keep their order, however they were selected.
    await card('Ada').focus();
    await page.keyboard.press('x');
    await card('Dee').focus();
    await page.keyboard.press('x');
    await card('Ada').dragTo(card('Cid'), { targetPosition: { x: 40, y: 35 } });
    await orderIs('won', 'Cid Dee Ada');
    await undo(page, '2 cards were moved');
    await orderIs('lead', 'Bob Dee Ada');

    // In another order a drop within the column changes nothing.
    await page.getByRole('button', { name: 'Remove the sorting' }).click();
    await eventually(async () => (await shownIn('lead')) === 'Ada Bob Dee');
    let moves = 0;
    await page.route('**/position', async (route) => {
      moves++;
      await route.continue();
    });
    await card('Dee').dragTo(card('Ada'), { targetPosition: { x: 40, y: 4 } });
    // A request of that drop would be under way before this one.
    await card('Bob').dragTo(page.getByRole('region', { name: /^Won/ }));
    await eventually(async () => (await storedIn('lead')) === 'Dee Ada');
    assert.equal(moves, 0);
    assert.deepEqual([...visitor.errors(), ...other.errors()], []);
  });
});
