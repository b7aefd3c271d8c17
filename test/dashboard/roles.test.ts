import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type DashboardStage, go, settled } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { inboxOf } from '../support/inbox.ts';
import { type Json, password } from '../support/service.ts';

describe('roles', () => {
  let stage: DashboardStage;
  before(async () => {
    stage = await startDashboard();
  });
  after(() => stage.close());

  const asAdmin = async (method: string, path: string, body?: object): Promise<Json> =>
    (await stage.service.call(method, path, { token: stage.service.admin.jwt, ...(body && { body }) })).body;

  /** A person with a role of their own. `give` changes it while they are signed in. */
  const withRole = async (name: string, permissions: string[]) => {
    const role = await asAdmin('POST', '/roles', { name, permissions });
    const email = `${name.toLowerCase()}@example.com`;
    await asAdmin('POST', '/users', { email, name, role: 'operator', roleId: role.id, password });
    return { email, give: (next: string[]) => asAdmin('PATCH', `/roles/${role.id}`, { permissions: next }) };
  };

  it('an administrator makes a role, gives it to a person and replaces it', async () => {
    const user = await stage.service.createUser('operator');
    const { page, errors, close } = await stage.open(stage.service.admin, { path: '/settings/roles' });
    await page.getByRole('heading', { level: 2, name: 'Roles' }).waitFor();
    await page.getByRole('button', { name: 'New role' }).first().click();
    const form = page.getByRole('dialog');
    await form.getByLabel('Name', { exact: true }).fill('First line');
    // What needs it goes with it.
    await form.getByRole('checkbox', { name: 'See cards' }).click();
    await eventually(
      async () => !(await form.getByRole('checkbox', { name: 'Import cards', exact: true }).isChecked()),
    );
    await form.getByRole('checkbox', { name: 'See the audit log' }).click();
    await form.getByRole('button', { name: 'Create', exact: true }).click();
    await form.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /First line/ }).waitFor();
    const role = (await asAdmin('GET', '/roles')).items.find((one: Json) => one.name === 'First line');
    assert.deepEqual(role.permissions, [
      'conversations.view',
      'conversations.reply',
      'notes.write',
      'contacts.edit',
      'contacts.block',
      'knowledge.view',
      'reports.view',
      'audit.view',
    ]);

    await page.getByRole('link', { name: 'People', exact: true }).click();
    const { name } = (await asAdmin('GET', '/users')).items.find((one: Json) => one.id === user.id);
    await page.getByRole('combobox', { name: `Role of ${name}` }).click();
    await page.getByRole('option', { name: 'First line', exact: true }).click();
    await page.getByText(`The role of ${name} was changed`).waitFor();
    await eventually(async () => (await asAdmin('GET', `/roles/${role.id}`)).userCount === 1);

    await page.getByRole('link', { name: 'Roles', exact: true }).click();
    await page.getByRole('button', { name: /First line/ }).click();
    await page.getByRole('dialog').getByText(name).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    const question = page.getByRole('dialog', { name: 'Delete the role First line' });
    const confirm = question.getByRole('button', { name: 'Delete', exact: true });
    await question.waitFor();
    assert.ok(await confirm.isDisabled(), 'nobody gets other rights by accident');
    await question.getByRole('combobox').click();
    await page.getByRole('option', { name: 'Operator', exact: true }).click();
    await question.getByText(/^They will also be able to: See cards, /).waitFor();
    await confirm.click();
    await question.waitFor({ state: 'detached' });
    await eventually(async () => (await asAdmin('GET', '/roles')).items.length === 2);
    assert.deepEqual(errors(), []);
    await close();
  });

  it('a person sees only what their role may', async () => {
    const { id: roleId } = await asAdmin('POST', '/roles', {
      name: 'Auditor',
      permissions: ['records.view', 'audit.view'],
    });
    const email = 'auditor@example.com';
    await asAdmin('POST', '/users', { email, name: 'Auditor', role: 'operator', roleId, password });
    const { page, errors, close } = await stage.open({ email }, { path: '/settings/audit-log' });
    await page.getByRole('heading', { level: 2, name: 'Audit log' }).waitFor();
    const rail = page.getByRole('navigation', { name: 'Main navigation' });
    await rail.getByRole('link', { name: 'My tasks' }).waitFor();
    assert.equal(await rail.getByRole('link', { name: 'Inbox' }).count(), 0);
    assert.equal(await rail.getByRole('link', { name: 'Reports' }).count(), 0);
    const sections = page.getByRole('navigation', { name: 'Settings sections' });
    assert.equal(await sections.getByRole('link', { name: 'Channels', exact: true }).count(), 0);
    assert.equal(await sections.getByRole('link', { name: 'Roles', exact: true }).count(), 0);
    assert.deepEqual(errors(), []);
    await close();
  });

  it('a board is closed to people who may not see cards, until they may', async () => {
    const { slug, name } = (await asAdmin('GET', '/kanbans')).items[0];
    const talker = await withRole('Talker', ['conversations.view']);
    const { page, errors, close } = await stage.open(talker, { path: `/boards/${slug}` });
    await page.getByText('No access', { exact: true }).waitFor();
    const rail = page.getByRole('navigation', { name: 'Main navigation' });
    await rail.getByRole('link', { name: 'Inbox' }).waitFor();
    assert.equal(await rail.getByRole('heading', { name: 'Boards' }).count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Retry' }).count(), 0);

    // Without cards a board is only its settings.
    await talker.give(['conversations.view', 'boards.manage']);
    await rail.getByRole('link', { name, exact: true }).click();
    await page.waitForURL((url) => url.pathname.endsWith(`/boards/${slug}/settings`));
    await talker.give(['conversations.view', 'records.view']);
    await eventually(
      async () =>
        (await rail.getByRole('link', { name, exact: true }).getAttribute('href')) === `/app/boards/${slug}`,
    );
    await rail.getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    assert.deepEqual(errors(), []);
    await close();
  });

  it('cards are read-only for people who may not change them, until they may', async () => {
    const board = await asAdmin('POST', '/kanbans', {
      name: 'Visits',
      statuses: [{ value: 'new', label: 'New', color: '#5660d6' }],
      fields: [
        { name: 'City', type: 'select', options: ['Oslo'] },
        { name: 'Company', type: 'text' },
      ],
    });
    const [city, company] = ['City', 'Company'].map(
      (name) => board.fields.find((field: Json) => field.name === name).id,
    );
    const { recordId } = await asAdmin('POST', `/crm/records?kanbanId=${board.id}`, {
      title: 'Visit to Ana',
      customFields: { [city]: 'Oslo', [company]: 'Fjord AS' },
    });
    await asAdmin('POST', `/crm/records/${recordId}/tasks`, { title: 'Call Ana' });
    await asAdmin('POST', `/crm/records/${recordId}/comments`, { content: 'She prefers mornings' });
    const reader = await withRole('Reader', ['records.view']);
    const path = `/boards/${board.slug}/records/${recordId}`;
    const { page, errors, close } = await stage.open(reader, { path });
    const panel = page.getByRole('complementary', { name: 'Visit to Ana' });
    await panel.getByRole('heading', { level: 2, name: 'Visit to Ana' }).waitFor();
    await panel.getByText('Fjord AS').waitFor();
    const task = panel.getByRole('checkbox', { name: 'Complete Call Ana' });
    await task.waitFor();
    await panel.locator('[data-comment]').getByText('She prefers mornings').waitFor();
    const card = page.locator(`[data-card="${recordId}"]`);
    await card.waitFor();
    assert.equal(await panel.getByRole('textbox').count(), 0);
    assert.equal(await task.isDisabled(), true);
    assert.equal(await panel.getByRole('button', { name: 'Delete task' }).count(), 0);
    assert.equal(await panel.getByRole('button', { name: /^Status/ }).count(), 0);
    assert.equal(await page.getByRole('button', { name: /^Add (a )?card/ }).count(), 0);
    assert.equal(await card.getAttribute('draggable'), null);

    // The service ends the live connection, and the page renews its session.
    await reader.give(['records.view', 'records.edit', 'records.delete']);
    await panel.getByRole('textbox', { name: 'Title' }).waitFor();
    await panel.getByRole('textbox', { name: 'Company' }).fill('Fjell AS');
    await panel.getByRole('textbox', { name: 'Company' }).press('Enter');
    await eventually(
      async () => (await asAdmin('GET', `/crm/records/${recordId}`)).customFields[company] === 'Fjell AS',
    );
    await panel.getByRole('textbox', { name: 'Add a task' }).waitFor();
    await panel.getByRole('textbox', { name: 'Comment' }).waitFor();
    await eventually(async () => (await card.getAttribute('draggable')) === 'true');
    await card.hover();
    await card.getByRole('checkbox', { name: 'Select Visit to Ana' }).click();
    const bulk = page.getByRole('toolbar', { name: '1 selected' });
    await bulk.getByRole('button', { name: 'Move to' }).waitFor();

    await reader.give(['records.view', 'records.delete']);
    await bulk.getByRole('button', { name: 'Move to' }).waitFor({ state: 'detached' });
    await bulk.getByRole('button', { name: 'Delete' }).waitFor();
    await panel.getByRole('textbox').first().waitFor({ state: 'detached' });

    await reader.give(['records.view']);
    await bulk.getByRole('button', { name: 'Delete' }).waitFor({ state: 'detached' });
    await go(page, `/boards/${board.slug}?layout=table`);
    const row = page.getByRole('row').filter({ hasText: 'Visit to Ana' });
    await row.getByRole('gridcell', { name: 'Fjell AS' }).dblclick();
    await settled(page);
    assert.equal(await row.getByRole('textbox').count(), 0);
    assert.equal(await row.getByRole('checkbox').count(), 0);
    assert.deepEqual(errors(), []);
    await close();
  });

  it('addresses that receive what customers write are locked without the right to webhooks', async () => {
    const wirer = await withRole('Wirer', ['channels.manage', 'agents.manage']);
    const { items: channels } = await asAdmin('GET', '/channels');
    const { page, errors, close } = await stage.open(wirer, { path: `/settings/channels/${channels[0].id}` });
    const address = page.getByRole('textbox', { name: 'Webhook URL' });
    await address.waitFor();
    assert.equal(await address.isDisabled(), true);
    assert.equal(await page.getByRole('switch', { name: 'Forward incoming messages' }).isDisabled(), true);
    await go(page, '/settings/channels/connect');
    await page.getByRole('button', { name: /^Telegram/ }).waitFor();
    assert.equal(await page.getByRole('button', { name: /^E-mail mailbox/ }).count(), 0);
    await page.getByRole('button', { name: /^Telegram/ }).click();
    await page.getByText('More', { exact: true }).click();
    const server = page.getByRole('textbox', { name: 'Server address' });
    assert.equal(await server.isDisabled(), true);
    await wirer.give(['channels.manage', 'agents.manage', 'webhooks.manage']);
    await eventually(async () => !(await server.isDisabled()));
    assert.deepEqual(errors(), []);
    await close();
  });

  it('in a conversation a person writes and changes only what their role may', async () => {
    const { items: agents } = await asAdmin('GET', '/agents');
    await asAdmin('PATCH', `/agents/${agents[0].id}`, { batchWindowMs: 60_000 });
    await inboxOf(stage.service).customerSays('roles-talk', {
      content: 'Is anybody there?',
      sessionName: 'Rita Role',
      externalUserId: '+4917055550001',
    });
    const writer = await withRole('Writer', ['conversations.view', 'notes.write']);
    const { page, errors, close } = await stage.open(writer, { path: '/inbox/roles-talk' });
    await page.getByRole('log').getByText('Is anybody there?').waitFor();
    const note = page.getByRole('textbox', { name: 'Note' });
    const reply = page.getByRole('textbox', { name: 'Reply' });
    const modes = page.getByLabel('Message type').getByRole('radio');
    const header = page.getByRole('region', { name: 'Rita Role' });
    await note.waitFor();
    assert.deepEqual(await modes.allTextContents(), ['Note']);
    for (const name of ['Take over', 'Resolve', 'Snooze', 'Unassigned', 'More actions']) {
      assert.equal(await header.getByRole('button', { name, exact: true }).count(), 0, name);
    }
    assert.equal(await page.getByRole('button', { name: 'New conversation' }).count(), 0);
    await note.fill('Only the team reads this');
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.getByRole('log').getByText('Only the team reads this').waitFor();

    await writer.give(['conversations.view']);
    await page.getByText('Your role does not allow you to write here').waitFor();
    await note.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Edit note' }).waitFor({ state: 'detached' });

    await writer.give(['conversations.view', 'conversations.reply']);
    await reply.waitFor();
    await eventually(async () => (await modes.allTextContents()).join() === 'Reply');
    await header.getByRole('button', { name: 'Take over', exact: true }).waitFor();
    await header.getByRole('button', { name: 'Resolve', exact: true }).click();
    await eventually(async () => (await asAdmin('GET', '/sessions/roles-talk')).status === 'resolved');
    assert.deepEqual(errors(), []);
    await close();
  });
});
