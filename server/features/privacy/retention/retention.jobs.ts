/**
 * Removes what is older than an account keeps: many short transactions, so that locks are short. Every part can
 * be repeated, so a killed worker's successor begins again.
 */

import { messageEvents } from '../../../../contract/events.ts';
import type { RetentionSettings } from '../../../../contract/retention.ts';
import type { BlobStore } from '../../../platform/blobs/blob-store.ts';
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db, Tx } from '../../../platform/db/db.ts';
import { deleteOldEventsOf } from '../../../platform/events/erase-events.ts';
import { noteRemovedMessages, takeBackLiveChanges } from '../../../platform/events/live-changes.ts';
import { type Job, type JobHandler, JobPostponed, JobReleased } from '../../../platform/jobs/jobs.ts';
import { markErased, removeErasedFiles, removeOldFiles } from '../../attachments/attachments.ts';
import { lockSession } from '../../sessions/sessions.ts';
import { removeConversation } from '../erasures/erasures.ts';
import {
  correctCounts,
  deleteOldAudit,
  deleteOldMessages,
  deleteOldReplyLog,
  hasContent,
  selectOldSessions,
} from './retention.remove.sql.ts';
import { saveRun } from './retention.sql.ts';
import { boundsOf, readRetention } from './retention.ts';

interface RetentionDeps {
  db: Db;
  blobs: BlobStore;
  clock: Clock;
}

const messagesAtOnce = 500;
const filesAtOnce = 100;
const rowsAtOnce = 2_000;
/** They contain the text of messages and notes. */
const textEvents = [...messageEvents, 'note_created', 'note_updated', 'note_deleted'];

type Counts = Record<string, number>;

export function retentionHandler(deps: RetentionDeps): JobHandler {
  const { db, clock } = deps;
  return async (job) => {
    const { accountId } = job;
    const settings = await readRetention(db, accountId);
    const now = clock.now();
    const { messages, files, audit, replyLog } = boundsOf(settings, now);
    const removed: Counts = {};
    const batch = async <T extends Counts>(part: (tx: Tx) => Promise<T>): Promise<T> => {
      const counts = await keepOn(deps, job, part);
      for (const [what, count] of Object.entries(counts)) {
        if (count > 0) removed[what] = (removed[what] ?? 0) + count;
      }
      return counts;
    };
    if (messages !== null) {
      await removeMessages(deps, batch, accountId, messages);
      const before = now - settings.messageDays! * 86_400_000;
      await repeat(batch, 'events', (tx) => deleteOldEventsOf(tx, accountId, textEvents, before, rowsAtOnce));
    }
    if (files !== null) await removeFiles(batch, accountId, files, now);
    await removeErasedFiles(deps, accountId, () => keepOn(deps, job, async () => undefined));
    if (audit !== null) {
      await repeat(batch, 'auditEntries', (tx) => deleteOldAudit(tx, accountId, audit, rowsAtOnce));
    }
    if (replyLog !== null) {
      await repeat(batch, 'replyLogs', (tx) => deleteOldReplyLog(tx, accountId, replyLog, rowsAtOnce));
    }
    const isAgain = await db.transaction(async (tx) => {
      // A change of the settings waits for this, or is seen here.
      await saveRun(tx, accountId, clock.now(), removed);
      const current = await readRetention(tx, accountId);
      if (daysOf(current) !== daysOf(settings)) return true;
      await job.complete(tx);
      return false;
    });
    if (isAgain) throw new JobPostponed(0);
  };
}

const daysOf = ({ messageDays, fileDays, auditDays, replyLogDays }: RetentionSettings) =>
  [messageDays, fileDays, auditDays, replyLogDays].join();

type Batch = <T extends Counts>(part: (tx: Tx) => Promise<T>) => Promise<T>;

async function keepOn<T>({ db }: RetentionDeps, job: Job, part: (tx: Tx) => Promise<T>): Promise<T> {
  if (job.isStopping()) throw new JobReleased('the service is stopping');
  return db.transaction(async (tx) => {
    await job.keep(tx);
    return part(tx);
  });
}

async function repeat(batch: Batch, what: string, part: (tx: Tx) => Promise<number>): Promise<void> {
  for (;;) {
    const counts = await batch(async (tx) => ({ [what]: await part(tx) }));
    if (counts[what]! < rowsAtOnce) return;
  }
}

async function removeMessages(
  { db }: RetentionDeps,
  batch: Batch,
  accountId: string,
  before: string,
): Promise<void> {
  for (;;) {
    const sessionIds = await selectOldSessions(db, accountId, before, messagesAtOnce);
    if (sessionIds.length === 0) return;
    for (const sessionId of sessionIds) {
      for (let isLast = false; !isLast; ) {
        const { messages } = await batch((tx) => removeSome(tx, accountId, sessionId, before));
        isLast = messages < messagesAtOnce;
      }
    }
  }
}

/** A conversation goes with its last message. */
async function removeSome(
  tx: Tx,
  accountId: string,
  sessionId: string,
  before: string,
): Promise<{ messages: number; conversations: number; files: number }> {
  // Waits for a message in progress.
  await lockSession(tx, accountId, sessionId);
  const { ids, fileKeys } = await deleteOldMessages(tx, accountId, sessionId, before, messagesAtOnce);
  const isEmpty = ids.length < messagesAtOnce && !(await hasContent(tx, accountId, sessionId));
  const others = isEmpty ? await removeConversation(tx, accountId, sessionId) : [];
  if (!isEmpty) await correctCounts(tx, accountId, sessionId);
  const files = await markErased(tx, accountId, [...new Set([...fileKeys, ...others])]);
  // One change for all of them, not one for each message.
  await takeBackLiveChanges(tx, accountId, { type: 'message.deleted' });
  await noteRemovedMessages(tx, accountId, ids);
  return { messages: ids.length, conversations: isEmpty ? 1 : 0, files };
}

async function removeFiles(batch: Batch, accountId: string, before: string, now: number): Promise<void> {
  for (let after: string | null = null, isLast = false; !isLast; ) {
    await batch(async (tx) => {
      const { last, count } = await removeOldFiles(tx, accountId, { after, before, limit: filesAtOnce, now });
      isLast = last === null;
      after = last;
      return { files: count };
    });
  }
}
