import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Registry } from 'prom-client';
import type { BackupRun } from '../backups/runs.sql.ts';
import { parseSchedule } from '../backups/schedule.ts';
import { createBackupGauges } from './backup-gauges.ts';

const hourMs = 3_600_000;
const run = (state: BackupRun['state'], createdAt: number) => ({ state, createdAt }) as BackupRun;

it('a backup that is due is late by seconds, for each cell; one that is not, by none', async () => {
  const registry = new Registry();
  const now = Date.now();
  const [fresh, old] = [run('good', now + hourMs), run('good', now - 30 * hourMs)];
  createBackupGauges({
    registers: [registry],
    cellLabel: ['cell'],
    schedule: parseSchedule('1h'),
    read: async () => [
      { labels: { cell: 'home' }, good: fresh, ended: fresh },
      { labels: { cell: 'eu' }, good: old, ended: run('failed', now) },
      { labels: { cell: 'new' }, good: null, ended: null },
    ],
  });
  const text = await registry.metrics();
  const gaugeOf = (name: string, cell: string) =>
    Number(new RegExp(`^${name}\\{cell="${cell}"\\} (\\S+)$`, 'm').exec(text)?.[1]);
  assert.equal(gaugeOf('talkboard_backup_late_seconds', 'home'), 0);
  const late = gaugeOf('talkboard_backup_late_seconds', 'eu');
  assert.ok(late >= 29 * 3600 && late <= 31 * 3600, `${late}`);
  assert.ok(gaugeOf('talkboard_backup_late_seconds', 'new') < 60);
  assert.equal(gaugeOf('talkboard_backup_failed', 'eu'), 1);
  assert.equal(gaugeOf('talkboard_backup_last_success_seconds', 'eu'), old.createdAt / 1000);
  assert.equal(gaugeOf('talkboard_backup_last_success_seconds', 'new'), Number.NaN);
});
