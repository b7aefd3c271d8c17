import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type DashboardStage, startDashboard, type Visitor } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/service.ts';

const timezoneId = 'America/New_York';
const thisMonth = new Intl.DateTimeFormat('en-CA', { timeZone: timezoneId }).format(Date.now()).slice(0, 7);
const on = (date: number) => `${thisMonth}-${String(date).padStart(2, '0')}`;

/** The rest of it is in test/dashboard. */
describe('dragging in the calendar of a board', () => {
  let stage: DashboardStage;
  let board: Json;
  let visitor: Visitor;
  let page: Page;
  const ids: { [title: string]: string } = {};
  const due = () => board.fields.find((one: Json) => one.name === 'Due').id;
  const day = (date: string) => page.locator(`[data-day="${date}"]`);
  const card = (date: string, title: string) => day(date).getByRole('button', { name: title });
  const storedDay = async (title: string) =>
    (await stage.service.call('GET', `/crm/records/${ids[title]}`)).body.customFields[due()];
  const add = async (title: string, date: string) => {
    const { body } = await stage.service.call('POST', `/crm/records?kanbanId=${board.id}`, {
      body: { title, customFields: { [due()]: date } },
    });
    ids[title] = body.recordId;
  };

  before(async () => {
    stage = await startDashboard();
    const fields = [{ name: 'Due', type: 'date' }];
    board = (await stage.service.call('POST', '/kanbans', { body: { name: 'Deals', fields } })).body;
    await add('Ada', on(15));
    const path = `/boards/${board.slug}?layout=calendar`;
    visitor = await stage.open(stage.service.admin, { path, timezoneId });
    ({ page } = visitor);
    await card(on(15), 'Ada').waitFor();
  });
  after(() => stage.close());

  it('changes the date of a card, and Undo brings it back', async () => {
    await card(on(15), 'Ada').dragTo(day(on(18)));
    await card(on(18), 'Ada').waitFor();
    await eventually(async () => (await storedDay('Ada')) === on(18));
    await page.getByRole('button', { name: 'Undo' }).click();
    await card(on(15), 'Ada').waitFor();
    await eventually(async () => (await storedDay('Ada')) === on(15));
    assert.deepEqual(visitor.errors(), []);
  });

  it('from a day of the next month leaves the month that is shown', async () => {
    const shown = () =>
      page.locator('[data-day]').evaluateAll((all) => all.map((one) => one.getAttribute('data-day')!));
    let days = await shown();
    // A month may have whole weeks only.
    for (; days.every((one) => one.startsWith(days[15]!.slice(0, 7))); days = await shown()) {
      await page.getByRole('button', { name: 'Next' }).click();
    }
    const outside = days.find((one) => !one.startsWith(days[15]!.slice(0, 7)))!;
    await add('Edge', outside);
    await card(outside, 'Edge').dragTo(day(days[24]!));
    await card(days[24]!, 'Edge').waitFor();
    assert.deepEqual(await shown(), days);
    assert.deepEqual(visitor.errors(), []);
  });
});
