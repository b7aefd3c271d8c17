/** Second factors in a real browser: an app by its QR code, and passkeys in Chromium's virtual authenticator. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { CDPSession, Page } from 'playwright-core';
import { hotp, stepOf } from '../../server/features/accounts/factors/accounts.totp.ts';
import { seriousViolations } from '../support/accessibility.ts';
import { type DashboardStage, signIn, startDashboard, type Visitor } from '../support/dashboard.ts';
import { factorsOf, fromBase32 } from '../support/factors.ts';
import { password } from '../support/service.ts';

const refusedRequest = /Failed to load resource/;

describe('second factors', () => {
  let stage: DashboardStage;
  before(async () => {
    // Passkeys belong to names: 127.0.0.1 is none.
    stage = await startDashboard({}, 'localhost');
  });
  after(() => stage.close());

  const opened: Visitor[] = [];
  after(() => Promise.all(opened.map((visitor) => visitor.close().catch(() => {}))));
  const open = async (user: { email: string }, path = '/settings/security') => {
    const visitor = await stage.open(user, { path });
    opened.push(visitor);
    return visitor;
  };
  const visit = async (path = '/login') => {
    const visitor = await stage.visit({ path });
    opened.push(visitor);
    return visitor;
  };
  const authenticatorOf = async (page: Page): Promise<CDPSession> => {
    const session = await page.context().newCDPSession(page);
    await session.send('WebAuthn.enable');
    await session.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return session;
  };
  const isIn = (page: Page) => page.waitForURL((url) => !/\/(login|set-up-factor)/.test(url.pathname));
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  it('an app is set up with a QR code, asked for at the next sign-in, and removed', async () => {
    const user = await stage.service.createUser('operator');
    const { page, errors } = await open(user);
    await button(page, 'Set up an app').click();
    await page.getByLabel('Your password').fill(password);
    await button(page, 'Continue').click();
    await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    const secret = fromBase32((await page.getByRole('dialog').locator('code').textContent()) ?? '');
    const code = (steps = 0) => hotp(secret, stepOf(stage.service.context.clock.now()) + steps);
    await page.getByRole('textbox', { name: 'Code', exact: true }).fill('000000');
    await button(page, 'Confirm').click();
    await page.getByText('The code is wrong or was used before.').waitFor();
    const used = code();
    await page.getByRole('textbox', { name: 'Code', exact: true }).fill(used);
    await button(page, 'Confirm').click();
    const codes = page.getByRole('list', { name: 'Your recovery codes' });
    await codes.waitFor();
    assert.equal(await codes.getByRole('listitem').count(), 10);
    const [recoveryCode] = await codes.getByRole('listitem').allTextContents();
    await button(page, 'I have saved them').click();
    await page.getByText('Set up', { exact: true }).waitFor();
    await page.getByText(/^10 codes left/).waitFor();
    assert.deepEqual(errors(refusedRequest), []);

    const login = await visit();
    await signIn(login.page, user.email, password);
    await login.page.getByRole('heading', { name: 'Second factor' }).waitFor();
    assert.deepEqual(await seriousViolations(login.page), []);
    await login.page.getByRole('textbox', { name: 'Code', exact: true }).fill(used);
    await button(login.page, 'Continue').click();
    await login.page.getByText('The code is wrong or was used before.').waitFor();
    await login.page.getByRole('radio', { name: 'Recovery code' }).click();
    await login.page
      .getByLabel('Recovery code', { exact: true })
      .last()
      .fill(recoveryCode ?? '');
    await button(login.page, 'Continue').click();
    await isIn(login.page);
    assert.deepEqual(login.errors(refusedRequest), []);

    await factorsOf(stage.service).forgetUsedCodes(user.id);
    await button(page, 'Remove the app').click();
    await page.getByLabel('Your password').fill(password);
    await page.getByRole('textbox', { name: 'Code', exact: true }).fill(code());
    await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
    await button(page, 'Set up an app').waitFor();
  });

  it('a passkey is added, signs in without a password and after it, and is removed', async () => {
    const user = await stage.service.createUser('operator');
    const { page, errors } = await open(user);
    const authenticator = await authenticatorOf(page);
    await button(page, 'Add a passkey').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Work laptop');
    await dialog.getByLabel('Your password').fill(password);
    await dialog.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('list', { name: 'Your recovery codes' }).waitFor();
    await button(page, 'I have saved them').click();
    await page.getByText('Work laptop').waitFor();

    // The same browser, and so the same authenticator.
    await page.evaluate(`localStorage.clear()`);
    await page.context().clearCookies();
    await page.goto(`${stage.base}/app/login`);
    await button(page, 'Sign in with a passkey').click();
    await isIn(page);

    await page.evaluate(`localStorage.clear()`);
    await page.context().clearCookies();
    await page.goto(`${stage.base}/app/login`);
    await signIn(page, user.email, password);
    await page.getByRole('heading', { name: 'Second factor' }).waitFor();
    await button(page, 'Use your passkey').click();
    await isIn(page);

    await page.goto(`${stage.base}/app/settings/security`);
    await button(page, 'Remove Work laptop').click();
    await dialog.getByLabel('Your password').fill(password);
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Work laptop', { exact: true }).waitFor({ state: 'detached' });
    assert.deepEqual(errors(refusedRequest), []);
    await authenticator.detach();
  });

  it('a passkey that the service does not know is refused with a clear message', async () => {
    const { page } = await visit();
    const authenticator = await authenticatorOf(page);
    await button(page, 'Sign in with a passkey').click();
    await page.getByRole('alert').waitFor();
    assert.match((await page.getByRole('alert').textContent()) ?? '', /could not be used/);
    await authenticator.detach();
  });

  it('a workspace that requires one leads to its set-up, and then on', async () => {
    const { service } = stage;
    const { jwt } = await service.createAccount();
    const admin = await service.createUser('admin', jwt);
    const user = await service.createUser('operator', jwt);
    const owner = await factorsOf(service).withApp(admin);
    const settings = await stage.visit({ path: '/login' });
    opened.push(settings);
    await signIn(settings.page, admin.email, password);
    await settings.page.getByRole('textbox', { name: 'Code', exact: true }).fill(owner.code(1));
    await button(settings.page, 'Continue').click();
    await isIn(settings.page);
    await settings.page.goto(`${stage.base}/app/settings/workspace`);
    await settings.page.getByLabel('Require a second factor').click();
    await settings.page.getByText('Saved', { exact: true }).waitFor();

    await settings.page.getByLabel('Where administrators may sign in from').fill('203.0.113.0/24');
    await button(settings.page, 'Save').click();
    await settings.page.getByText('You would lock yourself out').waitFor();
    await button(settings.page, 'Cancel').click();
    assert.deepEqual(await seriousViolations(settings.page), []);

    const { page, errors } = await visit('/inbox');
    await signIn(page, user.email, password);
    await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
    assert.deepEqual(await seriousViolations(page), []);
    await page.goto(`${stage.base}/app/inbox`);
    await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
    await button(page, 'Set up an app').click();
    await page.getByLabel('Your password').fill(password);
    await button(page, 'Continue').click();
    const secret = fromBase32((await page.getByRole('dialog').locator('code').textContent()) ?? '');
    await page
      .getByRole('textbox', { name: 'Code', exact: true })
      .fill(hotp(secret, stepOf(service.context.clock.now())));
    await button(page, 'Confirm').click();
    await page.getByRole('list', { name: 'Your recovery codes' }).waitFor();
    await button(page, 'I have saved them').click();
    await isIn(page);
    assert.deepEqual(errors(refusedRequest), []);
  });

  it('an administrator sees who has one, resets it, and limits a token to addresses', async () => {
    const { service } = stage;
    const user = await factorsOf(service).withApp(await service.createUser('operator'));
    const { page, errors } = await open(service.admin, '/settings/users');
    const { body } = await service.call('GET', '/users?limit=100');
    const { name } = body.items.find((one: { id: string }) => one.id === user.id);
    await page.getByRole('listitem').filter({ hasText: name }).getByText('Second factor').waitFor();
    await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();
    await page.getByRole('menuitem', { name: 'Reset second factor' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill(name);
    await button(page, 'Reset second factor').click();
    await page.getByText(`The second factor of ${name} was reset`).waitFor();
    assert.equal((await factorsOf(service).login(user.email)).status, 200);

    await service.createToken(service.admin.jwt, { name: 'limited one' });
    await page.goto(`${stage.base}/app/settings/api-tokens`);
    await button(page, 'Allowed addresses of limited one').click();
    await page.getByRole('textbox', { name: 'Allowed addresses' }).fill('203.0.113.0/24\n2001:db8::/32');
    await button(page, 'Save').click();
    await page.getByText('Limited addresses').waitFor();
    assert.deepEqual(errors(refusedRequest), []);
  });
});
