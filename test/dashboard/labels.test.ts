import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { settled, undo, type Visitor } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type InboxStage, startInbox } from '../support/inbox-stage.ts';
import type { Json } from '../support/service.ts';

describe('labels in the dashboard', () => {
  let on: InboxStage;
  let page: Page;
  let operator: Visitor;
  before(async () => {
    on = await startInbox(startDashboard);
    ({ page } = on);
    operator = await on.stage.open(await on.stage.service.createUser('operator'));
  });
  after(() => on.stage.close());

  const call: InboxStage['stage']['service']['call'] = (...args) => on.stage.service.call(...args);
  const labels = async (): Promise<Json[]> => (await call('GET', '/labels')).body.items;
  const namesOn = async (path: string): Promise<string[]> => {
    const [{ body }, all] = [await call('GET', path), await labels()];
    return all.filter(({ id }) => body.labelIds.includes(id)).map(({ name }) => name);
  };
  const combobox = () => page.getByRole('combobox', { name: 'Search or choose labels' });

  it('are made in the settings, and put on conversations by key, many at once, with undo', async () => {
    await page.goto(`${on.stage.base}/app/settings/labels`);
    await page.getByRole('button', { name: 'New label' }).click();
    await page.getByLabel('Name').fill('Refund');
    await page.getByRole('radio', { name: 'Orange' }).check({ force: true });
    await page.getByLabel('Description').fill('Money goes back');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Money goes back').waitFor();
    const [first, second] = [await on.begin('Labelled Lara'), await on.begin('Plain Paul')];
    await operator.page.goto(`${on.stage.base}/app/inbox`);
    await on.open(first!);
    await page.keyboard.press('l');
    await combobox().fill('refu');
    await page.keyboard.press('Enter');
    await eventually(async () => (await namesOn(`/sessions/${first}`)).join() === 'Refund');
    // An administrator creates one in place.
    await combobox().fill('Urgent');
    await page.getByRole('option', { name: 'Create “Urgent”' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await eventually(async () => (await namesOn(`/sessions/${first}`)).join() === 'Refund,Urgent');
    await page.keyboard.press('Escape');
    // The other person's list follows live.
    await operator.page
      .getByRole('link', { name: /Labelled Lara/ })
      .getByText('Urgent')
      .waitFor();

    // The messages of these changes have the words of the next one.
    await page.reload();
    await page.getByRole('link', { name: /Plain Paul/ }).waitFor();
    await page.keyboard.press('Shift+X');
    await page.keyboard.press('l');
    await page.getByRole('heading', { name: 'Label 2 conversations' }).waitFor();
    await page.getByRole('option', { name: 'Refund' }).click();
    await eventually(async () => (await namesOn(`/sessions/${second}`)).join() === 'Refund');
    await page.keyboard.press('Escape');
    await undo(page, 'Labels changed');
    await eventually(async () => (await namesOn(`/sessions/${second}`)).length === 0);
    assert.deepEqual(await namesOn(`/sessions/${first}`), ['Refund', 'Urgent']);
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByLabel('Labels', { exact: true }).click();
    await page.getByRole('option', { name: 'Urgent' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: /Plain Paul/ }).waitFor({ state: 'detached' });
    assert.deepEqual([...on.visitor.errors(), ...operator.errors()], []);
  });

  it('are found by the search of the inbox, by keyboard, and filter the list', async () => {
    const [labelled, plain] = [await on.begin('Shipped Sven'), await on.begin('Waiting Wanda')];
    const { body } = await call('POST', '/labels', { body: { name: 'Delayed parcel', color: 'orange' } });
    await call('PATCH', `/sessions/${labelled}`, { body: { labelIds: [body.id] } });
    await page.goto(`${on.stage.base}/app/inbox`);
    await page.locator(`[data-session="${plain}"]`).first().waitFor();
    const search = page.getByLabel('Search people and messages');
    await search.fill('PARCEL');
    const found = page.getByRole('region', { name: 'Labels', exact: true });
    await found.getByRole('button', { name: 'Delayed parcel' }).waitFor();
    await settled(page);
    await search.press('ArrowDown');
    assert.equal(await found.getByRole('button').evaluate((one) => one.matches(':focus')), true);
    await page.keyboard.press('Enter');
    await page.locator(`[data-session="${plain}"]`).first().waitFor({ state: 'detached' });
    await page.locator(`[data-session="${labelled}"]`).first().waitFor();
    assert.equal(await search.inputValue(), '');
    await search.fill('no such thing anywhere');
    await found.waitFor({ state: 'detached' });
    assert.deepEqual(on.visitor.errors(), []);
  });

  it('are not shown as put on if another page has taken the change over', async () => {
    const id = await on.begin('Elsewhere Elsa');
    await call('POST', '/labels', { body: { name: 'Fragile', color: 'orange' } });
    await on.open(id);
    await page.keyboard.press('l');
    const option = (chosen: boolean) => page.getByRole('option', { name: 'Fragile', selected: chosen });
    await option(false).waitFor();
    const sent: Route[] = [];
    await page.route('**/sessions/bulk', async (route) => void sent.push(route));
    await option(false).click();
    await option(true).waitFor();
    await eventually(() => sent.length === 1);
    // The browser keeps the page and cuts off its requests; the other page has yet to send the change.
    await page.evaluate(`
      dispatchEvent(new Event('pagehide'));
      for (const key of Object.keys(localStorage).filter((one) => one.startsWith('talkboard.change.')))
        localStorage.setItem(key, JSON.stringify({ ...JSON.parse(localStorage.getItem(key)), page: 'another' }));
    `);
    await sent[0]!.abort();
    await page.evaluate("dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }))");
    await option(false).waitFor();
    assert.equal(sent.length, 1);
    await page.unrouteAll({ behavior: 'wait' });
    on.visitor.errors(/Failed to load resource/);
  });

  it('are not created by a sentence that was meant for another field', async () => {
    const id = await on.begin('Stray Stina');
    const before = (await labels()).length;
    await on.open(id);
    await page.getByRole('log').focus();
    await page.keyboard.press('l');
    await combobox().waitFor();
    await page.keyboard.type('et me look into it\n');
    await page.keyboard.type('and then I will write again\n');
    await page.keyboard.press('Escape');
    await settled(page);
    assert.equal((await labels()).length, before);
    assert.deepEqual(await namesOn(`/sessions/${id}`), []);
  });

  it('are put on cards, shown on the board, filtered, and leave with their label', async () => {
    const [board] = (await call('GET', '/kanbans')).body.items;
    const made = await call('POST', '/crm/records', { body: { title: 'Card with labels' } });
    const path = `/crm/records/${made.body.recordId}`;
    await page.goto(`${on.stage.base}/app/boards/${board.slug}/records/${made.body.recordId}`);
    await page.getByRole('button', { name: 'Change labels' }).click();
    await combobox().fill('urg');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await eventually(async () => (await namesOn(path)).join() === 'Urgent');
    // In the history, not in the field above it.
    await page
      .getByRole('listitem')
      .filter({ hasText: /set Labels to.*Urgent/ })
      .waitFor();
    await page.keyboard.press('Escape');
    const card = page.locator(`[data-card="${made.body.recordId}"]`);
    await card.getByText('Urgent').waitFor();
    const urgent = (await labels()).find(({ name }) => name === 'Urgent')!;
    const filter = JSON.stringify({ and: [{ field: 'labelIds', op: 'noneOf', value: [urgent.id] }] });
    await page.goto(`${on.stage.base}/app/boards/${board.slug}?filter=${encodeURIComponent(filter)}`);
    await page.getByRole('button', { name: /Labels.*Urgent/ }).waitFor();
    await card.waitFor({ state: 'detached' });

    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(`${on.stage.base}/app/settings/labels`);
    await page.getByRole('button', { name: 'Urgent' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('It is removed from 1 conversation and 1 card.').waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The label Urgent was deleted').waitFor();
    await eventually(async () => (await call('GET', path)).body.labelIds.length === 0);
    assert.deepEqual(on.visitor.errors(), []);
  });
});
