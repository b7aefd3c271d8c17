import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Locator, Page, Route } from 'playwright-core';
import { type DashboardStage, drawn, go, hearLive, settled, type Visitor } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/service.ts';

let made = 0;

describe('the board', () => {
  let stage: DashboardStage;
  let call: DashboardStage['service']['call'];
  let board: Json;
  let amount: string;
  let city: string;
  let visitor: Visitor;
  let page: Page;

  before(async () => {
    stage = await startDashboard();
    ({ call } = stage.service);
    visitor = await stage.open(stage.service.admin);
    ({ page } = visitor);
  });
  after(() => stage.close());

  beforeEach(async () => {
    const name = `Deals ${++made}`;
    const { body } = await call('POST', '/kanbans', {
      body: {
        name,
        statuses: [
          { value: 'lead', label: 'Lead', color: '#5660d6' },
          { value: 'offer', label: 'Offer', color: '#d9a514' },
          { value: 'won', label: 'Won', color: '#23a35a' },
        ],
        fields: [
          { name: 'Amount', type: 'currency' },
          { name: 'City', type: 'select', options: ['Oslo', 'Lima'] },
          { name: 'Due', type: 'date' },
          { name: 'Notes', type: 'textarea' },
        ],
      },
    });
    board = body;
    amount = board.fields.find((one: Json) => one.name === 'Amount').id;
    city = board.fields.find((one: Json) => one.name === 'City').id;
  });

  const add = async (title: string, body: object = {}): Promise<Json> =>
    (await call('POST', `/crm/records?kanbanId=${board.id}`, { body: { title, ...body } })).body;
  const open = async (path = '', who = page) => {
    await who.goto(`${stage.base}/app/boards/${board.slug}${path}`);
    await who.getByRole('heading', { level: 1, name: board.name }).waitFor();
  };
  const column = (label: string, who: Page = page) =>
    who.getByRole('region', { name: new RegExp(`^${label},`) });
  const card = (title: string, where: Page | Locator = page) =>
    where.getByRole('group', { name: new RegExp(`^${title}`) });
  /** By keyboard, this many columns to the right. */
  const carry = async (title: string, columns: number, who = page) => {
    await card(title, who).focus();
    for (const key of ['Space', ...Array(columns).fill('ArrowRight'), 'Space']) await who.keyboard.press(key);
  };
  const statusOf = async (record: Json) => (await call('GET', `/crm/records/${record.recordId}`)).body.status;
  const message = (text: string | RegExp, who = page) =>
    who.getByRole('region', { name: 'Messages' }).getByText(text);

  it('columns tell how many cards they have and what they are worth', async () => {
    await add('Ada', { customFields: { [amount]: 1200, [city]: 'Oslo' } });
    await add('Bob', { customFields: { [amount]: 300 } });
    await add('Cid', { status: 'won' });
    await open();
    await page.getByRole('region', { name: 'Lead, 2 cards' }).waitFor();
    await page.getByRole('region', { name: 'Won, 1 card' }).waitFor();
    await column('Lead').getByText('1.5K').waitFor();
    await card('Ada').getByText('Oslo').waitFor();
    assert.deepEqual(visitor.errors(), []);
  });

  it('shows what has changed while another view was open', async () => {
    const ada = await add('Ada');
    const hears = hearLive(page);
    await open();
    await card('Ada').waitFor();
    await hears('"hello"');
    await go(page, '/inbox');
    await call('PUT', `/crm/records/${ada.recordId}`, { body: { title: 'Ada Lovelace' } });
    await hears('Ada Lovelace');
    await go(page, `/boards/${board.slug}`);
    await card('Ada Lovelace').waitFor();
  });

  it('a move that does not reach the service is put back and said, and Retry does it', async () => {
    const ada = await add('Ada');
    await open();
    await card('Ada').waitFor();
    await settled(page);
    await visitor.context.setOffline(true);
    await carry('Ada', 1);
    await message('could not be moved').waitFor();
    await card('Ada', column('Lead')).waitFor();
    assert.equal(await statusOf(ada), 'lead');
    await visitor.context.setOffline(false);
    await page.getByRole('button', { name: 'Retry' }).click();
    await card('Ada', column('Offer')).waitFor();
    await eventually(async () => (await statusOf(ada)) === 'offer');
    visitor.errors();
  });

  it('by keyboard a card is picked up, carried and put down, and each step is said', async () => {
    const ada = await add('Ada');
    await add('Bob');
    await open();
    await card('Bob').focus();
    await page.keyboard.press('ArrowDown');
    // The focus follows a frame later.
    await card('Ada').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Space');
    const said = (text: RegExp) =>
      page.locator('[role="alert"], [role="status"], [aria-live]').getByText(text).first();
    await said(/Ada is picked up from Lead/).waitFor({ state: 'attached' });
    await page.keyboard.press('ArrowRight');
    await said(/Over Offer, column 2 of 3/).waitFor({ state: 'attached' });
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Space');
    await said(/Ada was moved to Won/).waitFor({ state: 'attached' });
    await card('Ada', column('Won')).waitFor();
    await eventually(async () => (await statusOf(ada)) === 'won');
    await eventually(
      async () => (await page.evaluate('document.activeElement.dataset.card')) === ada.recordId,
    );
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Escape');
    await said(/Ada stays where it was/).waitFor({ state: 'attached' });
    assert.equal(await statusOf(ada), 'won');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Ada' }).waitFor();
  });

  it('cards are added one after the other without leaving the keyboard', async () => {
    await open();
    await page.keyboard.press('c');
    // What is typed before the field is there goes to the board's own keys.
    await page.locator('input:focus, textarea:focus').waitFor();
    // The first is slow, and the second does not overtake it.
    const areTyped = Promise.withResolvers<void>();
    const hold = async (route: Route) => {
      await areTyped.promise;
      await route.fallback();
    };
    await page.route('**/crm/records?*', hold, { times: 1 });
    await page.keyboard.type('First');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Second');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await card('Second').waitFor();
    await drawn(page);
    areTyped.resolve();
    await page.getByRole('region', { name: 'Lead, 2 cards' }).waitFor();
    const { body } = await call('GET', `/crm/records?kanbanId=${board.id}`);
    assert.deepEqual(
      body.items.map((one: Json) => one.title),
      ['Second', 'First'],
    );
  });

  it('filters narrow the board, and a view keeps them for everyone', async () => {
    const mate = await stage.service.createUser('operator');
    await add('Ada', { customFields: { [city]: 'Oslo' }, assignedUserIds: [mate.id] });
    await add('Bob', { customFields: { [city]: 'Lima' } });
    await open();
    await page.getByRole('textbox', { name: 'Search cards' }).fill('bbo');
    await page.getByRole('region', { name: 'Lead, 1 card' }).waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('region', { name: 'Lead, 2 cards' }).waitFor();
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('combobox', { name: 'Field' }).click();
    await page.getByRole('option', { name: 'City' }).click();
    await page.getByRole('combobox', { name: 'Value' }).click();
    await page.getByRole('option', { name: 'Oslo' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Lead, 1 card' }).waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save as a view' }).click();
    await page.getByLabel('Name').fill('Oslo only');
    await page.getByLabel('Share with everyone').click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Views' }).getByText('Oslo only').waitFor();

    const other = await stage.open(mate, { path: `/boards/${board.slug}` });
    await other.page.getByRole('region', { name: 'Lead, 2 cards' }).waitFor();
    await other.page.getByRole('button', { name: 'Views' }).click();
    await other.page.getByRole('menuitemcheckbox', { name: 'Oslo only' }).click();
    await other.page.getByRole('region', { name: 'Lead, 1 card' }).waitFor();
    await card('Ada', other.page).waitFor();
    assert.deepEqual(other.errors(), []);
    await other.close();
  });

  it('several cards are selected and changed at once, and undone at once', async () => {
    for (const title of ['Ada', 'Bob', 'Cid']) await add(title);
    await open();
    await card('Cid').click({ modifiers: ['ControlOrMeta'] });
    await card('Ada').click({ modifiers: ['Shift'] });
    const bar = page.getByRole('toolbar', { name: '3 selected' });
    await bar.getByRole('button', { name: 'Edit a field' }).click();
    await page.getByRole('dialog').getByRole('combobox', { name: 'Field' }).click();
    await page.getByRole('option', { name: 'Amount' }).click();
    await page.getByRole('dialog').getByLabel('Amount').fill('1.250,50');
    await page.getByRole('button', { name: 'Apply' }).click();
    const values = async () => {
      const { body } = await call('GET', `/crm/records?kanbanId=${board.id}`);
      return body.items.map((one: Json) => one.customFields[amount]);
    };
    await eventually(async () => JSON.stringify(await values()) === '[1250.5,1250.5,1250.5]');
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(async () => JSON.stringify(await values()) === '[null,null,null]');
    await card('Bob').click({ modifiers: ['ControlOrMeta'] });
    await card('Ada').click({ modifiers: ['ControlOrMeta'] });
    await page.getByRole('button', { name: 'Move to' }).click();
    await page.getByRole('menuitem', { name: 'Won' }).click();
    await page.getByRole('region', { name: 'Won, 2 cards' }).waitFor();
    assert.deepEqual(visitor.errors(), []);
  });

  it('a deleted card can be brought back for a moment', async () => {
    const ada = await add('Ada');
    await open(`/records/${ada.recordId}`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('region', { name: 'Lead, 0 cards' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await card('Ada', column('Lead')).waitFor();
    assert.equal(await statusOf(ada), 'lead');
  });

  it('closing the page sends every deletion that could still be undone, at once and once', async () => {
    for (const title of ['Ada', 'Bob']) await add(title);
    await open();
    await card('Bob').click({ modifiers: ['ControlOrMeta'] });
    await card('Ada').click({ modifiers: ['ControlOrMeta'] });
    await page.getByRole('toolbar', { name: '2 selected' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('region', { name: 'Lead, 0 cards' }).waitFor();
    const sent: string[] = [];
    const answers = Promise.withResolvers<void>();
    await page.route('**/crm/records/*', async (route) => {
      sent.push(route.request().method());
      await answers.promise;
      await route.continue();
    });
    const leave = () => page.evaluate('dispatchEvent(new Event("pagehide")) && undefined');
    await leave();
    await leave();
    await eventually(() => sent.length === 2).finally(answers.resolve);
    await eventually(async () => {
      const { body } = await call('GET', `/crm/records?kanbanId=${board.id}`);
      return body.items.length === 0;
    });
    assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0);
    assert.deepEqual(sent, ['DELETE', 'DELETE']);
    await page.unroute('**/crm/records/*');
    assert.deepEqual(visitor.errors(), []);
  });

  it('what one operator does another sees within a second, and the earlier of two edits is told', async () => {
    const mate = await stage.service.createUser('operator');
    const ada = await add('Ada', { customFields: { [amount]: 1 } });
    await open(`/records/${ada.recordId}`);
    const other = await stage.open(mate, { path: `/boards/${board.slug}/records/${ada.recordId}` });
    const theirs = other.page;
    await card('Ada', theirs).waitFor();
    await settled(theirs);
    await settled(page);

    const mine = page.getByRole('textbox', { name: 'Amount' });
    await mine.fill('10');
    await mine.press('Enter');
    const seen = await eventually(
      async () => (await theirs.getByRole('textbox', { name: 'Amount' }).inputValue()) === '10.00',
      3_000,
    );
    assert.ok(seen < 1_000, `${seen} ms`);
    await theirs.getByRole('textbox', { name: 'Amount' }).fill('20');
    await theirs.getByRole('textbox', { name: 'Amount' }).press('Enter');
    await message(/changed Amount after you/).waitFor();
    await eventually(async () => (await mine.inputValue()) === '20.00');
    await carry('Ada', 1, theirs);
    await card('Ada', column('Offer')).waitFor();
    assert.deepEqual([visitor.errors(), other.errors()], [[], []]);
    await other.close();
  });
});
