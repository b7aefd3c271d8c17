/** Everything that is stored about a person as one archive, read in pages while it is sent. */
import type { ContactDetails } from '../../../../contract/contacts.ts';
import type { BlobStore } from '../../../platform/blobs/blob-store.ts';
import type { Reader } from '../../../platform/db/db.ts';
import { findStoredFile, openStoredFile } from '../../attachments/attachments.ts';
import { findSession } from '../../sessions/sessions.ts';
import { tarEnd, tarEntry, tarJson } from './erasures.archive.ts';
import {
  selectExportedMessages,
  selectExportedRatings,
  selectExportedRecord,
  selectExportedScheduled,
  selectExportedTargets,
} from './erasures.export.sql.ts';
import {
  selectConversations,
  selectIdentifiers,
  selectLinkedRecords,
  selectMergedContacts,
  selectOtherFiles,
} from './erasures.person.sql.ts';

const messagesAtOnce = 500;

interface ExportDeps {
  db: Reader;
  blobs: BlobStore;
}

/** `visible`: the boards whose conversations and records it has; null: all. */
export async function* exportPerson(
  deps: ExportDeps,
  accountId: string,
  { mergeOffers: _offers, ...contact }: ContactDetails,
  now: number,
  visible: readonly string[] | null,
): AsyncGenerator<Buffer> {
  const { db } = deps;
  yield* tarJson('contact.json', now, contact);
  const isSeen = (kanbanId: unknown) => visible === null || visible.includes(String(kanbanId));
  const conversations = await conversationsOf(db, accountId, contact.id);
  const sessionIds = conversations
    .filter(({ kanbanId }) => isSeen(kanbanId))
    .map(({ sessionId }) => sessionId)
    .sort();
  const ofSessions = await selectLinkedRecords(db, accountId, sessionIds);
  const recordIds = new Set([...contact.recordIds, ...ofSessions]);
  for (const [index, id] of [...recordIds].entries()) {
    const record = await selectExportedRecord(db, accountId, id);
    if (record && isSeen(record.kanbanId)) yield* tarJson(`records/${index + 1}.json`, now, record);
  }
  const sent = new Set<string>();
  for (const [index, sessionId] of sessionIds.entries()) {
    yield* conversation(deps, accountId, sessionId, `conversations/${index + 1}`, now, sent);
  }
  yield tarEnd();
}

/** Those that an erasure removes. */
export async function conversationsOf(
  db: Reader,
  accountId: string,
  contactId: string,
): Promise<{ sessionId: string; kanbanId: string }[]> {
  const contactIds = await selectMergedContacts(db, accountId, contactId);
  const identifiers = await selectIdentifiers(db, accountId, contactIds);
  return selectConversations(db, accountId, contactIds, identifiers);
}

/** A file that several messages have is in the archive once. */
async function* conversation(
  deps: ExportDeps,
  accountId: string,
  sessionId: string,
  folder: string,
  now: number,
  sent: Set<string>,
): AsyncGenerator<Buffer> {
  const { db } = deps;
  const files = async function* (fileKeys: readonly string[]) {
    for (const fileKey of fileKeys) {
      if (sent.has(fileKey)) continue;
      sent.add(fileKey);
      yield* file(deps, accountId, fileKey, now);
    }
  };
  const session = await findSession(db, accountId, sessionId);
  if (!session) return;
  const ratings = await selectExportedRatings(db, accountId, sessionId);
  const serviceLevels = await selectExportedTargets(db, accountId, sessionId);
  yield* tarJson(`${folder}/conversation.json`, now, { ...session, ratings, serviceLevels });
  for (let after = -1, page = 1; ; page++) {
    const rows = await selectExportedMessages(db, accountId, sessionId, after, messagesAtOnce);
    if (rows.length === 0) break;
    const messages = rows.map(({ position: _position, fileKeys: _keys, ...message }) => message);
    yield* tarJson(`${folder}/messages-${String(page).padStart(5, '0')}.json`, now, messages);
    yield* files(rows.flatMap((row) => row.fileKeys));
    after = rows.at(-1)!.position;
  }
  const scheduled = await selectExportedScheduled(db, accountId, sessionId);
  if (scheduled.length > 0) yield* tarJson(`${folder}/scheduled.json`, now, scheduled);
  // Also the originals of mails.
  yield* files(await selectOtherFiles(db, accountId, sessionId));
}

/** Named by its key: the messages say what it was called. With the text of what was spoken. */
async function* file(
  { db, blobs }: ExportDeps,
  accountId: string,
  fileKey: string,
  now: number,
): AsyncGenerator<Buffer> {
  const stored = await findStoredFile(db, accountId, fileKey);
  const stream = stored && (await openStoredFile(blobs, accountId, fileKey));
  if (stream) yield* tarEntry(`files/${fileKey}`, stored.size, now, stream);
  if (stored?.transcript) yield* tarJson(`files/${fileKey}.transcript.json`, now, stored.transcript);
}
