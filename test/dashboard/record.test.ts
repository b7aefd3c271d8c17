import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import { type DashboardStage, settled, type Visitor } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/service.ts';

describe('the record panel and the settings of a board', () => {
  let stage: DashboardStage;
  let call: DashboardStage['service']['call'];
  let visitor: Visitor;
  let page: Page;
  let board: Json;

  before(async () => {
    stage = await startDashboard();
    ({ call } = stage.service);
    visitor = await stage.open(stage.service.admin);
    ({ page } = visitor);
    const { body } = await call('POST', '/kanbans', {
      body: {
        name: 'Clients',
        statuses: [
          { value: 'new', label: 'New', color: '#5660d6' },
          { value: 'old', label: 'Old', color: '#8b8f9a' },
        ],
        fields: [
          { name: 'Company', type: 'text' },
          { name: 'Amount', type: 'currency' },
          { name: 'City', type: 'select', options: ['Oslo', 'Lima'] },
          { name: 'Tags', type: 'multiselect', options: ['a', 'b', 'c'] },
          { name: 'Due', type: 'date' },
          { name: 'VIP', type: 'boolean' },
          { name: 'Notes', type: 'textarea' },
          { name: 'Website', type: 'url' },
        ],
      },
    });
    board = body;
  });
  after(() => stage.close());

  const idOf = (name: string) => board.fields.find((one: Json) => one.name === name).id;
  const create = async (title: string) =>
    (await call('POST', `/crm/records?kanbanId=${board.id}`, { body: { title } })).body;
  const open = async (recordId: string) => {
    await page.goto(`${stage.base}/app/boards/clients/records/${recordId}`);
    const panel = page.getByRole('complementary');
    await panel.getByLabel('Company').waitFor();
    return panel;
  };
  const stored = async (recordId: string) => (await call('GET', `/crm/records/${recordId}`)).body;

  it('a value typed while the card is still being read is shown at once, and stays', async () => {
    const record = await create('Early Eva');
    await page.goto(`${stage.base}/app/boards/clients`);
    const read = Promise.withResolvers<void>();
    const path = `**/crm/records/${record.recordId}`;
    await page.route(path, async (route) => {
      if (route.request().method() === 'GET') await read.promise;
      await route.continue();
    });
    await page.getByRole('group', { name: /^Early Eva/ }).click();
    const company = page.getByRole('complementary').getByRole('textbox', { name: 'Company' });
    try {
      await company.fill('Typed early');
      await company.press('Enter');
      await eventually(async () => (await stored(record.recordId)).customFields[idOf('Company')]);
      assert.equal(await company.inputValue(), 'Typed early');
    } finally {
      read.resolve();
    }
    await page.unroute(path);
    await settled(page);
    assert.equal(await company.inputValue(), 'Typed early');
    assert.deepEqual(visitor.errors(), []);
  });

  it('an address that a visitor typed is marked, until somebody changes it', async () => {
    const channels: { id: string; type: string }[] = (await call('GET', '/channels')).body.items;
    const channel = channels.find(({ type }) => type === 'web')!.id;
    const started = await call('POST', '/widget/sessions', { token: null, body: { channel } });
    const details = { token: started.body.token, body: { name: 'Vera', email: 'vera@example.com' } };
    const { token } = (await call('POST', '/widget/details', details)).body;
    await call('POST', '/widget/messages', { token, body: { clientId: 'vera-client-1', content: 'Hi' } });
    const [session] = (await call('GET', '/sessions?limit=1')).body.items;
    await page.goto(`${stage.base}/app/inbox/${session.sessionId}`);
    const pane = page.getByRole('complementary', { name: 'Customer' });
    const email = pane.getByRole('textbox', { name: 'E-mail' });
    await pane.getByText('Not verified').waitFor();
    assert.equal(await email.inputValue(), 'vera@example.com');
    await email.fill('vera@example.org');
    await email.press('Enter');
    await pane.getByText('Not verified').waitFor({ state: 'detached' });
    assert.deepEqual(visitor.errors(), []);
  });

  it('every type of field is edited where it stands', async () => {
    const record = await create('Ada');
    const panel = await open(record.recordId);
    await panel.getByRole('textbox', { name: 'Company' }).fill('Analytical Engines');
    await panel.getByRole('textbox', { name: 'Amount' }).fill('1,234.5');
    await panel.getByRole('textbox', { name: 'Notes' }).fill('Two\nlines');
    await panel.getByRole('textbox', { name: 'Website' }).fill('https://ada.example');
    await panel.getByRole('textbox', { name: 'Due' }).click();
    await panel.getByLabel('Due').fill('2027-02-03');
    await panel.getByRole('button', { name: /^City/ }).click();
    await page.getByRole('option', { name: 'Lima' }).click();
    await panel.getByRole('button', { name: /^Tags/ }).click();
    await page.getByRole('option', { name: 'a', exact: true }).click();
    await page.getByRole('option', { name: 'c', exact: true }).click();
    await page.keyboard.press('Escape');
    await panel.getByRole('combobox', { name: 'VIP' }).click();
    await page.getByRole('option', { name: 'Yes' }).click();
    await panel.getByRole('textbox', { name: 'Title' }).fill('Ada Lovelace');
    await page.keyboard.press('Enter');
    const expected = {
      [idOf('Company')]: 'Analytical Engines',
      [idOf('Amount')]: 1234.5,
      [idOf('City')]: 'Lima',
      [idOf('Tags')]: ['a', 'c'],
      [idOf('Due')]: '2027-02-03',
      [idOf('VIP')]: true,
      [idOf('Notes')]: 'Two\nlines',
      [idOf('Website')]: 'https://ada.example',
    };
    // Each field is sent on its own, and the title may arrive before the others.
    await eventually(async () => {
      const { title, customFields } = await stored(record.recordId);
      return title === 'Ada Lovelace' && isDeepStrictEqual(customFields, expected);
    });
    await panel.getByText('changed Title').waitFor();
    assert.deepEqual(visitor.errors(), []);
  });

  it('does not close a menu that was opened while it loaded', async () => {
    const record = await create('Cid');
    const { promise: mayLoad, resolve: load } = Promise.withResolvers<void>();
    await page.route('**/crm/**', (route) => mayLoad.then(() => route.continue()));
    await page.goto(`${stage.base}/app/boards/clients/records/${record.recordId}`);
    await page.getByRole('complementary').waitFor();
    await page.getByRole('button', { name: 'Account and theme' }).click();
    const item = page.getByRole('menuitem', { name: 'Sign out' });
    await item.waitFor();
    load();
    await page.getByRole('complementary').getByLabel('Company').waitFor();
    await settled(page);
    assert.ok(await item.isVisible());
    await page.unroute('**/crm/**');
    await page.keyboard.press('Escape');
    await item.waitFor({ state: 'detached' });
  });

  it('a value that the service refuses is taken back and said; Escape takes back what was typed', async () => {
    const record = await create('Bob');
    const panel = await open(record.recordId);
    const website = panel.getByRole('textbox', { name: 'Website' });
    await website.fill('not a link');
    await website.press('Enter');
    await page.getByText('The change was rejected').waitFor();
    await eventually(async () => (await website.inputValue()) === '');
    visitor.errors(/Failed to load resource/);
    await panel.getByRole('textbox', { name: 'Company' }).fill('Typed in error');
    await page.keyboard.press('Escape');
    assert.deepEqual((await stored(record.recordId)).customFields, {});
    await panel.waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    assert.equal(new URL(page.url()).pathname, '/app/boards/clients');
  });

  it('a record leads to its conversation', async () => {
    await call('POST', '/messages', {
      body: {
        content: 'Hello?',
        fromChannelIdentifier: 'api',
        sessionId: 'chat-of-eve',
        sessionName: 'Eve',
        kanbanId: board.id,
      },
    });
    const { body: session } = await call('GET', '/sessions/chat-of-eve');
    const panel = await open(session.recordId);
    await panel.getByRole('link', { name: /Eve/ }).waitFor();
    await panel.getByRole('button', { name: 'Open chat' }).click();
    await page.waitForURL('**/app/inbox/chat-of-eve');
  });

  it('columns are named, coloured, added, put in order and removed with their cards moved', async () => {
    const record = await create('Zed');
    await page.goto(`${stage.base}/app/boards/clients/settings`);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('button', { name: 'Add a column' }).click();
    await page.getByRole('textbox', { name: 'Column name' }).last().fill('Lost');
    await page.keyboard.press('Enter');
    const statuses = async () =>
      (await call('GET', `/kanbans/${board.id}`)).body.statuses.map((one: Json) => one.label);
    await eventually(async () => (await statuses()).includes('Lost'));
    await page.getByRole('button', { name: 'Move Lost up or down' }).press('ArrowUp');
    await eventually(async () => JSON.stringify(await statuses()) === '["New","Lost","Old"]');
    await page.getByRole('button', { name: 'Remove New' }).click();
    await page.getByRole('dialog').getByRole('combobox').click();
    await page.getByRole('option', { name: 'Old' }).click();
    await page.getByRole('button', { name: 'Move and remove' }).click();
    await eventually(async () => JSON.stringify(await statuses()) === '["Lost","Old"]');
    assert.equal((await stored(record.recordId)).status, 'old');
    await page.getByRole('button', { name: 'Remove Lost' }).click();
    await eventually(async () => JSON.stringify(await statuses()) === '["Old"]');
    // A board needs a column.
    await eventually(() => page.getByRole('button', { name: 'Remove Old' }).isDisabled());
    visitor.errors(/Failed to load resource/);
  });

  it('shows a new column once when the board is read before the answer', async () => {
    await page.goto(`${stage.base}/app/boards/clients/settings`);
    await page.getByRole('button', { name: 'Columns' }).click();
    const row = page.getByRole('button', { name: 'Remove Late' });
    await page.route('**/statuses', async (route) => {
      const response = await route.fetch();
      const { body: other } = await call('POST', '/kanbans', { body: { name: 'Read again' } });
      await page.getByRole('link', { name: 'Read again' }).waitFor();
      assert.equal(await row.count(), 1);
      await page.evaluate(`window.row = document.querySelector('[aria-label="Remove Late"]')`);
      await route.fulfill({ response });
      await call('DELETE', `/kanbans/${other.id}`);
    });
    await page.getByRole('button', { name: 'Add a column' }).click();
    await page.getByRole('textbox', { name: 'Column name' }).last().fill('Late');
    await page.keyboard.press('Enter');
    await page.getByText('The columns were saved').waitFor();
    await page.getByRole('link', { name: 'Read again' }).waitFor({ state: 'detached' });
    await page.unroute('**/statuses');
    assert.equal(await row.count(), 1);
    assert.equal(await page.evaluate('window.row.isConnected'), true, 'it was never taken away');
    await row.click();
    await row.waitFor({ state: 'detached' });
  });

  it('keeps a column that somebody else adds while a name is typed', async () => {
    await page.goto(`${stage.base}/app/boards/clients/settings`);
    await page.getByRole('button', { name: 'Columns' }).click();
    const statuses = async () => (await call('GET', `/kanbans/${board.id}`)).body.statuses as Json[];
    const name = page.getByRole('textbox', { name: 'Column name' }).first();
    await name.fill('Renamed');
    const others = [...(await statuses()), { label: 'Extra', color: '#23a35a' }];
    await call('PUT', `/kanbans/${board.id}/statuses`, { body: { statuses: others } });
    await page.getByRole('button', { name: 'Remove Extra' }).waitFor();
    assert.equal(await name.inputValue(), 'Renamed');
    await name.press('Enter');
    const labels = async () => (await statuses()).map(({ label }) => label);
    await eventually(async () => (await labels())[0] === 'Renamed');
    assert.equal((await labels()).at(-1), 'Extra');
  });

  it('fields, groups and members are set, and a field is deleted by typing its name', async () => {
    await page.goto(`${stage.base}/app/boards/clients/settings`);
    await page.getByRole('button', { name: 'Fields' }).click();
    await page.getByRole('button', { name: 'Add a group' }).click();
    await page.getByLabel('Name').fill('Contract');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Contract' }).waitFor();
    await page.getByRole('button', { name: 'Add a field' }).click();
    await page.getByLabel('Name').fill('Tier');
    await page.getByRole('combobox', { name: 'Type' }).click();
    await page.getByRole('option', { name: 'Choice', exact: true }).click();
    await page.getByLabel('Options').fill('Gold\nSilver');
    await page.getByRole('combobox', { name: 'Group' }).click();
    await page.getByRole('option', { name: 'Contract' }).click();
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'Edit Tier' }).waitFor();
    const field = async () => {
      const { body } = await call('GET', `/kanbans/${board.id}`);
      return body.fields.find((one: Json) => one.name === 'Tier');
    };
    assert.deepEqual((await field()).options, ['Gold', 'Silver']);
    await page.getByRole('button', { name: 'Delete Tier' }).click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete' });
    assert.equal(await confirm.isDisabled(), true);
    await page.getByLabel('to confirm').fill('Tier');
    await confirm.click();
    await eventually(async () => (await field()) === undefined);
    await page.getByRole('button', { name: 'Members', exact: true }).click();
    await page.getByRole('switch', { name: 'Open to everyone' }).click();
    await eventually(async () => (await call('GET', `/kanbans/${board.id}`)).body.memberIds.length === 1);
    assert.deepEqual(visitor.errors(), []);
  });
});
