/** Signing in with a provider, whose pages are another site. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { seriousViolations } from '../support/accessibility.ts';
import { type DashboardStage, startDashboard, type Visitor } from '../support/dashboard.ts';
import { type OidcServer, startOidcServer } from '../support/providers/oidc-server.ts';

describe('sign-in with a provider', () => {
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

  it('an invitation is accepted with the provider', async () => {
    provider.people.set('lin', { sub: 'lin', email: 'lin@example.com', email_verified: true, name: 'Lin' });
    const body = { email: 'lin@example.com', role: 'operator' };
    const { link } = (await stage.service.call('POST', '/invitations', { token: adminJwt(), body })).body;
    const { page } = await visit(pathOf(link));
    await page.getByRole('button', { name: 'Sign in with Acme' }).click();
    await atProvider(page, 'lin');
    await page.getByRole('navigation', { name: 'Main navigation' }).waitFor();
  });
});
