/** Backups in the settings of the instance. */
import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { sql } from '../../server/platform/db/sql.ts';
import type { DashboardStage } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';

describe('backups in the dashboard', () => {
  let stage: DashboardStage;
  const folder = mkdtempSync(join(tmpdir(), 'talkboard-backups-'));
  before(async () => {
    stage = await startDashboard({ BACKUP_TO: folder });
  });
  after(async () => {
    await stage.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('one is made at once, is verified, and a failed one is shown with its cause', async () => {
    const { page, errors, close } = await stage.open(stage.service.admin, { path: '/settings/backups' });
    await page.getByText('No backup has been made yet.').waitFor();
    await page.getByText(folder).waitFor();
    await page.getByText('Only on request').waitFor();
    await page.getByText('days: 7 · weeks: 4 · months: 6').waitFor();
    await page.getByRole('button', { name: 'Back up now' }).click();
    const runs = page.getByRole('list', { name: 'Last runs' });
    const stored = page.getByRole('list', { name: 'Stored backups' });
    await runs.getByText('Verified', { exact: true }).waitFor({ timeout: 60_000 });
    await stored.getByText('Verified', { exact: true }).waitFor();
    const names = readdirSync(folder).filter((name) => name.endsWith('.backup.gz'));
    assert.equal(names.length, 1);
    await runs.getByText(names[0]!).waitFor();
    await stored.getByText(names[0]!).waitFor();
    await stored.getByText('Not encrypted').waitFor();
    await stage.service.context.db.transaction((tx) =>
      tx.query(sql`
        insert into backup_runs (id, cell, cause, state, place, error, created_at, updated_at, ended_at)
        select gen_random_uuid(), cell, 'schedule', 'failed', place, 'the bucket is full', created_at + 1, updated_at,
          ended_at from backup_runs`),
    );
    await page.reload();
    await page.getByRole('alert').getByText('The last backup failed: the bucket is full').waitFor();
    appendFileSync(join(folder, names[0]!), 'more');
    await page.route('**/admin/backups', async (route) => {
      const response = await route.fetch();
      await route.fulfill({
        response,
        json: { ...(await response.json()), everyHours: 6, nextAt: Date.UTC(2030, 0, 5, 18) },
      });
    });
    await page.reload();
    await stored.getByText('Not good', { exact: true }).waitFor();
    await stored.getByText(/The backup did not finish, or its file was changed later/).waitFor();
    await page.getByText('Every 6 hours').waitFor();
    await page.getByText(/2030.*\d\d:\d\d [A-Z]{2,}/).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    rmSync(join(folder, names[0]!));
    await page.reload();
    await runs.getByText('File missing').waitFor();
    await page.getByText('There are no backups in this place yet.').waitFor();
    assert.deepEqual(errors(), []);
    await close();
  });
});
