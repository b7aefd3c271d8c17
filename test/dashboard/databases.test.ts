/** Settings → Databases: the cells of an instance, and the accounts that move between them. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { saveCell } from '../../server/platform/cells/directory.sql.ts';
import { cellOfAccount } from '../../server/platform/cells/directory.ts';
import { moveAccount } from '../../server/platform/cells/move/move.ts';
import type { Move } from '../../server/platform/cells/move/moves.sql.ts';
import { type DashboardStage, settled } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';

describe('the databases of an instance in the dashboard', () => {
  let stage: DashboardStage;
  before(async () => {
    stage = await startDashboard({}, { cells: ['eu2'] });
  });
  after(() => stage.close());

  const home = () => stage.service.context.db;
  const move = (accountId: string, to: string, report?: (one: Move) => void) =>
    moveAccount({
      home: home(),
      dbOf: (cell) => stage.service.contextOf(cell).db,
      accountId,
      to,
      ...(report && { report }),
    });
  const rowsOf = (page: Page, list: string): Locator =>
    page.getByRole('list', { name: list, exact: true }).getByRole('listitem');
  const open = () => stage.open(stage.service.admin, { path: '/settings/cells' });
  /** As the API says it: where an account is created depends on how many there are. */
  const accountsIn = async (cell: string): Promise<number> => {
    const { body } = await stage.service.call('GET', '/admin/cells', { token: stage.service.admin.jwt });
    return body.cells.find(({ name }: { name: string }) => name === cell).accounts;
  };

  it('each has a row with its accounts; one that takes no new ones says so', async () => {
    for (const name of ['Anvil', 'Bellows']) await stage.service.createAccount(name);
    await home().transaction((tx) => saveCell(tx, { name: 'eu2', weight: 3, drained: true }));
    const { page, errors, close } = await open();
    await rowsOf(page, 'Databases').nth(1).waitFor();
    assert.equal(await rowsOf(page, 'Databases').count(), 2);
    const [inHome, inEu2] = [await accountsIn('home'), await accountsIn('eu2')];
    assert.ok(inHome > 0 && inEu2 > 0);
    const first = rowsOf(page, 'Databases').filter({ hasText: 'home' });
    await first.getByText(`Accounts: ${inHome} · weight`).waitFor();
    const second = rowsOf(page, 'Databases').filter({ hasText: 'eu2' });
    await second.getByText(`Accounts: ${inEu2} · weight 3`).waitFor();
    await second.getByText('Takes no new accounts').waitFor();
    assert.equal(await first.getByText('Takes no new accounts').count(), 0);
    await page.getByText('No account has been moved yet.').waitFor();
    await settled(page);
    assert.deepEqual(errors(), []);
    await home().transaction((tx) => saveCell(tx, { name: 'eu2', weight: 1, drained: false }));
    await close();
  });

  it('a move is shown while it goes on and when it has ended, without loading the page again', async () => {
    const { accountId } = await stage.service.createAccount('Crane');
    const from = await cellOfAccount(home(), accountId);
    const to = from === 'home' ? 'eu2' : 'home';
    await assert.rejects(
      move(accountId, to, ({ state }) => {
        if (state === 'checking') throw new Error('interrupted');
      }),
      /interrupted/,
    );
    const { page, errors, close } = await open();
    const row = rowsOf(page, 'Moves').filter({ hasText: `Crane from ${from} to ${to}` });
    await row.getByText('Comparing').waitFor();
    await row.getByRole('progressbar', { name: 'Progress of the move of Crane' }).waitFor();
    await settled(page);

    const done = await move(accountId, to);
    assert.equal(done.state, 'done');
    await row.getByText('Moved', { exact: true }).waitFor();
    await row.getByText(/Writes waited for [\d,]+ ms/).waitFor();
    await row.getByRole('progressbar').waitFor({ state: 'detached' });
    const there = rowsOf(page, 'Databases').filter({ hasText: to });
    await there.getByText(`Accounts: ${await accountsIn(to)} ·`).waitFor();
    assert.deepEqual(errors(), []);
    await close();
  });

  it('somebody else does not see them', async () => {
    const { email } = await stage.service.createUser('admin');
    const { page, close } = await stage.open({ email }, { path: '/settings' });
    const entries = page.getByRole('navigation', { name: 'Settings sections' });
    await entries.getByRole('link').first().waitFor();
    await settled(page);
    assert.equal(await entries.getByRole('link', { name: 'Databases' }).count(), 0);
    await close();
    const { page: own, close: closeOwn } = await stage.open(stage.service.admin, { path: '/settings' });
    await own
      .getByRole('navigation', { name: 'Settings sections' })
      .getByRole('link', { name: 'Databases' })
      .click();
    await eventually(async () => (await rowsOf(own, 'Databases').count()) === 2);
    await closeOwn();
  });
});
