import type { Message, MessageAttachment, MessageStatus } from '../../../contract/messaging/messages.ts';
import { type Column, type Columns, tableOf } from '../../platform/db/columns.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { empty, Sql, sql } from '../../platform/db/sql.ts';
import type { StoredCitation } from '../knowledge/knowledge.ts';

export interface NewMessage {
  id: string;
  position: number;
  role: Message['role'];
  content: string;
  timestamp: number;
  isNote?: boolean;
  isNoteVisibleToAi?: boolean;
  isEcho?: boolean;
  held?: boolean;
  attachments?: MessageAttachment[];
  agentId?: string | null;
  operator?: { id: string; name: string } | null;
  author?: Message['author'];
  inReplyTo?: string | null;
  mentions?: Message['mentions'];
  providerMsgId?: string | null;
  replyToMessageId?: string | null;
  data?: Message['data'];
  /** Left out: it is not sent yet, or nobody reports what becomes of it. */
  status?: MessageStatus | null;
  /** Why it is held, or failed. */
  statusReason?: string | null;
  /** Only of replies by agents. */
  citations?: StoredCitation[];
  clientId?: string | null;
}

export interface StoredMessage extends Message {
  position: number;
  updatedAt: number;
  citations?: StoredCitation[];
}

export interface MessageRow {
  id: string;
  position: number;
  role: Message['role'];
  content: string;
  created_at: number;
  updated_at: number;
  is_note: boolean;
  is_note_visible_to_ai: boolean;
  is_echo: boolean;
  held: boolean;
  provider_msg_id: string | null;
  status: MessageStatus | null;
  reactions: string[];
  attachments: MessageAttachment[];
  agent_id: string | null;
  operator_id: string | null;
  operator_name: string | null;
  by_rule: boolean;
  in_reply_to: string | null;
  mentions: Message['mentions'] | null;
  reply_to_message_id: string | null;
  status_reason: string | null;
  edited_at: number | null;
  deleted_at: number | null;
  data: Message['data'];
  client_id: string | null;
  citations: StoredCitation[] | null;
}

const selected: { [Column in keyof MessageRow]: true } = {
  id: true,
  position: true,
  role: true,
  content: true,
  created_at: true,
  updated_at: true,
  is_note: true,
  is_note_visible_to_ai: true,
  is_echo: true,
  held: true,
  provider_msg_id: true,
  status: true,
  reactions: true,
  attachments: true,
  agent_id: true,
  operator_id: true,
  operator_name: true,
  by_rule: true,
  in_reply_to: true,
  mentions: true,
  reply_to_message_id: true,
  status_reason: true,
  edited_at: true,
  deleted_at: true,
  data: true,
  client_id: true,
  citations: true,
};

export const messageColumns = new Sql([Object.keys(selected).join(', ')], []);

export function toStoredMessage(row: MessageRow): StoredMessage {
  const { operator_id: id, operator_name } = row;
  const writer = id === null ? null : { id, name: operator_name ?? '' };
  const {
    mentions,
    ...message
  }: Omit<Required<StoredMessage>, 'mentions' | 'citations' | 'author'> & Pick<MessageRow, 'mentions'> = {
    id: row.id,
    position: row.position,
    role: row.role,
    content: row.content,
    timestamp: row.created_at,
    updatedAt: row.updated_at,
    isNote: row.is_note,
    isNoteVisibleToAi: row.is_note_visible_to_ai,
    isEcho: row.is_echo,
    held: row.held,
    providerMsgId: row.provider_msg_id,
    status: row.status,
    reactions: row.reactions,
    attachments: row.attachments,
    agentId: row.agent_id,
    operator: row.by_rule ? null : writer,
    inReplyTo: row.in_reply_to,
    replyToMessageId: row.reply_to_message_id,
    statusReason: row.status_reason,
    editedAt: row.edited_at,
    deletedAt: row.deleted_at,
    data: row.data,
    mentions: row.mentions,
    clientId: row.client_id,
  };
  return {
    ...message,
    ...(row.by_rule && writer && { author: { type: 'rule', ...writer } as const }),
    ...(row.role === 'assistant' && { citations: row.citations ?? [] }),
    ...(mentions && { mentions }),
  };
}

/** A message of the conversation with this id. */
export interface ConversationMessage extends NewMessage {
  sessionId: string;
}

/** Most messages have none of these: a column that is false for all of them is not written. */
const flag = (name: string, isSet: (message: NewMessage) => boolean | undefined): Column<NewMessage>[] => [
  { name, type: 'boolean', value: (message) => isSet(message) || null, byDefault: false },
];

const messages = tableOf<ConversationMessage>({
  sessionId: ['session_id', 'text'],
  position: ['position', 'bigint'],
  id: ['id', 'uuid'],
  role: ['role', 'text'],
  content: ['content', 'text'],
  timestamp: ['created_at', 'bigint'],
  isNote: flag('is_note', ({ isNote }) => isNote),
  isNoteVisibleToAi: flag('is_note_visible_to_ai', ({ isNoteVisibleToAi }) => isNoteVisibleToAi),
  isEcho: flag('is_echo', ({ isEcho }) => isEcho),
  held: flag('held', ({ held }) => held),
  attachments: [
    {
      name: 'attachments',
      type: 'jsonb',
      value: ({ attachments }) => (attachments?.length ? attachments : null),
      byDefault: [],
    },
  ],
  agentId: ['agent_id', 'uuid'],
  operator: [
    { name: 'operator_id', type: 'text', value: ({ operator, author }) => (author ?? operator)?.id },
    { name: 'operator_name', type: 'text', value: ({ operator, author }) => (author ?? operator)?.name },
  ],
  author: flag('by_rule', ({ author }) => author !== undefined),
  inReplyTo: ['in_reply_to', 'uuid'],
  // Nearly all messages have none, stored as null.
  mentions: [
    { name: 'mentions', type: 'jsonb', value: ({ mentions }) => (mentions?.length ? mentions : null) },
  ],
  providerMsgId: ['provider_msg_id', 'text'],
  replyToMessageId: ['reply_to_message_id', 'uuid'],
  data: ['data', 'jsonb'],
  status: ['status', 'text'],
  statusReason: ['status_reason', 'text'],
  clientId: ['client_id', 'text'],
  citations: [
    { name: 'citations', type: 'jsonb', value: ({ citations }) => (citations?.length ? citations : null) },
  ],
});

/** Everything else is written with a new message. */
const laterColumns: Columns<Omit<StoredMessage, keyof NewMessage>> = {
  updatedAt: ['updated_at', 'bigint'],
  reactions: ['reactions', 'text[]'],
  editedAt: ['edited_at', 'bigint'],
  deletedAt: ['deleted_at', 'bigint'],
};

type Changing = keyof typeof laterColumns | 'content' | 'providerMsgId' | 'status' | 'statusReason';

const changes = tableOf<Pick<StoredMessage, Changing>>({
  ...laterColumns,
  content: ['content', 'text'],
  providerMsgId: ['provider_msg_id', 'text'],
  status: ['status', 'text'],
  statusReason: ['status_reason', 'text'],
});

/** Part of a larger statement: inserted only if `source` has a row. */
export function insertMessages(accountId: string, written: readonly ConversationMessage[], source: Sql): Sql {
  const { names, rows } = messages.given(written);
  return sql`
    insert into messages (account_id, updated_at, ${names})
    select ${accountId}::uuid, created_at, ${names} from ${rows}
    where exists (select from ${source})
    returning id`;
}

export async function selectMessages(
  db: Reader,
  accountId: string,
  sessionId: string,
  order: 'asc' | 'desc',
  after: number | null,
  limit: number,
): Promise<StoredMessage[]> {
  const ascending = order === 'asc';
  const rows = await db.query<MessageRow>(sql`
    select ${messageColumns} from messages
    where account_id = ${accountId} and session_id = ${sessionId}
      ${after === null ? empty : ascending ? sql`and position > ${after}` : sql`and position < ${after}`}
    order by position ${ascending ? sql`asc` : sql`desc`} limit ${limit}`);
  return rows.map(toStoredMessage);
}

/** The newest ones, oldest first. */
export async function selectNotesForAi(
  db: Reader,
  accountId: string,
  sessionId: string,
  limit: number,
): Promise<StoredMessage[]> {
  const rows = await db.query<MessageRow>(sql`
    select ${messageColumns} from messages
    where account_id = ${accountId} and session_id = ${sessionId} and is_note and is_note_visible_to_ai
    order by position desc limit ${limit}`);
  return rows.reverse().map(toStoredMessage);
}

export async function findMessage(
  db: Reader,
  accountId: string,
  sessionId: string,
  id: string,
): Promise<StoredMessage | null> {
  const [row] = await db.query<MessageRow>(sql`
    select ${messageColumns} from messages where account_id = ${accountId} and session_id = ${sessionId} and id = ${id}`);
  return row ? toStoredMessage(row) : null;
}

/** Of several accounts at once, for the live feed: by account and id. */
export async function selectMessagesByKeys(
  db: Reader,
  keys: readonly { accountId: string; id: string }[],
): Promise<(StoredMessage & { accountId: string })[]> {
  const rows = await db.query<MessageRow & { account_id: string }>(sql`
    select account_id, ${messageColumns}
    from unnest(${keys.map((key) => key.accountId)}::uuid[], ${keys.map((key) => key.id)}::uuid[])
      as wanted (wanted_account, wanted_id)
    join messages on account_id = wanted_account and id = wanted_id`);
  return rows.map((row) => ({ ...toStoredMessage(row), accountId: row.account_id }));
}

export async function lockMessageByProvider(
  tx: Tx,
  accountId: string,
  sessionId: string,
  providerMsgId: string,
): Promise<StoredMessage | null> {
  const [row] = await tx.query<MessageRow>(sql`
    select ${messageColumns} from messages
    where account_id = ${accountId} and session_id = ${sessionId} and provider_msg_id = ${providerMsgId}
    for update`);
  return row ? toStoredMessage(row) : null;
}

/** The places of those whose conversation has a message of this id. */
export async function selectSentBefore(
  db: Reader,
  accountId: string,
  asked: readonly { sessionId: string; providerMsgId: string }[],
): Promise<Set<number>> {
  const rows = await db.query<{ place: number }>(sql`
    select a.place from unnest(${asked.map((one) => one.sessionId)}::text[],
        ${asked.map((one) => one.providerMsgId)}::text[]) with ordinality as a (session_id, provider_msg_id, place)
      join messages m on m.account_id = ${accountId} and m.session_id = a.session_id
        and m.provider_msg_id = a.provider_msg_id`);
  return new Set(rows.map(({ place }) => place - 1));
}

/** What may change after a message was stored. */
export async function updateMessageRow(tx: Tx, accountId: string, message: StoredMessage): Promise<void> {
  await tx.query(sql`
    update messages m set (${changes.names}) = row(${changes.namesOf('g')}) from ${changes.rows([message], 'g')}
    where m.account_id = ${accountId} and m.id = ${message.id}`);
}

/** Only who wrote it, when, and what became of it stays. Returns the keys of its files. */
export async function clearMessageRow(tx: Tx, accountId: string, id: string, now: number): Promise<string[]> {
  const [row] = await tx.query<{ keys: string[] }>(sql`
    with before as (
      select attachment_file_keys(attachments) as keys from messages where account_id = ${accountId} and id = ${id}),
    cleared as (
      update messages set content = '', attachments = '[]', data = null, mentions = null, citations = null, reactions = '{}',
        status_reason = null, edited_at = null, deleted_at = ${now}, updated_at = ${now}
      where account_id = ${accountId} and id = ${id})
    select keys from before`);
  return row?.keys ?? [];
}

/** What has no column of its own. Other keys stay. */
export async function patchMessageData(
  tx: Tx,
  accountId: string,
  id: string,
  data: Record<string, unknown>,
  now: number,
): Promise<void> {
  await tx.query(sql`
    update messages set data = coalesce(data, '{}') || ${JSON.stringify(data)}::jsonb, updated_at = ${now}
    where account_id = ${accountId} and id = ${id}`);
}

export async function releaseHeld(tx: Tx, accountId: string, id: string, now: number): Promise<void> {
  await tx.query(sql`
    update messages set held = false, status_reason = null, updated_at = ${now} where account_id = ${accountId} and id = ${id}`);
}

/** When the customer wrote next, after this message and not before this time. */
export async function selectQuestionAfter(
  tx: Tx,
  accountId: string,
  sessionId: string,
  { position, at }: { position: number; at: number },
): Promise<number | null> {
  const [row] = await tx.query<{ at: number }>(sql`
    select created_at as at from messages
    where account_id = ${accountId} and session_id = ${sessionId} and position > ${position}
      and created_at >= ${at} and role = 'user' and not is_echo
    order by position limit 1`);
  return row?.at ?? null;
}

export async function deleteMessage(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(sql`delete from messages where account_id = ${accountId} and id = ${id}`);
}

export async function updateNote(
  tx: Tx,
  accountId: string,
  id: string,
  note: { content: string; isNoteVisibleToAi: boolean; mentions: Message['mentions']; now: number },
): Promise<void> {
  await tx.query(sql`
    update messages set content = ${note.content}, is_note_visible_to_ai = ${note.isNoteVisibleToAi},
      mentions = ${note.mentions?.length ? JSON.stringify(note.mentions) : null}::jsonb, updated_at = ${note.now}
    where account_id = ${accountId} and id = ${id}`);
}

/** Later conversions are stored beside the reference; null: the message is gone or has no such file. */
export async function patchMessageAttachment(
  tx: Tx,
  accountId: string,
  id: string,
  fileKey: string,
  patch: Pick<MessageAttachment, 'converted' | 'transcript'>,
  now: number,
): Promise<StoredMessage | null> {
  const [row] = await tx.query<MessageRow>(sql`
    update messages set updated_at = ${now}, attachments = (
      select jsonb_agg(case when a.file ->> 'fileKey' = ${fileKey} then a.file || ${JSON.stringify(patch)}::jsonb
        else a.file end order by a.place)
      from jsonb_array_elements(attachments) with ordinality as a (file, place))
    where account_id = ${accountId} and id = ${id}
      and attachments @> jsonb_build_array(jsonb_build_object('fileKey', ${fileKey}::text))
    returning ${messageColumns}`);
  return row ? toStoredMessage(row) : null;
}

/** Replies of the AI since each of the times; those of several messages count once. Of a long conversation only the end. */
export async function countAgentReplies(
  db: Reader,
  accountId: string,
  sessionId: string,
  times: readonly number[],
): Promise<number[]> {
  const rows = await db.query<{ count: number }>(sql`
    select (select count(distinct coalesce(m.in_reply_to, m.id)) from (
        select id, in_reply_to, role, held, created_at from messages
        where account_id = ${accountId} and session_id = ${sessionId} order by position desc limit 5000) m
      where m.role = 'assistant' and not m.held and m.created_at >= t.since)::int as count
    from unnest(${times}::bigint[]) with ordinality as t (since, place) order by t.place`);
  return rows.map(({ count }) => count);
}
