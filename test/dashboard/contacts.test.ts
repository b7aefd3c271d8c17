import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { conversationsOf } from '../support/conversations.ts';
import type { DashboardStage } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/service.ts';

describe('contacts', () => {
  let stage: DashboardStage;
  before(async () => {
    stage = await startDashboard();
    const talks = conversationsOf(stage.service);
    for (const [sessionId, externalUserId, sessionName] of [
      ['ada', '+442079460001', 'Ada Lovelace'],
      ['ada-2', 'ada@example.com', 'The Countess'],
      ['grace', '+442079460002', 'Grace Hopper'],
    ]) {
      await talks.expect(
        200,
        talks.send({ sessionId, externalUserId, sessionName, content: 'Hello', isEcho: true }),
      );
    }
  });
  after(() => stage.close());

  const open = (path: string, options = {}) => stage.open(stage.service.admin, { path, ...options });
  const contacts = async (q = ''): Promise<Json[]> =>
    (await stage.service.call('GET', `/contacts?q=${encodeURIComponent(q)}`)).body.items;
  const row = (page: Page, name: string) => page.getByRole('link', { name: new RegExp(name) });
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click();

  it('are found by a part of the number, and opened by keyboard', async () => {
    const { page, errors, close } = await open('/inbox');
    await row(page, 'Grace Hopper').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor();
    await row(page, 'Grace Hopper').waitFor();
    assert.equal(await page.locator('[data-contact]').count(), 3);
    await page.keyboard.press('/');
    await page.keyboard.type('9460002');
    await row(page, 'Ada Lovelace').waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Grace Hopper' }).waitFor();
    await page.goBack();
    await page.getByLabel('Search contacts').fill('nobody at all');
    await page.getByText('Nobody found for').waitFor();
    assert.deepEqual(errors(), []);
    await close();
  });

  it('keep a new name whose request was lost with the page', async () => {
    const [{ id, name }] = (await contacts('Grace')) as [Json];
    const { page, errors, close } = await open(`/contacts/${id}`);
    const keys: (string | undefined)[] = [];
    await page.route(`**/contacts/${id}`, async (route) => {
      if (route.request().method() === 'PATCH') keys.push(route.request().headers()['idempotency-key']);
      if (route.request().method() !== 'PATCH' || keys.length > 1) await route.continue();
    });
    await page.getByLabel('Name', { exact: true }).fill('Amazing Hopper');
    await page.keyboard.press('Enter');
    await eventually(() => keys.length === 1);
    await page.reload();
    await eventually(async () => (await contacts('Amazing Hopper')).length === 1);
    assert.ok(keys[0]);
    assert.equal(keys[1], keys[0]);
    const body = { name };
    await stage.service.call('PATCH', `/contacts/${id}`, { body });
    assert.deepEqual(errors(), []);
    await close();
  });

  it('are renamed, and get an identifier unless another contact has it', async () => {
    const [{ id }] = (await contacts('Grace')) as [Json];
    const { page, errors, close } = await open(`/contacts/${id}`);
    await page.getByLabel('Name', { exact: true }).fill('Rear Admiral Hopper');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Rear Admiral Hopper' }).waitFor();
    await eventually(async () => (await contacts('Rear Admiral')).length === 1);
    await press(page, 'Add identifier');
    await page.getByLabel('Phone number, e-mail address or ID').fill('+44 20 7946 0001');
    await page.keyboard.press('Enter');
    await page.getByText('Another contact has this identifier.').waitFor();
    const [ada] = await contacts('Ada Lovelace');
    const link = page.getByRole('link', { name: 'Open the other contact' });
    assert.equal(await link.getAttribute('href'), `/app/contacts/${ada.id}`);
    await page.getByLabel('Phone number, e-mail address or ID').fill('+44 20 7946 0003');
    await page.keyboard.press('Enter');
    const added = page.getByRole('list', { name: 'Identifiers' }).getByText('+44 207 946 0003');
    await added.waitFor();
    await press(page, 'Remove +44 207 946 0003');
    await added.waitFor({ state: 'detached' });
    await press(page, 'Undo');
    await added.waitFor();
    assert.deepEqual(errors(/409/), []);
    await close();
  });

  it('are merged after a confirmation, which can be undone, and the pane of the inbox shows it', async () => {
    const [{ id }] = (await contacts('Ada Lovelace')) as [Json];
    const { page, errors, close } = await open(`/contacts/${id}`);
    await press(page, 'Merge');
    await page.getByRole('combobox', { name: 'Search contacts' }).fill('ada@example');
    await page.getByRole('option', { name: /The Countess/ }).waitFor();
    await eventually(async () => (await page.getByRole('option').count()) === 1);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Merge' }).click();
    const conversations = page.getByRole('list', { name: 'Conversations' }).getByRole('listitem');
    await eventually(async () => (await conversations.count()) === 2);
    await conversations.filter({ hasText: 'The Countess' }).getByRole('link').click();
    const pane = page.getByRole('complementary', { name: 'Customer' });
    await pane.getByRole('link', { name: 'Open the contact Ada Lovelace' }).waitFor();
    await pane.getByRole('link', { name: /^Ada Lovelace/ }).waitFor();
    await pane.getByRole('link', { name: 'Open the contact Ada Lovelace' }).click();
    const merges = page.getByRole('list', { name: 'Merged contacts' }).getByRole('listitem');
    await merges
      .filter({ hasText: 'The Countess' })
      .getByText(/ada@example\.com/)
      .waitFor();
    await press(page, 'Undo merge');
    await page.getByText('The contacts are separate again').waitFor();
    await merges.first().waitFor({ state: 'detached' });
    await page.goBack();
    await pane.getByRole('link', { name: 'Open the contact The Countess' }).waitFor();
    assert.equal((await contacts('Countess')).length, 1);
    assert.deepEqual(errors(), []);
    await close();
  });

  it('are blocked with all of their identifiers, and found by the palette', async () => {
    const { page, errors, close } = await open('/contacts');
    await row(page, 'Ada Lovelace').waitFor();
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox', { name: 'Search and commands' }).fill('@rear adm');
    await page.getByRole('group', { name: 'Contacts' }).getByRole('option').first().click();
    await page.getByRole('heading', { name: 'Rear Admiral Hopper' }).waitFor();
    await press(page, 'Block');
    await page.getByRole('dialog').getByRole('button', { name: 'Block' }).click();
    await page.getByText('This contact is blocked.').waitFor();
    await eventually(async () => (await contacts('Rear'))[0].blocked);
    await press(page, 'Unblock');
    await page.getByText('This contact is blocked.').waitFor({ state: 'detached' });
    await eventually(async () => !(await contacts('Rear'))[0].blocked);
    assert.deepEqual(errors(), []);
    await close();
  });
});
