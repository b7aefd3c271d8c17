/** Export, erasure, deletion, retention and suspension, as an administrator does them in the dashboard. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { sql } from '../../server/platform/db/sql.ts';
import { type Conversations, conversationsOf } from '../support/conversations.ts';
import type { DashboardStage } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/service.ts';

describe('privacy in the dashboard', () => {
  let stage: DashboardStage;
  let talk: Conversations;
  before(async () => {
    stage = await startDashboard();
    talk = conversationsOf(stage.service);
    for (const [sessionId, externalUserId, sessionName] of [
      ['ada', '+442079460001', 'Ada Lovelace'],
      ['grace', '+442079460002', 'Grace Hopper'],
    ]) {
      await talk.expect(
        200,
        talk.send({ sessionId, externalUserId, sessionName, content: `I am ${sessionName}`, isEcho: true }),
      );
    }
  });
  after(() => stage.close());

  const open = (path: string) => stage.open(stage.service.admin, { path });
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click();
  const inDialog = (page: Page) => page.getByRole('dialog');

  it('a contact is exported as a file, and erased after its name was typed', async () => {
    const [contact] = (await talk.expect(200, stage.service.call('GET', '/contacts?q=Ada'))).items;
    const { page, errors, close } = await open(`/contacts/${contact.id}`);
    const downloading = page.waitForEvent('download');
    await press(page, 'Export');
    assert.equal((await downloading).suggestedFilename(), `contact-${contact.id}.tar.gz`);
    await press(page, 'Erase');
    const confirm = inDialog(page).getByRole('button', { name: 'Erase', exact: true });
    await inDialog(page).getByLabel('Type Ada Lovelace to confirm').fill('Ada');
    assert.equal(await confirm.isDisabled(), true);
    await inDialog(page).getByLabel('Type Ada Lovelace to confirm').fill('Ada Lovelace');
    await confirm.click();
    await page.getByText('The contact is being erased').waitFor();
    await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor();
    await eventually(
      async () => (await stage.service.call('GET', `/contacts/${contact.id}`)).status === 404,
      30_000,
    );
    assert.deepEqual(errors(/404/), []);
    await close();
  });

  it('a message is deleted after a confirmation, and the conversation says so', async () => {
    const { page, errors, close } = await open('/inbox/grace');
    await page.getByText('I am Grace Hopper').last().waitFor();
    await page.getByRole('article').first().hover();
    await press(page, 'Message actions');
    await page.getByRole('menuitem', { name: 'Delete message' }).click();
    await inDialog(page).getByRole('button', { name: 'Delete message' }).click();
    await page.getByRole('article').getByText('Message deleted').waitFor();
    await eventually(async () => (await talk.messages('grace'))[0].content === '');
    assert.deepEqual(errors(), []);
    await close();
  });

  it('a conversation is deleted after the name was typed', async () => {
    const { page, errors, close } = await open('/inbox/grace');
    await page.getByRole('heading', { name: 'Grace Hopper' }).waitFor();
    await press(page, 'More actions');
    await page.getByRole('menuitem', { name: 'Delete conversation' }).click();
    await inDialog(page).getByRole('textbox').fill('Grace Hopper');
    await inDialog(page).getByRole('button', { name: 'Delete conversation' }).click();
    await page.getByText('The conversation is being deleted').waitFor();
    await eventually(async () => (await stage.service.call('GET', '/sessions/grace')).status === 404, 30_000);
    assert.deepEqual(errors(/404/), []);
    await close();
  });

  it('retention shows what would go before it is saved', async () => {
    // The AI does not answer what the business wrote itself.
    const echo = { sessionId: 'old', externalUserId: '+442079460003', isEcho: true };
    await talk.expect(200, talk.send({ ...echo, content: 'long ago' }));
    const [message] = await talk.messages('old');
    await stage.service.context.db.autocommit(
      sql`update messages set id = ${`0150${message.id.slice(4)}`} where id = ${message.id}`,
    );
    const { page, errors, close } = await open('/settings/retention');
    const field = page.getByLabel('Messages and notes, in days');
    await field.fill('3');
    await page.getByText('A whole number from 7 to 3,650').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled(), true);
    await field.fill('30');
    await press(page, 'Save');
    await inDialog(page).getByText('Conversations').waitFor();
    await press(page, 'Cancel');
    const kept = await talk.expect(200, stage.service.call('GET', '/account/retention'));
    assert.equal(kept.messageDays, null);
    await press(page, 'Save');
    await inDialog(page).getByRole('button', { name: 'Save and remove' }).click();
    await page.getByText('Data retention was saved').waitFor();
    await eventually(async () => (await stage.service.call('GET', '/sessions/old')).status === 404, 30_000);
    assert.deepEqual(errors(), []);
    await close();
  });

  it('an account is suspended, resumed and deleted', async () => {
    const { accountId, token } = await stage.service.createAccount('Branch office');
    const { page, errors, close } = await open(`/settings/accounts/${accountId}`);
    await press(page, 'Suspend');
    await inDialog(page).getByLabel('Reason (optional)').fill('unpaid');
    await inDialog(page).getByRole('button', { name: 'Suspend', exact: true }).click();
    await page.getByText(/^Suspended since/).waitFor();
    await eventually(
      async () => (await stage.service.call('GET', '/account', { token })).body.code === 'ACCOUNT_SUSPENDED',
    );
    await press(page, 'Resume');
    await page.getByText('Branch office is active again').waitFor();
    await press(page, 'Delete account');
    await inDialog(page).getByRole('textbox').fill('Branch office');
    await inDialog(page).getByRole('button', { name: 'Delete account' }).click();
    await page.getByText('Branch office is being deleted').waitFor();
    const listed = async (): Promise<Json[]> =>
      (await stage.service.call('GET', '/admin/accounts?limit=100', { token: stage.service.admin.jwt })).body
        .items;
    await eventually(async () => !(await listed()).some(({ id }) => id === accountId), 60_000);
    assert.deepEqual(errors(), []);
    await close();
  });
});
