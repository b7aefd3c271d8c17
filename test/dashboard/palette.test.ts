import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { settled } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';
import type { Json } from '../support/service.ts';

describe('the command palette', () => {
  let on: InboxStage;
  let page: Page;
  let call: InboxStage['stage']['service']['call'];
  let board: Json;

  before(async () => {
    on = await startInbox(startDashboard);
    ({ page } = on);
    ({ call } = on.stage.service);
    [board] = (await call('GET', '/kanbans')).body.items;
    const field = (
      await call('POST', '/crm/fields', { body: { name: 'City', type: 'text', kanbanId: board.id } })
    ).body;
    const customFields = { [field.fieldId]: 'Thessaloniki' };
    await call('POST', '/crm/records', { body: { title: 'Nikos Pappas', customFields } });
    await call('POST', '/crm/records', { body: { title: 'Harbour Roastery' } });
  });
  after(() => on.stage.close());

  const field = () => page.getByRole('combobox', { name: 'Search and commands' });
  const options = () => page.getByRole('option');
  const group = (name: string) => page.getByRole('group', { name, exact: true });
  const chosen = () => page.getByRole('option', { selected: true });
  const open = async () => {
    await page.keyboard.press('ControlOrMeta+k');
    await field().waitFor();
  };
  const toBoard = async () => {
    await page.goto(`${on.stage.base}/app/boards/${board.slug}`);
    await page.getByRole('heading', { level: 1, name: board.name }).waitFor();
  };
  const noErrors = () => assert.deepEqual(on.visitor.errors(), []);

  it('finds a record in spite of typos, by the keyboard alone, and marks what matched', async () => {
    await toBoard();
    await open();
    await page.keyboard.type('harbuor rostery');
    const row = group('Cards').getByRole('option', { name: /Harbour Roastery/ });
    await row.waitFor();
    assert.deepEqual(await row.locator('mark').allTextContents(), ['Harbour', 'Roastery']);
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Harbour Roastery' }).waitFor();
    await page.keyboard.press('Escape');
    noErrors();
  });

  it('says which field matched where it is not the title', async () => {
    await toBoard();
    await open();
    await page.keyboard.type('thessalon');
    const row = group('Cards').getByRole('option', { name: /Nikos Pappas/ });
    await row.getByText('City: Thessaloniki').waitFor();
    assert.deepEqual(await row.locator('mark').allTextContents(), ['Thessalon']);
    await page.keyboard.press('Escape');
  });

  it('finds conversations by name and number and what was said; @ asks for them alone', async () => {
    const id = await on.begin('Beatriz Lemos', { content: 'The parcel smells of vanilla' });
    await toBoard();
    await open();
    await field().fill('vanilla');
    const row = group('Conversations').getByRole('option', { name: /Beatriz Lemos/ });
    await group('Messages').getByText('Beatriz Lemos: The parcel smells of vanilla').waitFor();
    await field().fill('@beatrix');
    await row.waitFor();
    assert.equal(await group('Cards').count(), 0);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/app/inbox/${id}`);
    noErrors();
  });

  it('boards, settings and actions forgive typos too; > and # narrow', async () => {
    await toBoard();
    await open();
    await field().fill('webhoks');
    assert.match((await chosen().textContent())!, /Webhooks/);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/app/settings/webhooks');
    await open();
    await field().fill('#sal');
    assert.deepEqual(await options().allTextContents(), [board.name]);
    await field().fill('>drak');
    assert.match((await chosen().textContent())!, /Theme: Dark/);
    await page.keyboard.press('Enter');
    await eventually(async () => (await page.evaluate('document.documentElement.dataset.theme')) === 'dark');
    await page.evaluate("localStorage.removeItem('talkboard.theme')");
    noErrors();
  });

  it('does what the open page can do: takes a conversation over and hands it back', async () => {
    const id = await on.begin('Takeover Tina');
    await on.open(id);
    await open();
    await field().fill('take over');
    await group('On this page')
      .getByRole('option', { name: /Take over/ })
      .waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Hand back' }).waitFor();
    await page.getByRole('log').getByText('You took over').waitFor();
    await open();
    await field().fill('hand back');
    await page.keyboard.press('Enter');
    await page.getByRole('log').getByText('You handed back to the AI').waitFor();
    assert.equal((await call('GET', `/sessions/${id}`)).body.aiPaused, false);
    noErrors();
  });

  it('a new record from anywhere: the board opens with the field to write in', async () => {
    await page.goto(`${on.stage.base}/app/inbox`);
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await open();
    await field().fill('new record');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: board.name }).waitFor();
    await page.locator('main').getByRole('textbox').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Made from afar');
    await page.keyboard.press('Enter');
    await page.getByText('Made from afar').waitFor();
    noErrors();
  });

  it('offers what was opened last, each person their own', async () => {
    const id = await on.begin('Recent Rita');
    await on.open(id);
    await toBoard();
    await open();
    await group('Recent').getByRole('option', { name: 'Recent Rita' }).waitFor();
    const first = await chosen().textContent();
    assert.equal(first, 'Recent Rita');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/app/inbox/${id}`);
    const other = await on.stage.service.createUser('operator');
    const visitor = await on.stage.open(other);
    await visitor.page.getByRole('heading', { level: 1, name: board.name }).waitFor();
    await visitor.page.keyboard.press('ControlOrMeta+k');
    await visitor.page.getByRole('combobox', { name: 'Search and commands' }).waitFor();
    assert.equal(await visitor.page.getByRole('option', { name: 'Recent Rita' }).count(), 0);
    await visitor.page.getByRole('combobox').fill('webhooks');
    await visitor.page.getByText('Nothing found for').waitFor();
    await visitor.close();
  });

  it('what is gone leaves the recent items: while they are shown, and when it is opened', async () => {
    const make = async (title: string) => (await call('POST', '/crm/records', { body: { title } })).body;
    const [first, second] = [await make('Gone Greta'), await make('Gone Gunnar')];
    const see = async ({ recordId, title }: Json) => {
      await page.goto(`${on.stage.base}/app/boards/${board.slug}/records/${recordId}`);
      await page.getByRole('complementary', { name: title }).waitFor();
    };
    await see(first);
    await see(second);
    await toBoard();
    await page.route(`**/crm/records/${second.recordId}`, (route) => route.abort());
    for (const { recordId } of [first, second]) await call('DELETE', `/crm/records/${recordId}`);
    await open();
    const recent = (name: string) => group('Recent').getByRole('option', { name });
    await recent('Gone Gunnar').waitFor();
    await recent('Gone Greta').waitFor({ state: 'detached' });
    // That an answer did not come says nothing about what was asked for.
    assert.equal(await recent('Gone Gunnar').count(), 1);
    await page.unroute(`**/crm/records/${second.recordId}`);
    await recent('Gone Gunnar').click();
    await page.getByText('Not found', { exact: true }).first().waitFor();
    await eventually(async () => {
      const kept = await page.evaluate(() => JSON.stringify(localStorage));
      return !kept.includes('Gone Gunnar') && !kept.includes('Gone Greta');
    });
    assert.deepEqual(on.visitor.errors(/404|ERR_FAILED|Failed to load/), []);
  });

  it('an answer that comes late never stands under a newer question', async () => {
    await toBoard();
    await open();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/crm/search?q=harbour*', async (route) => {
      await held;
      await route.continue().catch(() => {});
    });
    const asked = page.waitForRequest('**/crm/search?q=harbour*');
    await field().fill('harbour');
    await asked;
    await field().fill('nikos');
    await group('Cards')
      .getByRole('option', { name: /Nikos Pappas/ })
      .waitFor();
    release();
    await settled(page);
    assert.equal(await group('Cards').getByRole('option').count(), 1);
    assert.match((await group('Cards').getByRole('option').textContent())!, /Nikos Pappas/);
    await page.unroute('**/crm/search?q=harbour*');
    await page.keyboard.press('Escape');
  });

  it('arrows go round, the field names the chosen option, and closing gives the focus back', async () => {
    await toBoard();
    const search = page.getByRole('button', { name: /^Search/ });
    await search.focus();
    await page.keyboard.press('Enter');
    await field().waitFor();
    const ids = await options().evaluateAll((all) => all.map((one) => (one as { id: string }).id));
    const active = () => field().getAttribute('aria-activedescendant');
    assert.equal(await active(), ids[0]);
    await page.keyboard.press('ArrowUp');
    assert.equal(await active(), ids.at(-1));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    assert.equal(await active(), ids[1]);
    await field().fill('harbour');
    await group('Cards').getByRole('option').waitFor();
    await page.keyboard.press('ControlOrMeta+k');
    await field().waitFor({ state: 'detached' });
    await eventually(() => search.evaluate((one) => one.matches(':focus')));
    noErrors();
  });
});
