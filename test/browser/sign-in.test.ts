/** Signing in with a provider, invitations and new passwords, as people see them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { sql } from '../../server/platform/db/sql.ts';
import { seriousViolations } from '../support/accessibility.ts';
import { type DashboardStage, startDashboard, type Visitor } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type OidcServer, startOidcServer } from '../support/providers/oidc-server.ts';
import { type Json, password } from '../support/service.ts';

const newPassword = 'another horse battery';
const refusedRequest = /Failed to load resource/;

describe('sign-in', () => {
  let provider: OidcServer;
  let stage: DashboardStage;
  before(async () => {
    provider = await startOidcServer();
    stage = await startDashboard({ ...provider.env, OIDC_NAME: 'Acme' });
    provider.callbacks.add(`${stage.base}/auth/oidc/callback`);
  });
  after(async () => {
    await stage.close();
    await provider.close();
  });
  const opened: Visitor[] = [];
  after(() => Promise.all(opened.map((visitor) => visitor.close().catch(() => {}))));
  const visit = async (path: string, options = {}) => {
    const visitor = await stage.visit({ path, ...options });
    opened.push(visitor);
    return visitor;
  };
  const atProvider = async (page: Page, login: string) => {
    await page.getByRole('textbox', { name: 'Login' }).fill(login);
    await page.getByRole('button', { name: 'Continue' }).click();
  };
  const adminJwt = () => stage.service.admin.jwt;
  const pathOf = (link: string) => link.slice(`${stage.base}/app`.length);

  it('with the provider leads to the page that was asked for, and stays after a reload', async () => {
    const user = await stage.service.createUser('operator');
    provider.people.set('ada', { sub: 'ada', email: user.email, email_verified: true });
    const { page, errors } = await visit('/tasks');
    await page.getByRole('link', { name: 'Sign in with Acme' }).waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    await page.getByRole('link', { name: 'Sign in with Acme' }).click();
    await atProvider(page, 'ada');
    await page.waitForURL(`${stage.base}/app/tasks`);
    await page.getByRole('heading', { name: 'My tasks' }).first().waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'My tasks' }).first().waitFor();
    assert.deepEqual(errors(), []);
  });

  it('says in the reader’s language why somebody is refused', async () => {
    provider.people.set('eve', { sub: 'eve', email: 'eve@example.com', email_verified: true });
    const { page } = await visit('/login', { locale: 'es-ES' });
    await page.getByRole('link', { name: 'Iniciar sesión con Acme' }).click();
    await atProvider(page, 'eve');
    await page.getByRole('alert').filter({ hasText: 'Aún no tienes acceso' }).waitFor();
    await page.goto(`${stage.base}/app/login?error=nonsense`);
    await page.getByRole('link', { name: 'Iniciar sesión con Acme' }).waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
  });

  it('an administrator invites a person, who joins with the link', async () => {
    const admin = await stage.open(stage.service.admin, { path: '/settings/users' });
    opened.push(admin);
    const { page } = admin;
    await page.getByRole('button', { name: 'Invite' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'E-mail' }).fill('grace@example.com');
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByText('Invitation for grace@example.com').waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    const link = (await dialog.locator('code').textContent()) ?? '';
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    const open = page.getByRole('list', { name: 'Open invitations' });
    await open.getByText('grace@example.com').waitFor();

    const person = await visit(pathOf(link));
    await person.page.getByRole('heading', { name: 'Join My workspace' }).waitFor();
    assert.deepEqual(await seriousViolations(person.page), []);
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
    assert.deepEqual(await seriousViolations(page), []);
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

  it('an invitation is accepted with the provider', async () => {
    provider.people.set('lin', { sub: 'lin', email: 'lin@example.com', email_verified: true, name: 'Lin' });
    const body = { email: 'lin@example.com', role: 'operator' };
    const { link } = (await stage.service.call('POST', '/invitations', { token: adminJwt(), body })).body;
    const { page } = await visit(pathOf(link));
    await page.getByRole('button', { name: 'Sign in with Acme' }).click();
    await atProvider(page, 'lin');
    await page.getByRole('navigation', { name: 'Main navigation' }).waitFor();
  });

  it('an administrator creates a link for a new password', async () => {
    const user = await stage.service.createUser('operator');
    const path = `/users/${user.id}/password-reset`;
    const { link } = (await stage.service.call('POST', path, { token: adminJwt() })).body;
    const { page } = await visit(pathOf(link));
    await page.getByLabel('New password').fill(newPassword);
    assert.deepEqual(await seriousViolations(page), []);
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
