/**
 * Who may read or attach a file. A read model over the tables of messages and sessions: it must be one query, and
 * must change the moment a message, a session's board or a board's members do.
 */
import type { Reader, Tx } from '../../platform/db/db.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { knowledgeUpload } from './attachments.keys.ts';
import { columns, type StoredFile } from './attachments.sql.ts';

export interface FileReader {
  actorId: string;
  /** The boards whose conversations the actor can read; null: all of them. */
  visible: string[] | null;
}

/** A message that the reader can read contains the file. Uses the index `messages_files`. */
const isInReadableMessage = ({ visible }: FileReader): Sql => sql`exists (
  select from messages m join sessions s on s.account_id = m.account_id and s.session_id = m.session_id
  where m.account_id = a.account_id and m.attachments <> '[]'
    and attachment_file_keys(m.attachments) @> jsonb_build_array(a.file_key)
    and (${visible}::uuid[] is null or s.kanban_id = any(${visible}::uuid[])))`;

/** The file waits in a message that is sent later, in a conversation that the reader can read. */
const isInScheduledMessage = ({ visible }: FileReader): Sql => sql`exists (
  select from scheduled_messages m join sessions s on s.account_id = m.account_id and s.session_id = m.session_id
  where m.account_id = a.account_id and m.attachments <> '[]'
    and attachment_file_keys(m.attachments) @> jsonb_build_array(a.file_key)
    and (${visible}::uuid[] is null or s.kanban_id = any(${visible}::uuid[])))`;

/** Files from before uploads had an owner belong to the whole account until a message contains them. */
const isUnusedUploadOf = ({ actorId }: FileReader): Sql => sql`(a.used_at is null
  and (a.uploaded_by = ${actorId} or (a.uploaded_by is null and a.derived_from is null)))`;

/** Files of knowledge go with their documents. */
const isOfMessages = sql`uploaded_by is distinct from ${knowledgeUpload}`;

/** Null also for a file that the reader may not see. */
export async function findReadableFile(
  db: Reader,
  accountId: string,
  fileKey: string,
  reader: FileReader,
): Promise<StoredFile | null> {
  const [row] = await db.query<StoredFile>(sql`
    select ${columns} from attachments a
    where a.account_id = ${accountId} and a.file_key = ${fileKey} and a.state = 'stored'
      and (${isUnusedUploadOf(reader)} or ${isInReadableMessage(reader)} or ${isInScheduledMessage(reader)})`);
  return row ?? null;
}

/**
 * Returns those of the files that exist and that the reader may attach, and marks them as used. An update, not a
 * read: its lock makes the removal of unused files wait for this message, or this message see that it came too late.
 * The uploader may attach a file again without the lookup: two simultaneous messages cannot see each other yet.
 */
export async function takeStored(
  tx: Tx,
  accountId: string,
  fileKeys: readonly string[],
  reader: FileReader,
  now: number,
): Promise<Pick<StoredFile, 'fileKey' | 'contentType' | 'size'>[]> {
  return tx.query(sql`
    update attachments a set used_at = coalesce(a.used_at, ${now})
    where a.account_id = ${accountId} and a.file_key = any(${fileKeys}::uuid[]) and a.state = 'stored'
      and ${isOfMessages} and (${reader.visible}::uuid[] is null or a.uploaded_by = ${reader.actorId}
        or ${isUnusedUploadOf(reader)} or ${isInReadableMessage(reader)})
    returning a.file_key as "fileKey", a.content_type as "contentType", a.size`);
}

/** The conversations are about to go: their files are removed as unused ones. */
export async function releaseFilesOf(
  tx: Tx,
  accountId: string,
  sessionIds: readonly string[],
): Promise<void> {
  await tx.query(
    sql`
    update attachments set used_at = null
    where account_id = ${accountId} and file_key in (
      select (file ->> 'fileKey')::uuid from messages, jsonb_array_elements(attachments) as file
      where account_id = ${accountId} and session_id = any(${sessionIds}) and attachments <> '[]'
      union
      select (file ->> 'fileKey')::uuid from scheduled_messages, jsonb_array_elements(attachments) as file
      where account_id = ${accountId} and session_id = any(${sessionIds}) and attachments <> '[]'
      union
      select original_key from mail_messages
      where account_id = ${accountId} and session_id = any(${sessionIds}) and original_key is not null)`,
    { timeoutMs: 60_000 },
  );
}

/**
 * The messages that used these files are gone: files that no other message uses are removed, with what was derived from
 * them. Returns how many. From here on no message can use them; an interrupted removal is repeated by the pruning.
 */
export async function markErased(tx: Tx, accountId: string, fileKeys: readonly string[]): Promise<number> {
  if (fileKeys.length === 0) return 0;
  // A statement of its own: it waits for a message that attaches a file, and the next one sees that message.
  await tx.query(sql`
    select from attachments where account_id = ${accountId} and file_key = any(${fileKeys}::uuid[])
    order by file_key for update`);
  const rows = await tx.query<{ converted: string | null }>(sql`
    update attachments a set state = 'removing', used_at = null, created_at = 0
    where a.account_id = ${accountId} and a.file_key = any(${fileKeys}::uuid[])
      and not exists (select from messages m where m.account_id = a.account_id and m.attachments <> '[]'
        and attachment_file_keys(m.attachments) @> jsonb_build_array(a.file_key))
      and not exists (select from scheduled_messages m where m.account_id = a.account_id and m.attachments <> '[]'
        and attachment_file_keys(m.attachments) @> jsonb_build_array(a.file_key))
    returning a.converted ->> 'fileKey' as converted`);
  const derived = rows.flatMap(({ converted }) => converted ?? []);
  if (derived.length > 0) {
    await tx.query(sql`
      update attachments set state = 'removing', used_at = null, created_at = 0
      where account_id = ${accountId} and file_key = any(${derived}::uuid[])`);
  }
  return rows.length;
}

/**
 * A batch of files that are older than an id, in the order of their keys: they are removed, and the messages that have
 * them say so. A file that a newer message or one that waits uses too stays. `last` is null at the end.
 */
export async function removeOldFiles(
  tx: Tx,
  accountId: string,
  { after, before, limit, now }: { after: string | null; before: string; limit: number; now: number },
): Promise<{ last: string | null; count: number }> {
  const rows = await tx.query<{ key: string; converted: string | null }>(sql`
    select file_key as key, converted ->> 'fileKey' as converted from attachments
    where account_id = ${accountId} and (${after}::uuid is null or file_key > ${after}::uuid)
      and file_key < ${before}::uuid and state = 'stored' and used_at is not null and derived_from is null
      and ${isOfMessages}
    order by file_key limit ${limit} for update`);
  const last = rows.length < limit ? null : rows.at(-1)!.key;
  const keys = rows.map(({ key }) => key);
  const used = await tx.query<{ key: string }>(sql`
    select k.key from unnest(${keys}::text[]) as k (key)
    where exists (select from messages m where m.account_id = ${accountId} and m.attachments <> '[]'
        and attachment_file_keys(m.attachments) @> jsonb_build_array(k.key) and m.id >= ${before}::uuid)
      or exists (select from scheduled_messages m where m.account_id = ${accountId} and m.attachments <> '[]'
        and attachment_file_keys(m.attachments) @> jsonb_build_array(k.key))`);
  const kept = new Set(used.map(({ key }) => key));
  const gone = rows.filter(({ key }) => !kept.has(key));
  if (gone.length === 0) return { last, count: 0 };
  const goneKeys = gone.map(({ key }) => key);
  const all = [...goneKeys, ...gone.flatMap(({ converted }) => converted ?? [])];
  await tx.query(sql`
    update attachments set state = 'removing', used_at = null, created_at = 0
    where account_id = ${accountId} and file_key = any(${all}::uuid[])`);
  for (const key of goneKeys) {
    await tx.query(sql`
      update messages set updated_at = ${now}, attachments = (
        select jsonb_agg(case when a.file ->> 'fileKey' = ${key}
            then (a.file - 'converted') || jsonb_build_object('removedAt', ${now}::bigint) else a.file end order by a.place)
        from jsonb_array_elements(attachments) with ordinality as a (file, place))
      where account_id = ${accountId} and attachments <> '[]'
        and attachment_file_keys(attachments) @> jsonb_build_array(${key}::text)`);
  }
  await tx.query(sql`
    update mail_messages set original_key = null
    where account_id = ${accountId} and original_key = any(${goneKeys}::uuid[])`);
  return { last, count: gone.length };
}

/** Of an account that goes: its next files after `after` are to be removed. The last of them; null: there are no more. */
export async function markAllErased(
  tx: Tx,
  accountId: string,
  after: string | null,
  limit: number,
): Promise<string | null> {
  const [row] = await tx.query<{ last: string | null }>(sql`
    with next as (
      select file_key from attachments
      where account_id = ${accountId} and (${after}::uuid is null or file_key > ${after}::uuid)
      order by file_key limit ${limit}
    ), marked as (
      update attachments a set state = 'removing', used_at = null, created_at = 0
      from next where a.account_id = ${accountId} and a.file_key = next.file_key
        and (a.state <> 'removing' or a.used_at is not null or a.created_at <> 0)
    )
    select file_key as last from next order by file_key desc limit 1`);
  return row?.last ?? null;
}
