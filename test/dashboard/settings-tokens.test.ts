import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createKanban } from '../support/crm.ts';
import type { DashboardStage } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import type { Json } from '../support/service.ts';

describe('tokens and their owners, the audit log, bound channels', () => {
  let stage: DashboardStage;
  before(async () => {
    stage = await startDashboard();
  });
  after(() => stage.close());

  const asAdmin = (path: string) => stage.open(stage.service.admin, { path });
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
  const choose = async (page: Page, box: string, option: string) => {
    await page.getByRole('combobox', { name: box, exact: true }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };
  const named = async (userId: string): Promise<string> => {
    const { body } = await stage.service.call('GET', '/users?limit=100');
    return body.items.find((one: Json) => one.id === userId).name;
  };
  const works = async (token: string) =>
    (await stage.service.call('GET', '/account', { token })).status === 200;

  it('the list names who made each token, and a token is transferred', async () => {
    const { service } = stage;
    const [maker, heir] = [await service.createUser('admin'), await service.createUser('admin')];
    await service.createUser('operator');
    const { id } = await service.createToken(maker.jwt, { name: 'Warehouse sync' });
    const { page, errors, close } = await asAdmin('/settings/api-tokens');
    const row = page.getByRole('listitem').filter({ hasText: 'Warehouse sync' });
    await row.getByText(`Created by ${await named(maker.id)}`).waitFor();
    await press(page, 'Transfer Warehouse sync');
    const dialog = page.getByRole('dialog');
    assert.ok(await dialog.getByRole('button', { name: 'Transfer' }).isDisabled());
    await page.getByRole('combobox', { name: 'New owner' }).click();
    const offered = await page.getByRole('option').allInnerTexts();
    assert.ok(!offered.some((name) => name.startsWith('operator')), 'an operator’s token could not manage');
    await page.getByRole('option', { name: await named(heir.id), exact: true }).click();
    await dialog.getByRole('button', { name: 'Transfer' }).click();
    await row.getByText(`Created by ${await named(heir.id)}`).waitFor();
    const { body } = await service.call('GET', '/api-tokens');
    assert.equal(body.items.find((one: Json) => one.id === id).createdBy.id, heir.id);
    assert.deepEqual(errors(), []);
    await close();
  });

  it('removing a person says how many tokens end with them, and transfers them if asked to', async () => {
    const { service } = stage;
    for (const outcome of ['transferred', 'ended'] as const) {
      const leaver = await service.createUser('admin');
      const name = await named(leaver.id);
      const tokens = [
        await service.createToken(leaver.jwt, { name: 'Shop import' }),
        await service.createToken(leaver.jwt, { name: 'Reports' }),
      ];
      const { page, errors, close } = await asAdmin('/settings/users');
      await press(page, `Actions for ${name}`);
      await page.getByRole('menuitem', { name: 'Remove' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('2 API tokens are revoked with this person.').waitFor();
      await dialog.getByText('Reports, Shop import').waitFor();
      if (outcome === 'transferred') {
        await choose(page, 'API tokens of this person', 'Transfer to Administrator');
        await dialog.getByText('2 API tokens keep working.').waitFor();
      }
      await dialog.getByRole('textbox').fill(name);
      await dialog.getByRole('button', { name: 'Remove' }).click();
      await dialog.waitFor({ state: 'detached' });
      await eventually(async () => (await works(tokens[0]!.token)) === (outcome === 'transferred'));
      assert.equal(await works(tokens[1]!.token), outcome === 'transferred');
      assert.deepEqual(errors(), []);
      await close();
    }
  });

  it('a person without tokens is removed without a question about them', async () => {
    const leaver = await stage.service.createUser('operator');
    const name = await named(leaver.id);
    const { page, close } = await asAdmin('/settings/users');
    await press(page, `Actions for ${name}`);
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').fill(name);
    assert.equal(await dialog.getByText('API token').count(), 0);
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.waitFor({ state: 'detached' });
    await close();
  });

  it('nobody is removed before their tokens could be read', async () => {
    const leaver = await stage.service.createUser('operator');
    const name = await named(leaver.id);
    const { page, close } = await asAdmin('/settings/users');
    await page.route('**/api-tokens?*', (route) => route.fulfill({ status: 400, json: { message: 'no' } }));
    await press(page, `Actions for ${name}`);
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    const dialog = page.getByRole('dialog');
    const remove = dialog.getByRole('button', { name: 'Remove' });
    await dialog.getByRole('textbox').fill(name);
    const again = dialog.getByRole('button', { name: 'Retry' });
    await again.waitFor();
    assert.equal(await remove.isDisabled(), true);
    await page.unroute('**/api-tokens?*');
    await again.click();
    await eventually(() => remove.isEnabled());
    await close();
  });

  it('the audit log is narrowed by action and shows the address', async () => {
    const { service } = stage;
    const user = await service.createUser('operator');
    const body = { email: user.email, password: 'not the password' };
    await service.call('POST', '/auth/login', { token: null, body });
    const { body: record } = await service.call('POST', '/crm/records', { body: { title: 'Gone for good' } });
    await service.call('DELETE', `/crm/records/${record.recordId}`);
    const { page, errors, close } = await asAdmin('/settings/audit-log');
    const list = page.getByRole('list', { name: 'Audit log' });
    await list.getByText('signed in').first().waitFor();
    await choose(page, 'Action', 'Failed to sign in');
    const rows = list.locator('summary');
    await eventually(async () => (await rows.count()) === 1);
    await rows.getByText('failed to sign in').waitFor();
    await rows.getByText('127.0.0.1').waitFor();
    await choose(page, 'Action', 'Deleted a card');
    await rows.getByText('Gone for good').waitFor();
    await rows.first().click();
    assert.deepEqual(errors(), []);
    await close();
  });

  it('a field’s channels are shown and changed, by type and by name', async () => {
    const { service } = stage;
    const board = await createKanban(service);
    const { page, errors, close } = await asAdmin(`/boards/${board.id}/settings`);
    await press(page, 'Fields');
    await press(page, 'Edit Phone');
    const dialog = page.getByRole('dialog');
    const bound = dialog.getByRole('group', { name: 'Filled by channels' });
    await bound.getByText('All channels of type SMS').waitFor();
    await bound.getByRole('button', { name: 'Remove All channels of type SMS' }).click();
    await bound.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('option', { name: 'Website', exact: true }).click();
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const { body } = await service.call('GET', `/crm/fields?kanbanId=${board.id}`);
    assert.deepEqual(body.fields[0].channelBindings.toSorted(), [
      'Website',
      'chatapp',
      'chatapp_byot',
      'chatapp_no',
    ]);
    assert.deepEqual(body.fields[0].boundToChannels, ['Website']);
    assert.deepEqual(errors(), []);
    await close();
  });

  it('a field whose settings cannot be read says so, and opens when they are read again', async () => {
    const board = await createKanban(stage.service);
    const { page, close } = await asAdmin(`/boards/${board.id}/settings`);
    await page.route('**/crm/fields?*', (route) => route.fulfill({ status: 400, json: { message: 'no' } }));
    await press(page, 'Fields');
    await press(page, 'Edit Phone');
    const dialog = page.getByRole('dialog');
    const again = dialog.getByRole('button', { name: 'Retry' });
    await again.waitFor();
    await page.unroute('**/crm/fields?*');
    await again.click();
    await dialog.getByRole('button', { name: 'Save' }).waitFor();
    await close();
  });
});
