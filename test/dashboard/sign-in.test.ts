/** Invitations and new passwords, as people see them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from '../../server/platform/db/sql.ts';
import type { DashboardStage, Visitor } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type Json, password } from '../support/service.ts';

const newPassword = 'another horse battery';
const refusedRequest = /Failed to load resource/;

describe('sign-in', () => {
  let stage: DashboardStage;
  before(async () => {
    stage = await startDashboard();
  });
  after(() => stage.close());
  const opened: Visitor[] = [];
  after(() => Promise.all(opened.map((visitor) => visitor.close().catch(() => {}))));
  const visit = async (path: string, options = {}) => {
    const visitor = await stage.visit({ path, ...options });
    opened.push(visitor);
    return visitor;
  };
  const adminJwt = () => stage.service.admin.jwt;
  const pathOf = (link: string) => link.slice(`${stage.base}/app`.length);

  it('an administrator invites a person, who joins with the link', async () => {
    const admin = await stage.open(stage.service.admin, { path: '/settings/users' });
    opened.push(admin);
    const { page } = admin;
    await page.getByRole('button', { name: 'Invite' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'E-mail' }).fill('grace@example.com');
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByText('Invitation for grace@example.com').waitFor();
    const link = (await dialog.locator('code').textContent()) ?? '';
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    const open = page.getByRole('list', { name: 'Open invitations' });
    await open.getByText('grace@example.com').waitFor();

    const person = await visit(pathOf(link));
    await person.page.getByRole('heading', { name: 'Join My workspace' }).waitFor();
    await person.page.getByRole('textbox', { name: 'Your name' }).fill('Grace');
    await person.page.getByLabel('Password').fill(password);
    await person.page.getByRole('button', { name: 'Join', exact: true }).click();
    await person.page.waitForURL((url) => !/invitation|login/.test(url.pathname));
    await person.page.getByRole('navigation', { name: 'Main navigation' }).waitFor();
    const users = (await stage.service.call('GET', '/users', { token: adminJwt() })).body.items;
    assert.ok(users.some(({ email, name }: Json) => email === 'grace@example.com' && name === 'Grace'));

    const late = await visit(pathOf(link));
    await late.page.getByRole('alert').filter({ hasText: 'has expired or was used already' }).waitFor();
    assert.deepEqual(late.errors(refusedRequest), []);
  });

  it('a refused e-mail shows in the list, with a link to pass on', async () => {
    const body = { email: 'ghost@example.com', role: 'operator' };
    const { id } = (await stage.service.call('POST', '/invitations', { token: adminJwt(), body })).body;
    // As the worker leaves it where there is a mail server.
    await stage.service.context.db.query(sql`
      update invitations set is_mailed = true, mail_status = 'failed', mail_problem = '550 no such mailbox here'
      where id = ${id}`);
    const admin = await stage.open(stage.service.admin, { path: '/settings/users' });
    opened.push(admin);
    const { page } = admin;
    const dialog = page.getByRole('dialog');
    const row = page.getByRole('listitem').filter({ hasText: 'ghost@example.com' });
    await row.getByText('550 no such mailbox here').waitFor();
    await row.getByRole('button', { name: 'Get link' }).click();
    await dialog.getByText('Invitation for ghost@example.com').waitFor();
    await dialog.getByText(`${stage.base}/app/invitation#`).waitFor();
  });

  it('an invitation is withdrawn in the list', async () => {
    const body = { email: 'gone@example.com', role: 'operator' };
    await stage.service.call('POST', '/invitations', { token: adminJwt(), body });
    const admin = await stage.open(stage.service.admin, { path: '/settings/users' });
    opened.push(admin);
    await admin.page.getByRole('button', { name: 'Actions for gone@example.com' }).click();
    await admin.page.getByRole('menuitem', { name: 'Withdraw' }).click();
    await admin.page.getByText('The invitation for gone@example.com was withdrawn').waitFor();
    await eventually(async () => {
      const { items } = (await stage.service.call('GET', '/invitations', { token: adminJwt() })).body;
      return !items.some(({ email }: Json) => email === 'gone@example.com');
    });
  });

  it('an administrator creates a link for a new password', async () => {
    const user = await stage.service.createUser('operator');
    const path = `/users/${user.id}/password-reset`;
    const { link } = (await stage.service.call('POST', path, { token: adminJwt() })).body;
    const { page } = await visit(pathOf(link));
    await page.getByLabel('New password').fill(newPassword);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByText('Your new password is set.').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('E-mail').fill(user.email);
    await page.getByLabel('Password').fill(newPassword);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('navigation', { name: 'Main navigation' }).waitFor();
  });

  it('without mail, a forgotten password is a matter for the administrator', async () => {
    const { page } = await visit('/login');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByText('Ask an administrator of your workspace').waitFor();
    await page.getByRole('link', { name: 'Back to sign-in' }).click();
    await page.getByLabel('E-mail').waitFor();
  });
});
