import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page, Route } from 'playwright-core';
import type { DashboardStage, Visitor } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/service.ts';

describe('the manual order of a board', () => {
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
    const found = await cards.evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
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

  it('is chosen in the display form; Alt with the arrows sets the place, for everyone', async () => {
    await page.getByRole('button', { name: 'Display' }).click();
    await page.getByRole('combobox', { name: 'Sort by' }).click();
    await page.getByRole('option', { name: 'Manual order' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Remove the sorting' }).waitFor();
    await orderIs('lead', 'Ada Bob Cid Dee');
    const other = await stage.open(stage.service.admin, { path: `/boards/${board.slug}?sort=manual` });
    await card('Dee', other.page).waitFor();

    await card('Ada').focus();
    await page.keyboard.press('Alt+ArrowDown');
    await orderIs('lead', 'Bob Ada Cid Dee');
    await page.keyboard.press('Alt+ArrowDown');
    await orderIs('lead', 'Bob Cid Ada Dee');
    await orderIs('lead', 'Bob Cid Ada Dee', other.page);

    // Somebody changes a card, so the column is read. What was read before the next moves does not undo them.
    const pressed = Promise.withResolvers<void>();
    const isRead = Promise.withResolvers<void>();
    const answerLate = async (route: Route) => {
      const response = await route.fetch();
      isRead.resolve();
      await pressed.promise;
      // The page no longer waits for it.
      await route.fulfill({ response }).catch(() => {});
    };
    await page.route(/\/cards\?.*status=lead/, answerLate, { times: 1 });
    const { body } = await stage.service.call('GET', `/crm/records?kanbanId=${board.id}&status=lead`);
    const ada = body.items.find((one: Json) => one.title === 'Ada').recordId;
    const change = { assignedUserIds: [stage.service.admin.userId] };
    await stage.service.call('PUT', `/crm/records/${ada}`, { body: change });
    await isRead.promise;

    // What is pressed while a move is under way is sent as one move.
    let moves = 0;
    await page.route('**/position', async (route) => {
      moves++;
      await pressed.promise;
      await route.continue();
    });
    await card('Dee').focus();
    for (const key of ['Up', 'Up', 'Up', 'Down']) await page.keyboard.press(`Alt+Arrow${key}`);
    pressed.resolve();
    await orderIs('lead', 'Bob Dee Cid Ada');
    await orderIs('lead', 'Bob Dee Cid Ada', other.page);
    assert.equal(moves, 2);
    assert.equal(await page.evaluate('document.activeElement.getAttribute("aria-label")'), 'Dee');
    assert.deepEqual([...visitor.errors(), ...other.errors()], []);
  });
});
