import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type DashboardStage, startDashboard } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type Json, password } from '../support/service.ts';

describe('roles', () => {
  let stage: DashboardStage;
  before(async () => {
    stage = await startDashboard();
  });
  after(() => stage.close());

  const asAdmin = async (method: string, path: string, body?: object): Promise<Json> =>
    (await stage.service.call(method, path, { token: stage.service.admin.jwt, ...(body && { body }) })).body;

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
    await question.getByRole('button', { name: 'Delete', exact: true }).click();
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
});
