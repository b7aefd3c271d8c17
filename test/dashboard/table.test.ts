import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type DashboardStage, pressInTurn, settled, undo } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/service.ts';

describe('a board as a table', () => {
  let stage: DashboardStage;
  let call: DashboardStage['service']['call'];
  let page: Page;
  let errors: (allowed?: RegExp) => string[];
  let board: Json;

  before(async () => {
    stage = await startDashboard();
    ({ call } = stage.service);
    const { body } = await call('POST', '/kanbans', {
      body: {
        name: 'Deals',
        statuses: [
          { value: 'lead', label: 'Lead', color: '#5660d6' },
          { value: 'won', label: 'Won', color: '#2f9e44' },
        ],
        fields: [
          { name: 'Amount', type: 'number' },
          { name: 'City', type: 'select', options: ['Oslo', 'Lima'] },
          { name: 'Paid', type: 'boolean' },
          { name: 'Tags', type: 'multiselect', options: ['a', 'b', 'c'] },
        ],
      },
    });
    board = body;
    const items = Array.from({ length: 250 }, (_, i) => ({
      title: `Deal ${String(i).padStart(3, '0')}`,
      status: i % 2 ? 'won' : 'lead',
      customFields: { [idOf('Amount')]: i, [idOf('City')]: i % 5 ? 'Oslo' : 'Lima' },
    }));
    for (let i = 0; i < items.length; i += 100) {
      await call('POST', `/crm/records/batch?kanbanId=${board.id}`, {
        body: { items: items.slice(i, i + 100) },
      });
    }
    const visitor = await stage.open(stage.service.admin, {
      path: `/boards/${board.slug}?sort=title`,
    });
    ({ page, errors } = visitor);
    await page.getByRole('heading', { level: 1, name: 'Deals' }).waitFor();
  });
  after(() => stage.close());

  const idOf = (name: string): string => board.fields.find((one: Json) => one.name === name).id;
  const grid = () => page.getByRole('grid', { name: 'Table of Deals' });
  const row = (title: string) => grid().getByRole('row').filter({ hasText: title });
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const recordOf = async (title: string): Promise<Json> => {
    const { body } = await call('GET', `/crm/search?kanbanId=${board.id}&q=${encodeURIComponent(title)}`);
    return body.items[0];
  };
  const valueIn = async (title: string, field: string) => (await recordOf(title)).customFields[idOf(field)];
  const messages = () => page.getByRole('region', { name: 'Messages' });
  const choose = async (name: string, option: string) => {
    await page.getByRole('combobox', { name }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };

  it('is opened by its keys, and cells are edited by keyboard', async () => {
    await pressInTurn(page, 'v t');
    await row('Deal 000').waitFor();
    assert.match(page.url(), /layout=table/);
    await grid().focus();
    // Title, status, people, phone, e-mail, amount.
    await press('Home', ...Array(5).fill('ArrowRight'), 'Enter');
    const input = grid().getByRole('textbox', { name: 'Amount' });
    await input.fill('many');
    await press('Enter');
    await grid().getByRole('alert').waitFor();
    await input.fill('1,500.5');
    await press('Enter');
    await eventually(async () => (await valueIn('Deal 000', 'Amount')) === 1500.5);
    // The cell below is active now. Typing replaces its value, Escape cancels.
    await press('7', '7', 'Escape', '4', '2', 'Tab');
    await eventually(async () => (await valueIn('Deal 001', 'Amount')) === 42);
    // Choosing an option, a boolean, and emptying with Undo.
    await press('l', 'i', 'Enter', 'ArrowRight', 'Space');
    await eventually(async () => (await valueIn('Deal 001', 'City')) === 'Lima');
    await eventually(async () => (await valueIn('Deal 001', 'Paid')) === true);
    await press('Delete');
    await eventually(async () => (await valueIn('Deal 001', 'Paid')) === undefined);
    await messages().getByText('1 cell was emptied').waitFor();
    await undo(page, '1 cell was emptied');
    await eventually(async () => (await valueIn('Deal 001', 'Paid')) === true);
    // A change that is rejected is put back, and said.
    await grid().focus();
    await press('Home', ...Array(4).fill('ArrowRight'), 'x', 'Enter');
    await messages().getByText('The change was rejected and undone').waitFor();
    assert.equal(await row('Deal 001').getByText('x', { exact: true }).count(), 0);
    // The record opens by a modifier, and Escape leads back.
    await press('Control+Enter');
    await page.waitForURL(/records\//);
    await page.getByRole('complementary', { name: 'Deal 002' }).waitFor();
    await press('Escape');
    await page.waitForURL((url) => !url.pathname.includes('records'));
    assert.deepEqual(errors(/400/), []);
  });

  const cell = (title: string, column: number) => row(title).locator(`[data-cell="${column}"]`);
  const editor = (name: string) => grid().getByRole('textbox', { name });
  const setTitle = async (title: string, to: string, customFields: Json = {}) => {
    const { recordId } = await recordOf(title);
    await call('PUT', `/crm/records/${recordId}`, { body: { title: to, customFields } });
  };

  it('cells are edited by mouse, and a click elsewhere takes the focus along', async () => {
    await cell('Deal 006', 6).dblclick();
    await page.getByRole('option', { name: 'Lima' }).click();
    await eventually(async () => (await valueIn('Deal 006', 'City')) === 'Lima');
    await messages().getByText('1 cell was changed').last().waitFor();
    // Enter twice leaves the option as it is.
    await press('Enter');
    await page.getByRole('option', { name: 'Lima', selected: true }).waitFor();
    await press('Enter');
    await page.getByRole('option').first().waitFor({ state: 'detached' });
    await cell('Deal 006', 5).dblclick();
    await editor('Amount').fill('66');
    const search = page.getByRole('textbox', { name: 'Search cards' });
    await search.click();
    await eventually(async () => (await valueIn('Deal 006', 'Amount')) === 66);
    await press('z');
    assert.equal(await search.inputValue(), 'z');
    await search.fill('');
    await row('Deal 006').waitFor();
    assert.equal(await valueIn('Deal 006', 'City'), 'Lima');
  });

  it('options that are clicked before the first is drawn are all kept', async () => {
    await row('Deal 009').locator('[data-cell="8"]').dblclick();
    await page.getByRole('option', { name: 'c', exact: true }).waitFor();
    await page.evaluate(`{
      const named = (name) => [...document.querySelectorAll('[role=option]')].find((one) => one.textContent === name);
      const [a, b, c] = ['a', 'b', 'c'].map(named);
      for (const one of [a, b, c, b]) one.click();
    }`);
    await eventually(async () => (await valueIn('Deal 009', 'Tags'))?.join() === 'a,c');
    await settled(page);
    assert.deepEqual(await page.getByRole('option', { selected: true }).allInnerTexts(), ['a', 'c']);
    await press('Escape');
    assert.deepEqual(await valueIn('Deal 009', 'Tags'), ['a', 'c']);
  });

  it('what is typed survives live changes, and what others write is not changed back', async () => {
    await cell('Deal 006', 5).dblclick();
    await editor('Amount').fill('7');
    await call('POST', `/crm/records?kanbanId=${board.id}`, { body: { title: 'Deal 000 new' } });
    await row('Deal 000 new').waitFor();
    await press('7', 'Enter');
    await eventually(async () => (await valueIn('Deal 006', 'Amount')) === 77);
    // Opened, changed by somebody else, left without typing.
    await cell('Deal 007', 5).dblclick();
    await setTitle('Deal 007', 'Deal 007 changed', { [idOf('Amount')]: 700 });
    await row('Deal 007 changed').waitFor();
    await press('Tab', 'l', 'i', 'Enter');
    await eventually(async () => (await valueIn('Deal 007', 'City')) === 'Lima');
    assert.equal(await valueIn('Deal 007', 'Amount'), 700);
    // An incoming card leaves in view what is in view.
    const rows = Number(await grid().getAttribute('aria-rowcount'));
    await grid().evaluate((element: Json) => element.scrollTo(0, 4_000));
    await row('Deal 115').waitFor();
    await call('POST', `/crm/records?kanbanId=${board.id}`, { body: { title: 'Deal 000 newer' } });
    await eventually(async () => Number(await grid().getAttribute('aria-rowcount')) === rows + 1);
    assert.ok((await grid().evaluate((element: Json) => element.scrollTop)) >= 4_000);
    // A card that is deleted while it is edited does not block the mouse.
    await grid().focus();
    await press('Control+Home');
    for (const title of ['Deal 000 newer', 'Deal 000 new']) {
      await cell(title, 5).last().dblclick();
      await editor('Amount').fill('1');
      const { recordId } = await recordOf(title);
      await call('DELETE', `/crm/records/${recordId}`);
      await editor('Amount').waitFor({ state: 'detached' });
    }
    await cell('Deal 007', 5).dblclick();
    await editor('Amount').waitFor();
    await press('Escape');
  });

  it('jumps to the end, and follows live changes', async () => {
    await grid().focus();
    await press('Control+End');
    await row('Deal 249').waitFor();
    const { recordId } = await recordOf('Deal 249');
    await call('PUT', `/crm/records/${recordId}`, { body: { customFields: { [idOf('Amount')]: 9876 } } });
    await row('Deal 249').getByText('9,876').waitFor();
    await press('Control+Home');
    await row('Deal 000').waitFor();
  });

  it('columns, widths and groups are kept in a view, and totals are of everything', async () => {
    await page.getByRole('button', { name: 'Display' }).click();
    await page.getByRole('checkbox', { name: 'E-mail' }).click();
    await page.getByRole('button', { name: 'Move Amount' }).press('ArrowUp');
    await choose('Group by', 'City');
    await press('Escape');
    const header = () => grid().getByRole('columnheader');
    assert.deepEqual(await header().allInnerTexts(), [
      'Selected',
      'Title',
      'Status',
      'Assigned to',
      'Amount',
      'Phone',
      'City',
      'Paid',
      'Tags',
      'Last changed',
    ]);
    // By keyboard: the width of a column.
    await grid().focus();
    const width = () =>
      grid().evaluate((element: Json) =>
        Number.parseInt(element.style.getPropertyValue('--table-columns').split(' ')[5], 10),
      );
    const before = await width();
    await press('Control+Home', 'ArrowUp', ...Array(3).fill('ArrowRight'), 'Shift+ArrowRight');
    assert.equal(await width(), before + 16);
    // Oslo is the first group. Its total is that of all its cards, loaded or not.
    const { body } = await call(
      'GET',
      `/kanbans/${board.id}/table-summary?groupBy=${idOf('City')}&sumFieldIds=${idOf('Amount')}`,
    );
    const oslo = body.groups[0];
    const total = (value: number) => value.toLocaleString('en-GB', { maximumFractionDigits: 6 });
    await grid()
      .getByRole('row')
      .filter({ hasText: `Oslo${oslo.count}` })
      .getByText(total(oslo.totals[idOf('Amount')]))
      .waitFor();
    await grid()
      .getByText(total(body.totals[idOf('Amount')]))
      .waitFor();
    await grid().getByRole('button', { name: /^Oslo/ }).click();
    await row('Deal 005').waitFor();
    assert.equal(await row('Deal 002').count(), 0);

    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save as a view…' }).click();
    await page.getByLabel('Name').fill('By city');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL(/view=/);
    await pressInTurn(page, 'v b');
    await page.getByRole('group', { name: /^Deal/ }).first().waitFor();
    await page.evaluate(`localStorage.removeItem('talkboard.look.${board.id}')`);
    await page.goto(`${stage.base}/app/boards/${board.slug}`);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'By city' }).click();
    await grid().getByRole('button', { name: /^Oslo/ }).waitFor();
    assert.equal((await header().allInnerTexts())[4], 'Amount');
    assert.equal(await width(), before + 16);
  });

  it('selects rows for the bulk bar, and opens a card on a phone', async () => {
    await row('Deal 002').getByRole('checkbox').click();
    await row('Deal 004')
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] });
    await page.getByRole('toolbar', { name: '3 selected' }).waitFor();
    await page.getByRole('button', { name: 'Clear the selection' }).click();
    await page.setViewportSize({ width: 360, height: 740 });
    await settled(page);
    await row('Deal 002').getByRole('button', { name: 'Open Deal 002' }).click();
    await page.waitForURL(/records\//);
    assert.deepEqual(errors(/400/), []);
  });
});
