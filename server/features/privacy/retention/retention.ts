/** How long an account keeps its data. The job of retention.jobs.ts removes what is older. */
import type {
  Retention,
  RetentionPreview,
  RetentionSettings,
  RetentionUpdate,
} from '../../../../contract/retention.ts';
import type { Db, Reader, Tx } from '../../../platform/db/db.ts';
import { firstIdAt } from '../../../platform/ids.ts';
import { jobKind } from '../../../platform/jobs/job-kinds.ts';
import { endlessAttempts, enqueue } from '../../../platform/jobs/jobs.ts';
import {
  type Actor,
  audit,
  differences,
  findWebhookLogDays,
  lockAccountConfig,
  setWebhookLogDays,
} from '../../accounts/accounts.ts';
import { type Bounds, countOlder, findRetention, saveRetention, selectDue } from './retention.sql.ts';

export const retentionJobKind = jobKind('retention');

const dayMs = 86_400_000;
/** Beyond this a person only needs to know that it is a lot. */
const countedUpTo = 100_000;
const everyMs = 3_600_000;

export async function readRetention(db: Reader, accountId: string): Promise<Retention> {
  const found = await findRetention(db, accountId);
  return {
    messageDays: found?.messageDays ?? null,
    fileDays: found?.fileDays ?? null,
    eventDays: await findWebhookLogDays(db, accountId),
    auditDays: found?.auditDays ?? null,
    replyLogDays: found?.replyLogDays ?? null,
    lastRunAt: found?.lastRunAt ?? null,
    removed: found?.removed ?? {},
  };
}

const settingsOf = ({
  messageDays,
  fileDays,
  eventDays,
  auditDays,
  replyLogDays,
}: RetentionSettings): RetentionSettings => ({ messageDays, fileDays, eventDays, auditDays, replyLogDays });

/** What is too old goes at once, in the background. */
export async function changeRetention(
  tx: Tx,
  actor: Actor,
  now: number,
  change: RetentionUpdate,
): Promise<Retention> {
  const { accountId } = actor;
  // All settings are written: two changes of different ones must not undo each other.
  await lockAccountConfig(tx, accountId);
  const before = await readRetention(tx, accountId);
  const after = { ...before, ...settingsOf({ ...before, ...change }) };
  await saveRetention(tx, accountId, after);
  if (after.eventDays !== before.eventDays) await setWebhookLogDays(tx, accountId, after.eventDays);
  await audit(tx, actor, now, {
    action: 'retention.updated',
    target: { type: 'account', id: accountId },
    changes: differences(settingsOf(before), settingsOf(after)),
  });
  await enqueueRetention(tx, accountId);
  return after;
}

/** What would go with these settings. */
export async function previewRetention(
  db: Reader,
  accountId: string,
  now: number,
  change: RetentionUpdate,
): Promise<RetentionPreview> {
  const settings = { ...settingsOf(await readRetention(db, accountId)), ...change };
  return { ...(await countOlder(db, accountId, boundsOf(settings, now), countedUpTo)), countedUpTo };
}

export function boundsOf(settings: RetentionSettings, now: number): Bounds {
  const idBefore = (days: number | null) => (days === null ? null : firstIdAt(now - days * dayMs));
  return {
    messages: idBefore(settings.messageDays),
    files: idBefore(settings.fileDays),
    events: now - settings.eventDays * dayMs,
    audit: idBefore(settings.auditDays),
    replyLog: idBefore(settings.replyLogDays),
  };
}

/** A step of housekeeping: one job for each account that removes anything, once an hour. */
export async function enqueueDueRetention(db: Db, now: number): Promise<void> {
  const due = await selectDue(db, now - everyMs);
  for (const accountId of due) await db.transaction((tx) => enqueueRetention(tx, accountId));
}

const enqueueRetention = (tx: Tx, accountId: string) =>
  enqueue(tx, {
    accountId,
    kind: retentionJobKind,
    dedupeKey: accountId,
    maxAttempts: endlessAttempts,
  });
