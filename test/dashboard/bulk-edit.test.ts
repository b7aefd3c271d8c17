import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import type { DashboardStage } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/service.ts';

describe('editing a field of several cards', () => {
  let stage: DashboardStage;
  let call: DashboardStage['service']['call'];
  let page: Page;
  let errors: () => string[];
  let board: Json;
  let made = 0;

  before(async () => {
    stage = await startDashboard();
    ({ call } = stage.service);
    ({ page, errors } = await stage.open(stage.service.admin));
  });
  after(() => stage.close());
  beforeEach(async () => {
    const { body } = await call('POST', '/kanbans', {
      body: {
        name: `Bulk ${++made}`,
        statuses: [{ value: 'lead', label: 'Lead', color: '#5660d6' }],
        fields: [
          { name: 'Mobile', type: 'phone' },
          { name: 'Amount', type: 'number' },
          { name: 'Price', type: 'currency' },
          { name: 'Paid', type: 'boolean' },
          { name: 'City', type: 'select', options: ['Oslo', 'Lima'] },
        ],
      },
    });
    board = body;
    for (const [title, phone, price] of [
      ['Ada', '+4791234567', 100],
      ['Bob', '+4791234568', 19.99],
      ['Cid'],
    ]) {
      const customFields = phone ? { [idOf('Mobile')]: phone, [idOf('Price')]: price } : {};
      await call('POST', `/crm/records?kanbanId=${board.id}`, { body: { title, customFields } });
    }
    await page.goto(`${stage.base}/app/boards/${board.slug}`);
    await page.getByRole('group', { name: /^Cid/ }).click({ modifiers: ['ControlOrMeta'] });
    await page.getByRole('group', { name: /^Ada/ }).click({ modifiers: ['Shift'] });
    await page.getByRole('toolbar', { name: '3 selected' }).getByText('Edit a field').click();
  });

  const idOf = (name: string): string => board.fields.find((one: Json) => one.name === name).id;
  const dialog = () => page.getByRole('dialog', { name: 'Edit a field' });
  const apply = () => dialog().getByRole('button', { name: 'Apply' });
  const choose = async (field: string) => {
    await dialog().getByRole('combobox', { name: 'Field', exact: true }).click();
    await page.getByRole('option', { name: field, exact: true }).click();
  };
  const valuesOf = async (name: string): Promise<unknown[]> => {
    const { body } = await call('GET', `/crm/records?kanbanId=${board.id}`);
    const byTitle = body.items.toSorted((a: Json, b: Json) => a.title.localeCompare(b.title));
    return byTitle.map((one: Json) => one.customFields[idOf(name)] ?? null);
  };

  it('nothing can be applied before a value was chosen, for every kind of field', async () => {
    for (const field of ['Mobile', 'Amount', 'Paid', 'City']) {
      await choose(field);
      assert.equal(await apply().isDisabled(), true, field);
    }
    await dialog().getByRole('combobox', { name: 'Paid' }).waitFor({ state: 'detached' });
    await choose('Paid');
    await dialog().getByRole('combobox', { name: 'Paid' }).click();
    await page.getByRole('option', { name: 'No', exact: true }).click();
    assert.equal(await apply().isEnabled(), true);
    await apply().click();
    await eventually(async () => JSON.stringify(await valuesOf('Paid')) === '[false,false,false]');
    assert.deepEqual(await valuesOf('Mobile'), ['+4791234567', '+4791234568', null]);
  });

  it('a number that cannot be read is not applied, and no value is lost by an emptied one', async () => {
    await choose('Amount');
    await dialog().getByLabel('Amount').fill('many');
    await apply().click();
    await dialog().locator('[aria-invalid=true]').waitFor();
    await dialog().getByLabel('Amount').fill('');
    assert.equal(await apply().isDisabled(), true);
    await dialog().getByLabel('Amount').fill('12');
    await apply().click();
    await dialog().waitFor({ state: 'detached' });
    await eventually(async () => JSON.stringify(await valuesOf('Amount')) === '[12,12,12]');
  });

  it('numbers are raised by an amount or a percentage where there is one, and Undo takes it back', async () => {
    await choose('Price');
    await dialog().getByRole('radio', { name: 'Raise by %' }).click();
    await dialog().getByLabel('Price').fill('10');
    await apply().click();
    await eventually(async () => JSON.stringify(await valuesOf('Price')) === '[110,21.99,null]');
    await page.getByRole('region', { name: 'Messages' }).getByRole('button', { name: 'Undo' }).click();
    await eventually(async () => JSON.stringify(await valuesOf('Price')) === '[100,19.99,null]');
  });

  it('a text that cannot be read replaces the number before it, and Escape applies nothing', async () => {
    await choose('Amount');
    const amount = dialog().getByLabel('Amount');
    await amount.fill('5');
    await amount.press('Enter');
    assert.equal(await apply().isEnabled(), true);
    await amount.fill('abc');
    await amount.press('Enter');
    await dialog().locator('[aria-invalid=true]').waitFor();
    assert.equal(await apply().isDisabled(), true);
    await amount.fill('7');
    assert.equal(await apply().isEnabled(), true);
    await amount.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    assert.deepEqual(await valuesOf('Amount'), [null, null, null]);
  });

  it('clearing is an action of its own that says on how many cards, and can be undone', async () => {
    await choose('Mobile');
    await dialog().getByRole('button', { name: 'Clear Mobile on 2 cards' }).click();
    await eventually(async () => JSON.stringify(await valuesOf('Mobile')) === '[null,null,null]');
    const messages = page.getByRole('region', { name: 'Messages' });
    await messages.getByText('Mobile was cleared on 2 cards').waitFor();
    await messages.getByRole('button', { name: 'Undo' }).click();
    await eventually(
      async () => JSON.stringify(await valuesOf('Mobile')) === '["+4791234567","+4791234568",null]',
    );
    assert.deepEqual(errors(), []);
  });
});
