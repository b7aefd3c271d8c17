import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { replaceWithErased } from '../../server/features/blocked-contacts/blocked-contacts.sql.ts';
import { sql } from '../../server/platform/db/sql.ts';
import type { DashboardStage } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { type Json, password } from '../support/service.ts';

const refusedRequest = /Failed to load resource/;

describe('settings of people and the workspace', () => {
  let stage: DashboardStage;
  before(async () => {
    stage = await startDashboard();
  });
  after(() => stage.close());

  const asAdmin = (path: string) => stage.open(stage.service.admin, { path });
  const get = async (path: string): Promise<Json> =>
    (await stage.service.call('GET', path, { token: stage.service.admin.jwt })).body;
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const choose = async (page: Page, box: string, option: string) => {
    await page.getByRole('combobox', { name: box, exact: true }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  const confirmByName = async (page: Page, name: string, action: string) => {
    const dialog = page.getByRole('dialog');
    assert.ok(await dialog.getByRole('button', { name: action }).isDisabled());
    await dialog.getByRole('textbox').fill(name);
    await dialog.getByRole('button', { name: action }).click();
    await dialog.waitFor({ state: 'detached' });
  };

  it('a person changes their name and their password', async () => {
    const user = await stage.service.createUser('operator');
    const { page, errors, close } = await stage.open(user, { path: '/settings' });
    await page.getByRole('heading', { level: 2, name: 'Profile' }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Grace Hopper');
    await page.keyboard.press('Enter');
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Account and theme' }).getByText('Grace Hopper').waitFor();
    await page.getByLabel('Current password').fill('not this one');
    await page.getByLabel('New password').fill('another long password');
    await press(page, 'Change password');
    await page.getByText('This is not your current password.').waitFor();
    await page.getByLabel('Current password').fill(password);
    await press(page, 'Change password');
    await page.getByText('Your password was changed').waitFor();
    assert.ok(await stage.service.login(user.email, 'another long password'));
    assert.deepEqual(errors(refusedRequest), []);
    await close();
  });

  it('a person is added, gets another role, and is removed by typing the name', async () => {
    const { page, errors, close } = await asAdmin('/settings/users');
    await press(page, 'Add person');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('Zoe Quinn');
    await dialog.getByLabel('E-mail').fill('zoe@example.com');
    await press(page, 'Generate');
    const secret = await dialog.getByLabel('Password', { exact: true }).inputValue();
    assert.match(secret, /^\w{20}$/);
    await dialog.getByRole('button', { name: 'Add person' }).click();
    await page.getByText('Zoe Quinn can now sign in').waitFor();
    assert.ok(await stage.service.login('zoe@example.com', secret));
    await choose(page, 'Role of Zoe Quinn', 'Administrator');
    await page.getByText('The role of Zoe Quinn was changed').waitFor();
    const zoe = async () => (await get('/users')).items.find((one: Json) => one.email === 'zoe@example.com');
    assert.equal((await zoe()).role, 'admin');
    await press(page, 'Actions for Zoe Quinn');
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await confirmByName(page, 'Zoe Quinn', 'Remove');
    await page.getByRole('list', { name: 'People' }).getByText('Zoe Quinn').waitFor({ state: 'detached' });
    assert.equal(await zoe(), undefined);
    assert.deepEqual(errors(), []);
    await close();
  });

  it('a token is made with its scopes, shown once, works, and is revoked', async () => {
    const { page, errors, close } = await asAdmin('/settings/api-tokens');
    await press(page, 'New token');
    await page.getByLabel('Name', { exact: true }).fill('Importer');
    for (const scope of [
      'messages:read',
      'messages:write',
      'notes:write',
      'contacts:block',
      'knowledge:read',
    ]) {
      await page.getByRole('checkbox', { name: scope }).click();
    }
    await choose(page, 'Expiration', '30 days');
    await press(page, 'Create');
    await page.getByRole('dialog', { name: 'Importer is ready' }).waitFor();
    const token = (await page.getByRole('dialog').locator('code').textContent()) ?? '';
    await press(page, 'I have copied it');
    const list = async () => (await get('/api-tokens')).items.find((one: Json) => one.name === 'Importer');
    assert.deepEqual((await list()).scopes, ['crm:read', 'crm:write']);
    const days = ((await list()).expiresAt - Date.now()) / 86_400_000;
    assert.ok(days > 29.9 && days < 30.1, `${days} days`);
    assert.equal((await stage.service.call('GET', '/kanbans', { token })).status, 200);
    assert.equal((await stage.service.call('GET', '/sessions', { token })).status, 403);
    await page.reload();
    await page.getByText('crm:read, crm:write').waitFor();
    assert.equal(await page.getByText(token).count(), 0);
    await press(page, 'Revoke Importer');
    await confirmByName(page, 'Importer', 'Revoke');
    await page.getByText('Importer was revoked').waitFor();
    assert.equal((await stage.service.call('GET', '/kanbans', { token })).status, 401);
    assert.deepEqual(errors(), []);
    await close();
  });

  it('a saved reply is written, edited, deleted and brought back', async () => {
    const { page, errors, close } = await asAdmin('/settings/saved-replies');
    await page.getByText('No saved replies yet').waitFor();
    await press(page, 'New reply');
    await page.getByLabel('Name', { exact: true }).fill('Hours');
    await page.getByLabel('Text', { exact: true }).fill('We are open from nine.');
    await page.getByRole('switch', { name: /Share with everyone/ }).click();
    await press(page, 'Create');
    await page.getByRole('button', { name: /Hours/ }).click();
    await page.getByLabel('Text', { exact: true }).fill('We are open from ten.');
    await press(page, 'Save');
    await page.getByRole('button', { name: /from ten/ }).click();
    await press(page, 'Delete');
    await page.getByText('No saved replies yet').waitFor();
    await press(page, 'Undo');
    await page.getByRole('button', { name: /from ten/ }).waitFor();
    assert.deepEqual(errors(), []);
    await close();
  });

  it('a contact is blocked, what they send is counted, and unblocking can be undone', async () => {
    const operator = await stage.service.createUser('operator');
    const { page, errors, close } = await stage.open(operator, { path: '/settings/blocked-contacts' });
    await page.getByText('Nobody is blocked').waitFor();
    await press(page, 'Block a contact');
    await page.getByLabel('Phone number, e-mail address or chat id').fill('+55 11 97777-0000');
    await page.getByLabel('Reason (visible to your team)').fill('Spam');
    await press(page, 'Block');
    await page.getByText('+55 11 97777-0000').waitFor();
    await stage.service.call('POST', '/messages', {
      body: { content: 'hi', fromChannelIdentifier: 'api', externalUserId: '5511977770000@c.us' },
    });
    await page.reload();
    await page.getByText('1 dropped').waitFor();
    await press(page, 'Unblock +55 11 97777-0000');
    await page.getByText('Nobody is blocked').waitFor();
    await press(page, 'Undo');
    await page.getByText('Spam').waitFor();
    assert.equal((await get('/blocked-contacts')).items[0].reason, 'Spam');
    assert.deepEqual(errors(), []);
    await close();
  });

  it('an erased person is unblocked by the identifier that somebody enters', async () => {
    const { context, admin } = stage.service;
    const hashes = ['5511977771111', '5511977772222'].map((key) => context.blockHash(admin.accountId, key));
    await context.db.transaction((tx) => replaceWithErased(tx, admin.accountId, [], hashes, 1));
    const { page, errors, close } = await asAdmin('/settings/blocked-contacts');
    const erased = page.getByRole('listitem').filter({ hasText: 'Erased person' });
    await erased.nth(1).waitFor();
    assert.equal(await erased.getByRole('button', { name: /^Unblock/ }).count(), 0);
    await erased.first().getByRole('button', { name: 'Enter identifier' }).click();
    const field = page.getByLabel('Phone number, e-mail address or chat id');
    await field.fill('erased');
    await press(page, 'Unblock');
    await page.getByText('This identifier is not blocked.').waitFor();
    await field.fill('+55 11 97777-1111');
    await press(page, 'Unblock');
    await page.getByText('+55 11 97777-1111 can write again').waitFor();
    await eventually(async () => (await erased.count()) === 1);
    assert.deepEqual(errors(), []);
    await close();
  });

  it('the workspace is renamed and shows what it may use', async () => {
    const { page, errors, close } = await asAdmin('/settings/workspace');
    await page.getByLabel('Name', { exact: true }).fill('Harbour');
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'Main navigation' }).getByText('Harbour').waitFor();
    await page.getByText('CRM requests per minute').waitFor();
    assert.match(
      (await page.getByRole('progressbar', { name: 'Storage' }).getAttribute('aria-valuetext')) ?? '',
      / of 20 GB$/,
    );
    await page.getByRole('progressbar', { name: 'AI replies today' }).waitFor();
    assert.equal(await page.getByText('More than 80% is used').count(), 0);
    assert.equal((await get('/account')).name, 'Harbour');
    await page.getByRole('combobox', { name: 'Language' }).click();
    await page.getByRole('option', { name: 'Português' }).click();
    await eventually(async () => (await get('/account')).language === 'pt');
    assert.deepEqual(errors(), []);
    await close();
  });

  it('a workspace is warned from 80% of its storage and its AI replies on, and told when they are used up', async () => {
    const { accountId } = stage.service.admin;
    const { db } = stage.service.context;
    const use = (bytes: number, replies: number) =>
      db.transaction(async (tx) => {
        await tx.query(sql`
          insert into storage_usage (account_id, bytes) values (${accountId}, ${bytes})
          on conflict (account_id) do update set bytes = excluded.bytes`);
        await tx.query(sql`
          insert into ai_reply_usage (account_id, day, replies)
          values (${accountId}, (now() at time zone 'utc')::date, ${replies})
          on conflict (account_id) do update set day = excluded.day, replies = excluded.replies`);
      });
    await use(17 * 1024 ** 3, 16_500);
    const { page, errors, close } = await asAdmin('/settings/workspace');
    await page.getByText('More than 80% is used. When storage is full, new files are rejected.').waitFor();
    await page.getByText('17 GB of 20 GB').waitFor();
    await page.getByText('16,500 of 20,000').waitFor();
    await page.getByText(/At the limit the AI stops replying/).waitFor();
    await use(20 * 1024 ** 3, 20_000);
    await page.reload();
    await page.getByText('Storage is full. New files are rejected.').waitFor();
    await page.getByText(/The AI replies again from 00:00 UTC/).waitFor();
    assert.deepEqual(errors(), []);
    await use(0, 0);
    await close();
  });

  it('the instance administrator creates an account and sets its limits', async () => {
    const { page, errors, close } = await asAdmin('/settings/accounts');
    await press(page, 'New account');
    await page.getByLabel('Name', { exact: true }).fill('Second shop');
    await page.getByLabel('Administrator’s e-mail').fill('second@example.com');
    await page.getByLabel('Password', { exact: true }).fill('a long enough one');
    await press(page, 'Create');
    await page.getByRole('link', { name: /Second shop/ }).click();
    await page.getByLabel('CRM requests per minute').fill('0');
    await page.keyboard.press('Enter');
    await page.getByText(/crmPerMinute/).waitFor();
    await page.getByLabel('CRM requests per minute').fill('77');
    await page.keyboard.press('Enter');
    await page.getByText('Saved', { exact: true }).waitFor();
    for (const [label, value] of [
      ['Storage in GB', '1.5'],
      ['AI replies per day (UTC)', '250'],
    ] as const) {
      await page.getByText('Saved', { exact: true }).waitFor({ state: 'detached' });
      await page.getByLabel(label).fill(value);
      await page.keyboard.press('Enter');
      await page.getByText('Saved', { exact: true }).waitFor();
    }
    const account = (await get('/admin/accounts')).items.find((one: Json) => one.name === 'Second shop');
    assert.deepEqual(
      [account.limits.crmPerMinute, account.limits.storageBytes, account.limits.aiRepliesPerDay],
      [77, 1.5 * 1024 ** 3, 250],
    );
    assert.deepEqual(errors(refusedRequest), []);
    await close();

    const other = await stage.visit({ path: '/login' });
    await other.page.getByLabel('E-mail').fill('second@example.com');
    await other.page.getByLabel('Password').fill('a long enough one');
    await press(other.page, 'Sign in');
    await other.page.getByRole('navigation', { name: 'Main navigation' }).waitFor();
    await other.page.goto(`${stage.base}/app/settings/accounts`);
    await other.page.getByText('Page not found').waitFor();
    assert.equal(await other.page.getByRole('link', { name: 'Accounts' }).count(), 0);
    await other.close();
  });

  it('the audit log is narrowed by person and kind, and tells what was changed', async () => {
    const { page, errors, close } = await asAdmin('/settings/audit-log');
    const entries = page.getByRole('list', { name: 'Audit log' }).getByRole('listitem');
    await entries.first().waitFor();
    const whole = await entries.count();
    await choose(page, 'What was changed', 'API Tokens');
    await page.getByText('revoked an API token').first().waitFor();
    assert.ok((await entries.count()) < whole);
    await page.locator('summary').filter({ hasText: 'created an API token' }).first().click();
    await page.getByRole('definition').first().waitFor();
    await choose(page, 'What was changed', 'Everything');
    const { service } = stage;
    const member = await service.createUser('operator');
    const called = async (path: string, body: object, method: 'POST' | 'PUT' | 'DELETE' = 'POST') =>
      (await service.call(method, path, { body })).body;
    const kept = await called('/kanbans', { name: 'Named board' });
    await called(`/kanbans/${kept.id}/members`, { userIds: [member.id] }, 'PUT');
    const gone = await called('/kanbans', { name: 'Board that is gone' });
    await service.call('DELETE', `/kanbans/${gone.id}`);
    await page.reload();
    const entry = (words: string) => entries.filter({ hasText: words }).first();
    await entry('changed who sees a board').locator('summary').getByText('Named board').waitFor();
    await entry('deleted a board').locator('summary').getByText('Board that is gone').waitFor();
    await entry('changed who sees a board').locator('summary').click();
    const details = await entry('changed who sees a board').getByRole('definition').allTextContents();
    assert.ok(
      details.some((text) => text.includes(kept.id)),
      'the id stands in the details',
    );
    assert.ok(
      details.some((text) => /operator \d+/.test(text)) && !details.some((text) => text.includes(member.id)),
    );
    await page.getByLabel('To', { exact: true }).fill('2020-01-01');
    await page.getByText('No entries').waitFor();
    await press(page, 'Clear all');
    await entries.first().waitFor();
    assert.deepEqual(errors(), []);
    await close();
  });

  it('an operator sees only what they may use, and the API refuses the rest all the same', async () => {
    const operator = await stage.service.createUser('operator');
    const { page, errors, close } = await stage.open(operator, { path: '/settings' });
    const sections = page.getByRole('navigation', { name: 'Settings sections' });
    await sections.getByRole('link').first().waitFor();
    assert.deepEqual(await sections.getByRole('link').allTextContents(), [
      'Profile',
      'Security',
      'Notifications',
      'Saved replies',
      'Macros',
      'Blocked contacts',
    ]);
    const closed = [
      'channels',
      'widget',
      'agents',
      'labels',
      'workspace',
      'users',
      'audit-log',
      'api-tokens',
      'webhooks',
      'accounts',
      'cells',
    ];
    for (const section of closed) {
      await page.goto(`${stage.base}/app/settings/${section}`);
      await page.getByText('Page not found').waitFor();
    }
    assert.deepEqual(errors(), []);
    await close();
    const refused = [
      ['GET', '/webhooks'],
      ['GET', '/api-tokens'],
      ['GET', '/audit-log'],
      ['GET', '/admin/accounts'],
      ['POST', '/users'],
      ['POST', '/channels'],
      ['POST', '/agents'],
      ['PATCH', '/account'],
    ] as const;
    for (const [method, path] of refused) {
      const answer = await stage.service.call(method, path, {
        token: operator.jwt,
        ...(method !== 'GET' && { body: {} }),
      });
      assert.equal(answer.status, 403, path);
    }
  });

  it('a list that cannot be read says so, and Retry reads it', async () => {
    await stage.service.call('POST', '/api-tokens', {
      token: stage.service.admin.jwt,
      body: { name: 'Shop importer', scopes: ['crm:read'] },
    });
    const { page, close } = await stage.open(stage.service.admin, { path: '/settings/profile' });
    await page.route('**/api-tokens*', (route) =>
      route.request().resourceType() === 'fetch'
        ? route.fulfill({ status: 403, json: {} })
        : route.continue(),
    );
    await page.getByRole('link', { name: 'API Tokens' }).click();
    await page.getByRole('alert').getByText('Something went wrong').waitFor();
    await page.unroute('**/api-tokens*');
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('list', { name: 'API Tokens' }).getByText('Shop importer').waitFor();
    await close();
  });
});
