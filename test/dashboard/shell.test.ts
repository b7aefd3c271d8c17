import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type DashboardStage, pressInTurn, signIn } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { password } from '../support/service.ts';

const refusedRequest = /Failed to load resource/;

describe('the shell of the dashboard', () => {
  let stage: DashboardStage;
  before(async () => {
    stage = await startDashboard();
    // An empty workspace would lead its administrator to the first steps.
    await stage.service.call('POST', '/crm/records', { body: { title: 'Somebody' } });
  });
  after(() => stage.close());

  it('a wrong password is told, the right one leads in, and a reload stays in', async () => {
    const { page, errors, close } = await stage.visit();
    await page.waitForURL('**/app/login');
    await signIn(page, stage.service.admin.email, 'not the password');
    await page.getByRole('alert').getByText('is wrong').waitFor();
    assert.deepEqual(errors(refusedRequest), []);
    await signIn(page, stage.service.admin.email, password);
    await page.getByRole('navigation', { name: 'Main navigation' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/app/boards/sales');
    await page.getByRole('button', { name: 'Account and theme' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/app/login*');
    await page.goto(`${stage.base}/app/inbox`);
    await page.waitForURL('**/app/login?next=*');
    assert.deepEqual(errors(), []);
    await close();
  });

  it('the address that was asked for is opened after signing in', async () => {
    const { page, close } = await stage.visit({ path: '/boards/sales/settings' });
    await signIn(page, stage.service.admin.email, password);
    await page.getByRole('heading', { name: 'Sales settings' }).waitFor();
    await close();
  });

  it('a session that was ended elsewhere leads to the login with a word', async () => {
    const user = await stage.service.createUser('operator');
    const { page, close } = await stage.open(user);
    await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
    await stage.service.call('DELETE', `/users/${user.id}`);
    await page.reload();
    await page.waitForURL('**/app/login*');
    await close();
  });

  it('themes are chosen, kept and follow the system', async () => {
    const { page, close } = await stage.open(stage.service.admin, { theme: 'dark' });
    const theme = () => page.evaluate('document.documentElement.dataset.theme');
    assert.equal(await theme(), 'dark');
    await page.getByRole('button', { name: 'Account and theme' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Light' }).click();
    assert.equal(await theme(), 'light');
    await page.reload();
    assert.equal(await theme(), 'light');
    await page.getByRole('button', { name: 'Account and theme' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'System' }).click();
    await eventually(async () => (await theme()) === 'dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await eventually(async () => (await theme()) === 'light');
    await close();
  });

  it('keys open the help and the commands, which find a record and go there', async () => {
    await stage.service.call('POST', '/crm/records', { body: { title: 'Palette Customer' } });
    const { page, errors, close } = await stage.open(stage.service.admin);
    await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Go to the inbox').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox').fill('palete custmer');
    await page.getByRole('option', { name: /Palette Customer/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('complementary', { name: 'Palette Customer' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('complementary').waitFor({ state: 'detached' });
    await pressInTurn(page, 'g i');
    await page.waitForURL('**/app/inbox');
    assert.deepEqual(errors(), []);
    await close();
  });

  it('offline is told, and the connection comes back by itself', async () => {
    const { page, context, close } = await stage.open(stage.service.admin);
    await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
    await context.setOffline(true);
    await page.getByText('You are offline').waitFor();
    await context.setOffline(false);
    await page.getByText('You are offline').waitFor({ state: 'detached' });
    await close();
  });

  it('an operator has no way to what only administrators may do', async () => {
    const { body: closed } = await stage.service.call('POST', '/kanbans', { body: { name: 'Management' } });
    await stage.service.call('PUT', `/kanbans/${closed.id}/members`, {
      body: { userIds: [stage.service.admin.userId] },
    });
    const operator = await stage.service.createUser('operator');
    const { page, close } = await stage.open(operator);
    await page.getByRole('link', { name: 'Sales' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Management' }).count(), 0);
    assert.equal(await page.getByRole('button', { name: 'New board' }).count(), 0);
    assert.equal(await page.getByRole('button', { name: 'Board settings' }).count(), 0);
    await page.goto(`${stage.base}/app/boards/management`);
    await page.getByText('Board not found').waitFor();
    await page.goto(`${stage.base}/app/boards/sales/settings`);
    await page.getByText('You don’t have permission to do this').waitFor();
    await close();
  });
});
