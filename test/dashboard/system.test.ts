/** The page about the instance: what its administrator sees of queues, failed jobs, storage, slow queries and versions. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { version } from '../../contract/version.ts';
import { sql } from '../../server/platform/db/sql.ts';
import { newId } from '../../server/platform/ids.ts';
import type { DashboardStage } from '../support/dashboard.ts';
import { startDashboard } from '../support/dom/dashboard.ts';
import { eventually } from '../support/eventually.ts';

describe('the page about the instance', () => {
  let stage: DashboardStage;
  before(async () => {
    stage = await startDashboard({}, { own: true });
  });
  after(() => stage.close());

  const failJobs = (kinds: readonly string[]) =>
    stage.service.context.db.autocommit(sql`
      insert into jobs (account_id, id, kind, payload, attempts, max_attempts, last_error, failed_at)
      select ${stage.service.admin.accountId}::uuid, j.id, j.kind, '{}', 3, 3, 'Error: it did not work',
        now() - make_interval(secs => j.place)
      from unnest(${kinds.map(() => newId())}::uuid[], ${kinds}::text[]) with ordinality as j (id, kind, place)`);
  const countJobs = async (kind: string) => {
    const rows = await stage.service.context.db.query<{ failed: boolean }>(
      sql`select failed_at is not null as failed from jobs where kind = ${kind}`,
    );
    return rows.map(({ failed }) => failed);
  };

  it('shows queues, storage and versions, and says where there is nothing', async () => {
    const { page, errors, close } = await stage.open(stage.service.admin, { path: '/settings/system' });
    await page.getByRole('heading', { name: 'System' }).waitFor();
    await page.getByText('No job has failed').waitFor();
    const queues = page.getByRole('list', { name: 'Queues' });
    await queues.getByText('Webhook deliveries').waitFor();
    const versions = page.getByRole('list', { name: 'Versions' });
    await versions.getByText(version).waitFor();
    await versions.getByText(process.versions.node).waitFor();
    await page.getByRole('list', { name: 'Storage' }).getByText('Free on the disk').waitFor();
    assert.deepEqual(errors(), []);
    await close();
  });

  it('opens the whole text of a slow query', async () => {
    const end = 'as the_end_of_a_long_query';
    await stage.service.context.db.query(
      sql`select pg_sleep(0.25), ${'a'}::text || ${'b'}::text || ${'c'}::text || ${'d'}::text as the_end_of_a_long_query`,
    );
    const { page, errors, close } = await stage.open(stage.service.admin, { path: '/settings/system' });
    const row = page
      .getByRole('list', { name: 'Slow queries' })
      .getByRole('listitem')
      .filter({ hasText: end });
    const whole = row.locator('details code');
    await whole.waitFor({ state: 'attached' });
    assert.equal(await whole.isVisible(), false);
    await row.getByText('Whole text').click();
    await whole.waitFor();
    assert.match((await whole.textContent()) ?? '', new RegExp(`${end}$`));
    assert.deepEqual(errors(), []);
    await close();
  });

  it('runs a failed job again, discards another after a question, and loads more', async () => {
    const kinds = [
      'first-job',
      'second-job',
      ...Array.from({ length: 20 }, (_, index) => `job-${index + 3}`),
    ];
    await failJobs(kinds);
    const { page, errors, close } = await stage.open(stage.service.admin, { path: '/settings/system' });
    const failed = page.getByRole('list', { name: 'Failed jobs' });
    const row = (kind: string) => failed.getByRole('listitem').filter({ hasText: kind });
    await row('first-job').getByText('it did not work').waitFor();
    await page.getByRole('button', { name: 'Load more' }).click();
    await row('job-22').waitFor();

    await row('first-job').getByRole('button', { name: 'Run again' }).click();
    await page.getByText('The job runs again').waitFor();
    await row('first-job').waitFor({ state: 'detached' });
    await eventually(async () => !(await countJobs('first-job')).includes(true));

    await row('second-job').getByRole('button', { name: 'Discard' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('This cannot be undone').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(await countJobs('second-job'), [true]);
    await row('second-job').getByRole('button', { name: 'Discard' }).click();
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await row('second-job').waitFor({ state: 'detached' });
    await eventually(async () => (await countJobs('second-job')).length === 0);
    assert.deepEqual(errors(), []);
    await close();
  });

  it('is not there for those who do not administer the instance', async () => {
    const operator = await stage.service.createUser('admin');
    const { page, close } = await stage.open(operator, { path: '/settings/profile' });
    await page.getByRole('link', { name: 'Webhooks', exact: true }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'System', exact: true }).count(), 0);
    await close();
  });
});
