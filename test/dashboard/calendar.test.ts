import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import {
  type DashboardStage,
  drawn,
  hearLive,
  pressInTurn,
  settled,
  type Visitor,
} from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/service.ts';

const timezoneId = 'America/New_York';
const zone = process.env.TZ;
const thisMonth = new Intl.DateTimeFormat('en-CA', { timeZone: timezoneId }).format(Date.now()).slice(0, 7);
const on = (date: number) => `${thisMonth}-${String(date).padStart(2, '0')}`;

describe('the calendar of a board', () => {
  let stage: DashboardStage;
  let board: Json;
  let visitor: Visitor;
  let page: Page;
  const ids: { [title: string]: string } = {};
  const idOf = (name: string) => board.fields.find((one: Json) => one.name === name).id;
  const path = () => `/boards/${board.slug}?layout=calendar`;
  const day = (date: number, of = page) => of.locator(`[data-day="${on(date)}"]`);
  const card = (date: number, title: string, of = page) => day(date, of).getByRole('button', { name: title });
  const storedValue = async (title: string, field: string) =>
    (await stage.service.call('GET', `/crm/records/${ids[title]}`)).body.customFields[idOf(field)];
  const add = async (title: string, customFields: object, status = 'lead') => {
    const { body } = await stage.service.call('POST', `/crm/records?kanbanId=${board.id}`, {
      body: { title, status, customFields },
    });
    ids[title] = body.recordId;
  };

  before(async () => {
    // The dashboard runs in this process.
    process.env.TZ = timezoneId;
    stage = await startDashboard();
    const statuses = [
      { value: 'lead', label: 'Lead', color: '#5660d6' },
      { value: 'won', label: 'Won', color: '#23a35a' },
    ];
    const fields = [
      { name: 'Due', type: 'date' },
      { name: 'Call', type: 'datetime' },
    ];
    board = (await stage.service.call('POST', '/kanbans', { body: { name: 'Deals', statuses, fields } }))
      .body;
    // Half past one in the night in UTC is the evening before in New York.
    await add('Ada', { [idOf('Due')]: on(15), [idOf('Call')]: Date.parse(`${on(15)}T01:30:00Z`) });
    await add('Bob', { [idOf('Due')]: on(16) }, 'won');
    for (let i = 1; i <= 12; i++) await add(`Call ${i}`, { [idOf('Due')]: on(10) });
    visitor = await stage.open(stage.service.admin, { path: path() });
    ({ page } = visitor);
    await card(15, 'Ada').waitFor();
  });
  after(async () => {
    await stage.close();
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  });

  it('cards on their days; a click on a day adds a card, more cards open', async () => {
    await day(10).getByText(', 12 cards').waitFor();
    assert.equal(await page.getByRole('columnheader').first().textContent(), 'Mon');
    await day(10)
      .getByRole('button', { name: /more on/ })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Call 12' }).waitFor();
    await page.keyboard.press('Escape');

    // The live change arrives before the response, and does not show the card a second time.
    const hears = hearLive(page);
    await page.reload();
    await card(15, 'Ada').waitFor();
    await hears('"hello"');
    const mayAnswer = Promise.withResolvers<void>();
    await page.route('**/crm/records?**', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      const response = await route.fetch();
      await mayAnswer.promise;
      await route.fulfill({ response });
    });
    await day(20).click({ position: { x: 60, y: 60 } });
    await page.keyboard.type('New deal');
    await page.keyboard.press('Enter');
    await hears('New deal');
    await drawn(page);
    assert.equal(await card(20, 'New deal').count(), 1);
    mayAnswer.resolve();
    await card(20, 'New deal').and(page.locator(':not([data-calendar-card^="new-"])')).waitFor();
    assert.equal(await card(20, 'New deal').count(), 1);
    await page.unrouteAll({ behavior: 'wait' });
    await eventually(async () => {
      const { body } = await stage.service.call('GET', `/crm/records?kanbanId=${board.id}`);
      return body.items.some(
        (one: Json) => one.title === 'New deal' && one.customFields[idOf('Due')] === on(20),
      );
    });

    await stage.service.call('PUT', `/crm/records/${ids.Bob}`, {
      body: { customFields: { [idOf('Due')]: on(17) } },
    });
    await card(17, 'Bob').waitFor();
    assert.deepEqual(visitor.errors(), []);
  });

  it('days of the next month are pressed where they are; a card that is moved into a month is there', async () => {
    const shown = () =>
      page.locator('[data-day]').evaluateAll((all) => all.map((one) => one.getAttribute('data-day')!));
    const cell = (of: string) => page.locator(`[data-day="${of}"]`);
    let days = await shown();
    // A month may have whole weeks only.
    for (; days.every((one) => one.startsWith(days[15]!.slice(0, 7))); days = await shown()) {
      await page.getByRole('button', { name: 'Next' }).click();
    }
    const outside = days.find((one) => !one.startsWith(days[15]!.slice(0, 7)))!;
    await cell(outside).click({ position: { x: 60, y: 60 } });
    await page.keyboard.type('Edge');
    await page.keyboard.press('Enter');
    const edge = (of: string) => cell(of).getByRole('button', { name: 'Edge' });
    await edge(outside).and(page.locator(':not([data-calendar-card^="new-"])')).waitFor();
    assert.deepEqual(await shown(), days);
    await page.keyboard.press('t');

    await add('Late', { [idOf('Due')]: on(28) });
    await card(28, 'Late').waitFor();
    const [read, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route(`**/crm/records/${ids.Late}`, async (route) => {
      await read.promise;
      await route.continue();
    });
    await page.route('**/cards?**', async (route) => {
      const response = await route.fetch();
      read.resolve();
      await release.promise;
      await route.fulfill({ response });
    });
    await card(28, 'Late').focus();
    await page.keyboard.press('Shift+ArrowDown');
    await page
      .getByText(/^Late moved to/)
      .first()
      .waitFor();
    await eventually(async () => (await storedValue('Late', 'Due')) > on(31));
    release.resolve();
    await page.getByRole('gridcell').getByRole('button', { name: 'Late' }).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.keyboard.press('t');
    assert.deepEqual(visitor.errors(), []);
  });

  it('moves that are made while an earlier one is sent are stored until they are answered', async () => {
    await add('Quick', { [idOf('Due')]: on(15) });
    await card(15, 'Quick').waitFor();
    const held = Promise.withResolvers<void>();
    await page.route(`**/crm/records/${ids.Quick}`, async (route) => {
      await held.promise;
      await route.continue();
    });
    const kept = () =>
      page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('talkboard.change.')).length");
    await card(15, 'Quick').focus();
    await page.keyboard.press('Shift+ArrowRight');
    await card(16, 'Quick').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Shift+ArrowRight');
    await card(17, 'Quick').waitFor();
    assert.equal(await kept(), 2);
    held.resolve();
    await eventually(async () => (await kept()) === 0);
    assert.equal(await storedValue('Quick', 'Due'), on(17));
    await card(17, 'Quick').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    assert.deepEqual(visitor.errors(), []);
  });

  it('by keyboard: days, weeks, today, moving a card; times keep their time of day in the reader’s zone', async () => {
    // Anew: what the test before it set going must not take the focus.
    await page.reload();
    await card(15, 'Ada').waitFor();
    const field = page.getByRole('combobox', { name: 'Date field' });
    await field.click();
    await page.getByRole('option', { name: 'Call' }).click();
    await card(14, 'Ada').waitFor();
    // The list gives the focus back when it has closed.
    await field.and(page.locator(':focus')).waitFor();
    await day(13).focus();
    const focusedDay = () => page.evaluate('document.activeElement.dataset.day');
    await page.keyboard.press('ArrowRight');
    await eventually(async () => (await focusedDay()) === on(14));
    await page.keyboard.press('Tab');
    const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label")');
    await eventually(async () => /Ada, Lead$/.test(String(await focused())));
    await page.keyboard.press('Shift+ArrowDown');
    await card(21, 'Ada').waitFor();
    await eventually(async () => (await storedValue('Ada', 'Call')) === aWeekLater(`${on(15)}T01:30:00Z`));
    await eventually(async () => /Ada, Lead$/.test(String(await focused())));
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Another call');
    await page.keyboard.press('Enter');
    await card(21, 'Another call').waitFor();

    await pressInTurn(page, 'v w');
    await eventually(async () => (await page.getByRole('gridcell').count()) === 7);
    await eventually(async () => (await focusedDay()) === on(21));
    await page.keyboard.press('PageDown');
    await eventually(async () => (await day(21).count()) === 0);
    await eventually(async () => String(await focusedDay()) > on(27));
    await page.keyboard.press('t');
    await page.locator('[aria-current="date"]').waitFor();
    // Field and period are kept for this board.
    await page.reload();
    await page.getByRole('combobox', { name: 'Date field' }).getByText('Call').waitFor();
    assert.equal(await page.getByRole('gridcell').count(), 7);
    await pressInTurn(page, 'v m');
    await card(21, 'Ada').waitFor();
    await page.getByRole('textbox', { name: 'Search cards' }).first().fill('Another');
    await card(21, 'Ada').waitFor({ state: 'detached' });
    await card(21, 'Another call').waitFor();
    assert.deepEqual(visitor.errors(), []);
  });

  it('a list by day on a phone and in Portuguese; a board without dates says what to do', async () => {
    const phone = await stage.open(stage.service.admin, {
      path: path(),
      locale: 'pt-BR',
      viewport: { width: 360, height: 740 },
    });
    await card(15, 'Ada', phone.page).waitFor();
    await settled(phone.page);
    assert.equal(await phone.page.getByRole('grid').count(), 0);
    await phone.page.getByRole('button', { name: 'Hoje' }).waitFor();
    await phone.page.setViewportSize({ width: 1280, height: 800 });
    await phone.page.getByRole('grid').waitFor();
    assert.match((await phone.page.getByRole('columnheader').first().textContent()) ?? '', /^dom/i);
    assert.deepEqual(phone.errors(), []);
    await phone.close();

    const plain = (await stage.service.call('POST', '/kanbans', { body: { name: 'Plain' } })).body;
    await page.goto(`${stage.base}/app/boards/${plain.slug}?layout=calendar`);
    await page.getByRole('heading', { name: 'This board has no date field' }).waitFor();
    await page.getByRole('link', { name: 'Add a field' }).click();
    await page.getByRole('button', { name: 'Fields', exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Fields' }).waitFor();
  });
});

/** At the same time of day: where the clocks change, that is another time in UTC. */
function aWeekLater(time: string): number {
  const offset = (at: number) => {
    const text = new Intl.DateTimeFormat('en', { timeZone: timezoneId, timeZoneName: 'shortOffset' }).format(
      at,
    );
    return Number(/GMT([+-]\d+)/.exec(text)![1]) * 3_600_000;
  };
  const [before, after] = [Date.parse(time), Date.parse(time) + 7 * 86_400_000];
  return after + offset(before) - offset(after);
}
