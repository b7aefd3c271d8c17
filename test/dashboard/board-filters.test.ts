import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type { DashboardStage, Visitor } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import type { Json } from '../support/service.ts';

describe('the filters of a board', () => {
  let stage: DashboardStage;
  let board: Json;
  let visitor: Visitor;
  let page: Page;
  const idOf = (name: string) => board.fields.find((one: Json) => one.name === name).id;
  const region = (name: string) => page.getByRole('region', { name });

  before(async () => {
    stage = await startDashboard();
    const { call } = stage.service;
    board = (
      await call('POST', '/kanbans', {
        body: {
          name: 'Deals',
          statuses: [
            { value: 'lead', label: 'Lead', color: '#5660d6' },
            { value: 'won', label: 'Won', color: '#23a35a' },
          ],
          fields: [
            { name: 'Amount', type: 'currency' },
            { name: 'City', type: 'select', options: ['Oslo', 'Lima'] },
            { name: 'Due', type: 'date' },
          ],
        },
      })
    ).body;
    for (const [title, amount, city] of [
      ['Ada', 5, 'Oslo'],
      ['Bob', 20, 'Lima'],
      ['Cid', 30, 'Oslo'],
      ['Dee', 40, undefined],
    ] as const) {
      const customFields = { [idOf('Amount')]: amount, ...(city && { [idOf('City')]: city }) };
      const assignedUserIds = title === 'Ada' ? [stage.service.admin.userId] : [];
      await call('POST', `/crm/records?kanbanId=${board.id}`, {
        body: { title, customFields, assignedUserIds },
      });
    }
    visitor = await stage.open(stage.service.admin, { path: `/boards/${board.slug}` });
    ({ page } = visitor);
    await region('Lead, 4 cards').waitFor();
  });
  after(() => stage.close());

  it('conditions and an order by keyboard, in the address, on counts and totals, and in a view', async () => {
    const choose = async (name: string, option: string, at = 0) => {
      await page.getByRole('combobox', { name, exact: true }).nth(at).focus();
      await page.keyboard.press('Enter');
      // The list takes the keys once one of its options has the focus, and Enter chooses the one that has it.
      await page.locator('[role=option]:focus').waitFor();
      await page.keyboard.type(option);
      await page.getByRole('option', { name: option, exact: true }).and(page.locator(':focus')).waitFor();
      await page.keyboard.press('Enter');
      // When the list is gone, the focus is back at its button; before, it would be taken from the next one.
      await page.getByRole('listbox').waitFor({ state: 'detached' });
    };
    await page.getByRole('button', { name: 'Filter' }).focus();
    await page.keyboard.press('Enter');
    await choose('Field', 'Amount');
    await choose('Condition', '>');
    await page.getByRole('textbox', { name: 'Value' }).fill('10');
    await region('Lead, 3 cards').waitFor();
    await page.getByRole('button', { name: 'Add condition' }).focus();
    await page.keyboard.press('Enter');
    await choose('Field', 'City', 1);
    await choose('Value', 'Oslo');
    await region('Lead, 1 card').waitFor();
    await page.getByRole('radio', { name: 'Any condition' }).click();
    await region('Lead, 4 cards').waitFor();
    await page.getByRole('radio', { name: 'All conditions' }).click();
    await region('Lead, 1 card').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Amount >').waitFor();
    await page.getByRole('button', { name: 'Remove the filter City is Oslo' }).click();
    await region('Lead, 3 cards').waitFor();
    assert.match(await region('Lead, 3 cards').innerText(), /90/, 'the total respects the filter');

    await page.getByRole('button', { name: 'Display' }).click();
    await choose('Sort by', 'Amount');
    await page.getByRole('radio', { name: 'Descending' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Remove the sorting' }).waitFor();
    const titles = () => region('Lead, 3 cards').locator('[data-card]').allInnerTexts();
    // There is no card at all while the sorted ones are loaded.
    await page.locator('[data-card]').first().filter({ hasText: 'Dee' }).waitFor();
    assert.deepEqual(
      (await titles()).map((text) => text.slice(0, 3)),
      ['Dee', 'Cid', 'Bob'],
    );
    await page.reload();
    await region('Lead, 3 cards').waitFor();
    await page.getByRole('button', { name: 'Remove the sorting' }).waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save as a view' }).click();
    await page.getByLabel('Name').fill('Large');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Views' }).getByText('Large').waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'All cards' }).click();
    await region('Lead, 4 cards').waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Large' }).click();
    await region('Lead, 3 cards').waitFor();

    // Every card that matches is selected and changed at once.
    await page
      .locator('[data-card]')
      .first()
      .click({ modifiers: ['ControlOrMeta'] });
    await page.getByRole('button', { name: 'Select all 3' }).click();
    await page.getByRole('toolbar', { name: '3 selected' }).waitFor();
    await page.keyboard.press('Escape');

    // A change that no longer matches leaves the board.
    const { body } = await stage.service.call('GET', `/crm/search?q=Bob&kanbanId=${board.id}`);
    await stage.service.call('PUT', `/crm/records/${body.items[0].recordId}`, {
      body: { customFields: { [idOf('Amount')]: 1 } },
    });
    await region('Lead, 2 cards').waitFor();
    assert.deepEqual(visitor.errors(), []);
  });

  it('an older link with a person and a value, on a phone, with a group', async () => {
    const query = new URLSearchParams({
      assignee: stage.service.admin.userId,
      field: idOf('City'),
      value: 'Oslo',
    });
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(`${stage.base}/app/boards/${board.slug}?${query}`);
    await region('Lead, 1 card').waitFor();
    await page.getByRole('button', { name: 'Filter' }).first().click();
    await page.getByRole('button', { name: 'Add group' }).click();
    await page.getByRole('button', { name: 'Remove the group' }).waitFor();
    await page.getByRole('button', { name: 'Clear all' }).click();
    await page.keyboard.press('Escape');
    await region('Lead, 4 cards').waitFor();
    assert.deepEqual(visitor.errors(), []);
  });
});
