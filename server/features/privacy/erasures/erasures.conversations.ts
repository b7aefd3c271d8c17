/** Removes conversations and records in batches, with their files and what was emitted about them. */
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { noteRemovedMessages, takeBackLiveChanges } from '../../../platform/events/live-changes.ts';
import { markErased } from '../../attachments/attachments.ts';
import { selectRecordsWith } from '../../contacts/contacts.ts';
import { eraseRecords } from '../../records/records.ts';
import { lockSession } from '../../sessions/sessions.ts';
import {
  deleteConversation,
  deleteEvents,
  deleteFieldValues,
  deleteJobs,
  deleteMessages,
  deleteNotifications,
  selectOtherFiles,
  selectRecordsOf,
} from './erasures.person.sql.ts';
import type { Person } from './erasures.sql.ts';

const messagesAtOnce = 500;
const recordsAtOnce = 200;
const eventsAtOnce = 5_000;

/** Runs a part of the work in a transaction of its own, which counts what was removed. */
export type Batch = <T extends Record<string, number>>(part: (tx: Tx) => Promise<T>) => Promise<T>;

/** Calls `onGone` after it removed the conversation, in the same transaction. */
export async function eraseConversation(
  batch: Batch,
  accountId: string,
  sessionId: string,
  onGone: (tx: Tx, at: number) => Promise<void>,
): Promise<void> {
  for (let isLast = false; !isLast; ) {
    await batch(async (tx) => {
      // Waits for a message in progress; what follows finds no conversation.
      await lockSession(tx, accountId, sessionId);
      const { ids, fileKeys } = await deleteMessages(tx, accountId, sessionId, messagesAtOnce);
      isLast = ids.length < messagesAtOnce;
      const others = isLast ? await selectOtherFiles(tx, accountId, sessionId) : [];
      const goneAt = isLast ? await deleteConversation(tx, accountId, sessionId) : null;
      const traces = { notifications: 0, jobs: 0 };
      if (goneAt !== null) {
        // Here, because its id may be used again after this transaction.
        const named = { sessionIds: [sessionId], recordIds: [] };
        traces.notifications = await deleteNotifications(tx, accountId, named);
        traces.jobs = await deleteJobs(tx, accountId, named);
        await onGone(tx, goneAt);
      }
      const files = await markErased(tx, accountId, [...new Set([...fileKeys, ...others])]);
      // Live clients get one change per conversation, not one for each message.
      await takeBackLiveChanges(tx, accountId, { type: 'message.deleted' });
      await noteRemovedMessages(tx, accountId, ids);
      return { messages: ids.length, files, conversations: goneAt === null ? 0 : 1, ...traces };
    });
  }
}

/** Those of a person: made for the conversations, or with one of the identifiers. */
export async function findRecordsOf(
  db: Reader,
  accountId: string,
  sessionIds: readonly string[],
  identifiers: Person['identifiers'],
): Promise<string[]> {
  const carrying = await selectRecordsWith(db, accountId, identifiers);
  return selectRecordsOf(db, accountId, sessionIds, carrying);
}

export async function eraseRecordsOf(
  batch: Batch,
  accountId: string,
  recordIds: readonly string[],
): Promise<void> {
  for (let at = 0; at < recordIds.length; at += recordsAtOnce) {
    const ids = recordIds.slice(at, at + recordsAtOnce);
    await batch(async (tx) => {
      await deleteFieldValues(tx, accountId, ids);
      return { records: await eraseRecords(tx, accountId, ids) };
    });
  }
}

/** With their deliveries and attempts. */
export async function eraseEventsOf(
  batch: Batch,
  accountId: string,
  { sessionIds, recordIds, gone = {} }: Pick<Person, 'sessionIds' | 'recordIds' | 'gone'>,
): Promise<void> {
  const ids = [...sessionIds, ...recordIds];
  for (let after: string | null = null, isLast = false; !isLast; ) {
    await batch(async (tx) => {
      const { last, count } = await deleteEvents(tx, accountId, ids, gone, after, eventsAtOnce);
      isLast = last === null;
      after = last;
      return { events: count };
    });
  }
}
