import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type DashboardStage, drawn, startDashboard, undo } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/service.ts';

/** The rest of it is in test/dashboard. */
describe('a board as a table in a browser', () => {
  let stage: DashboardStage;
  let call: DashboardStage['service']['call'];
  let page: Page;
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
    const items = Array.from({ length: 10 }, (_, i) => ({
      title: `Deal ${String(i).padStart(3, '0')}`,
      status: 'lead',
      customFields: { [idOf('Amount')]: i === 0 ? 1500.5 : i, [idOf('City')]: i < 2 ? 'Lima' : 'Oslo' },
    }));
    await call('POST', `/crm/records/batch?kanbanId=${board.id}`, { body: { items } });
    const visitor = await stage.open(stage.service.admin, {
      path: `/boards/${board.slug}?layout=table&sort=title`,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    ({ page } = visitor);
    await row('Deal 009').waitFor();
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
  const setTitle = async (title: string, to: string, customFields: Json = {}) => {
    const { recordId } = await recordOf(title);
    await call('PUT', `/crm/records/${recordId}`, { body: { title: to, customFields } });
  };
  const valueIn = async (title: string, field: string) => (await recordOf(title)).customFields[idOf(field)];
  const messages = () => page.getByRole('region', { name: 'Messages' });
  const cell = (title: string, column: number) => row(title).locator(`[data-cell="${column}"]`);

  it('options that are chosen quickly are all kept', async () => {
    let sent = 0;
    const { promise: committed, resolve: commit } = Promise.withResolvers<void>();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    // The response to the first change arrives after the third one. Until then no other is sent, which could overtake it.
    await page.route('**/crm/records/*', async (route) => {
      if (route.request().method() !== 'PUT' || ++sent > 1) return route.fallback();
      const response = await route.fetch();
      commit();
      await held;
      await route.fulfill({ response });
    });
    // Meanwhile the table is read again, because of another card, with the first change only.
    const readAgain = page.waitForResponse(async (response) => {
      if (!response.url().includes('/table-rows')) return false;
      const { items } = await response.json();
      return items.some((one: Json) => one.customFields[idOf('Tags')]?.length === 1);
    });
    await cell('Deal 008', 8).dblclick();
    const option = (name: string) => page.getByRole('option', { name, exact: true });
    await option('a').click();
    await committed;
    for (const name of ['b', 'c']) await option(name).click();
    await setTitle('Deal 009', 'Deal 009', { [idOf('Paid')]: false });
    await readAgain;
    await drawn(page);
    assert.equal(await page.getByRole('option', { selected: true }).count(), 3);
    assert.equal(sent, 1);
    release();
    await eventually(async () => (await valueIn('Deal 008', 'Tags'))?.length === 3);
    assert.equal(await page.getByRole('option', { selected: true }).count(), 3);
    await press('Escape');
    await page.unroute('**/crm/records/*');
    assert.match(await cell('Deal 008', 8).innerText(), /a.*b.*c/s);
  });

  it('copies and pastes a range, with Undo, and names what does not fit', async () => {
    await grid().focus();
    await press('Control+Home', ...Array(5).fill('ArrowRight'));
    await press('Shift+ArrowDown', 'Shift+ArrowRight', 'Control+c');
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    assert.equal(copied, '1500.5\tLima\n1\tLima');
    await press('ArrowDown', 'ArrowDown', 'ArrowLeft', 'Control+v');
    await messages().getByText('4 cells were changed').waitFor();
    await eventually(async () => (await valueIn('Deal 003', 'Amount')) === 1500.5);
    assert.equal(await valueIn('Deal 004', 'City'), 'Lima');
    await undo(page, '4 cells were changed');
    await eventually(async () => (await valueIn('Deal 003', 'Amount')) === 3);
    assert.equal(await valueIn('Deal 003', 'City'), 'Oslo');
    await page.evaluate('navigator.clipboard.writeText("5\\n6\\nsix")');
    await grid().focus();
    await press('Control+v');
    await messages().getByText('“six” does not fit Amount').waitFor();
    assert.equal(await valueIn('Deal 004', 'Amount'), 4);
  });
});
