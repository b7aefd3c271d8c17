/** The gauges of scheduled backups. Without the database the last values stay. */
import { Gauge, type Registry } from 'prom-client';
import type { BackupRun } from '../backups/runs.sql.ts';
import { lateSince, type Schedule } from '../backups/schedule.ts';

interface LastRuns {
  labels: { cell?: string };
  good: BackupRun | null;
  ended: BackupRun | null;
}

export interface BackupGauges {
  registers: Registry[];
  cellLabel: 'cell'[];
  /** Null: only on request. */
  schedule: Schedule | null;
  /** Of each cell; an empty list without the database. */
  read(): Promise<LastRuns[]>;
}

export function createBackupGauges({ registers, cellLabel, schedule, read }: BackupGauges): void {
  const startedAt = Date.now();
  const gauge = (name: string, help: string, of: (runs: LastRuns) => number | null) => {
    const made = new Gauge({
      name,
      help,
      labelNames: cellLabel,
      registers,
      async collect() {
        for (const runs of await read()) {
          const value = of(runs);
          if (value !== null) this.set(runs.labels, value);
        }
      },
    });
    // A gauge without labels begins with 0, which would be a backup of 1970.
    if (cellLabel.length === 0) made.remove();
  };
  gauge(
    'talkboard_backup_last_success_seconds',
    'When the last good backup was made, in seconds since 1970; absent: never.',
    ({ good }) => good && good.createdAt / 1000,
  );
  gauge('talkboard_backup_failed', '1 if the last backup failed, otherwise 0.', ({ ended }) =>
    ended?.state === 'failed' ? 1 : 0,
  );
  gauge(
    'talkboard_backup_late_seconds',
    'For how long a backup of the schedule has been due; absent: no schedule.',
    ({ good }) => {
      if (!schedule) return null;
      const now = Date.now();
      const since = lateSince(schedule, { goodAt: good?.createdAt ?? null, startedAt, now });
      return since === null ? 0 : Math.max(0, now - since) / 1000;
    },
  );
}
