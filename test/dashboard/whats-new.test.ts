import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { version } from '../../contract/version.ts';
import { sql } from '../../server/platform/db/sql.ts';
import type { DashboardStage } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';

describe('what’s new', () => {
  let stage: DashboardStage;
  before(async () => {
    stage = await startDashboard();
    await stage.service.call('POST', '/crm/records', { body: { title: 'Somebody' } });
  });
  after(() => stage.close());

  it('a person who upgraded sees a mark until they have opened the page, on every device', async () => {
    const user = await stage.service.createUser('operator');
    await stage.service.context.db.transaction((tx) =>
      tx.query(sql`update users set seen_release = null where id = ${user.id}`),
    );
    const { page, errors, close } = await stage.open(user);
    await page.getByRole('button', { name: /Account and theme \(new\)$/ }).click();
    await page.getByRole('menuitem', { name: 'What’s new (new)' }).click();
    await page.getByRole('heading', { level: 1, name: 'What’s new' }).waitFor();
    await page.getByRole('region', { name: version }).getByRole('listitem').first().waitFor();
    await page.getByRole('button', { name: /Account and theme$/ }).waitFor();
    await eventually(async () => {
      const { body } = await stage.service.call('GET', '/auth/me', { token: user.jwt });
      return body.user.seenRelease === version;
    });
    assert.deepEqual(errors(), []);
    await close();
    const elsewhere = await stage.open(user);
    await elsewhere.page.getByRole('button', { name: /Account and theme$/ }).waitFor();
    await elsewhere.close();
  });

  it('a new person has nothing unread, and the palette leads to the page', async () => {
    const user = await stage.service.createUser('operator');
    const { page, close } = await stage.open(user);
    await page.getByRole('button', { name: /Account and theme$/ }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('new');
    await page.getByRole('option', { name: 'What’s new' }).click();
    await page.getByRole('heading', { level: 1, name: 'What’s new' }).waitFor();
    await close();
  });
});
