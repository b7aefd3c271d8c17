/** Internal notes in a chat: never sent outside, visible to the AI only if the author allows it. */
import type { AttachmentRef, Message, Note, NoteUpdate } from '../../../../contract/messaging/messages.ts';
import type { Tx } from '../../../platform/db/db.ts';
import { emit } from '../../../platform/events/outbox.ts';
import { badRequest, notFound } from '../../../platform/http/errors.ts';
import { isId, newId } from '../../../platform/ids.ts';
import { type Actor, selectUsersByIds } from '../../accounts/accounts.ts';
import { attachFiles, checkFiles, fileReaderOf } from '../../attachments/attachments.ts';
import { type Definitions, userMaySee } from '../../kanbans/kanbans.ts';
import { requireOpenSession, type SessionState, updateSession } from '../../sessions/sessions.ts';
import { commitConversations } from '../messages.commit.sql.ts';
import { writerOf } from '../messages.reply.ts';
import { deleteMessage, findMessage, type StoredMessage, updateNote } from '../messages.sql.ts';

export interface NoteContext {
  actor: Actor;
  now: number;
  visible: string[] | null;
  definitions: Definitions;
}

export interface NotePlace {
  channelId: string;
  sessionId: string;
}

type NoteEvent = 'note_created' | 'note_updated' | 'note_deleted';

export async function createNote(
  tx: Tx,
  context: NoteContext,
  place: NotePlace,
  input: NoteUpdate & { attachments?: AttachmentRef[]; clientId?: string },
): Promise<Note> {
  const { actor, now, visible } = context;
  const { accountId } = actor;
  const state = await requirePlace(tx, actor, visible, place);
  const content = checkContent(input.content, input.attachments);
  checkFiles(input.attachments ?? []);
  const mentions = await checkMentions(tx, context, state.kanbanId, input.mentionedUserIds ?? []);
  const attachments = await attachFiles(tx, accountId, input.attachments, now, fileReaderOf(actor, visible));
  const note: Note = {
    messageId: newId(now),
    ...place,
    content,
    isNote: true,
    isNoteVisibleToAi: input.isNoteVisibleToAi ?? false,
    operator: { id: actor.id, name: actor.name },
    ...authorOf(writerOf(actor)),
    ...(attachments.length > 0 && { attachments }),
    ...(mentions.length > 0 && { mentions }),
    clientId: input.clientId ?? null,
    createdAt: now,
    updatedAt: now,
  };
  const position = state.messageCount + 1;
  const after = { ...state, messageCount: position, eventSequence: state.eventSequence + 1, updatedAt: now };
  await emitNote(tx, accountId, 'note_created', note, after, now);
  await commitConversations(
    tx,
    accountId,
    [
      {
        session: after,
        isNewSession: false,
        messages: [
          {
            id: note.messageId,
            position,
            role: 'operator',
            content: note.content,
            timestamp: now,
            isNote: true,
            isNoteVisibleToAi: note.isNoteVisibleToAi,
            attachments,
            ...writerOf(actor),
            mentions,
            clientId: note.clientId,
          },
        ],
        record: null,
        reply: null,
        events: [],
      },
    ],
    null,
  );
  return note;
}

export async function changeNote(
  tx: Tx,
  context: NoteContext,
  place: NotePlace,
  messageId: string,
  change: NoteUpdate,
): Promise<Note> {
  const { actor, now, visible } = context;
  const { accountId } = actor;
  const { mentionedUserIds } = change;
  if (change.content === undefined && change.isNoteVisibleToAi === undefined && !mentionedUserIds) {
    throw badRequest('content or isNoteVisibleToAi is required');
  }
  const state = await requirePlace(tx, actor, visible, place);
  const before = await requireNote(tx, accountId, place.sessionId, messageId);
  const content =
    change.content === undefined ? before.content : checkContent(change.content, before.attachments);
  const isNoteVisibleToAi = change.isNoteVisibleToAi ?? before.isNoteVisibleToAi;
  const mentions = mentionedUserIds
    ? namedBy(actor, before, await checkMentions(tx, context, state.kanbanId, mentionedUserIds))
    : before.mentions;
  await updateNote(tx, accountId, messageId, { content, isNoteVisibleToAi, mentions, now });
  const note = toNote(place, { ...before, content, isNoteVisibleToAi, mentions, updatedAt: now });
  if (content !== before.content) await advance(tx, accountId, 'note_updated', note, state, now);
  return note;
}

export async function removeNote(
  tx: Tx,
  { actor, now, visible }: Omit<NoteContext, 'definitions'>,
  place: NotePlace,
  messageId: string,
): Promise<void> {
  const { accountId } = actor;
  const state = await requirePlace(tx, actor, visible, place);
  const note = await requireNote(tx, accountId, place.sessionId, messageId);
  await deleteMessage(tx, accountId, messageId);
  await advance(tx, accountId, 'note_deleted', toNote(place, note), state, now);
}

/** Counts the event on the conversation and emits it. */
async function advance(
  tx: Tx,
  accountId: string,
  event: NoteEvent,
  note: Note,
  state: SessionState,
  now: number,
): Promise<void> {
  const after = { ...state, eventSequence: state.eventSequence + 1, updatedAt: now };
  await updateSession(tx, accountId, after);
  await emitNote(tx, accountId, event, note, after, now);
}

async function emitNote(
  tx: Tx,
  accountId: string,
  event: NoteEvent,
  note: Note,
  session: SessionState,
  now: number,
): Promise<void> {
  const { messageId, sessionId, channelId, content, isNoteVisibleToAi, operator, attachments } = note;
  await emit(tx, {
    event,
    accountId,
    subjectId: sessionId,
    sequence: session.eventSequence,
    kanbanId: session.kanbanId,
    fieldId: null,
    data: {
      messageId,
      sessionId,
      channelId,
      content,
      isNoteVisibleToAi,
      operator,
      ...authorOf(note),
      ...(attachments && { attachments }),
    },
    timestamp: now,
  });
}

async function requirePlace(
  tx: Tx,
  actor: Actor,
  visible: string[] | null,
  { channelId, sessionId }: NotePlace,
): Promise<SessionState> {
  const { state } = await requireOpenSession(tx, actor, visible, sessionId);
  if (state.channelId !== channelId) throw notFound('session');
  return state;
}

async function requireNote(tx: Tx, accountId: string, sessionId: string, id: string): Promise<StoredMessage> {
  const message = isId(id) ? await findMessage(tx, accountId, sessionId, id) : null;
  if (!message?.isNote) throw notFound('note');
  return message;
}

function toNote(place: NotePlace, message: StoredMessage): Note {
  return {
    messageId: message.id,
    ...place,
    content: message.content,
    isNote: true,
    isNoteVisibleToAi: message.isNoteVisibleToAi,
    operator: message.operator ?? personOf(message.author) ?? { id: '', name: '' },
    ...authorOf(message),
    ...(message.attachments.length > 0 && { attachments: message.attachments as AttachmentRef[] }),
    ...(message.mentions?.length && { mentions: message.mentions }),
    clientId: message.clientId,
    createdAt: message.timestamp,
    updatedAt: message.updatedAt,
  };
}

const authorOf = ({ author }: Pick<Message, 'author'>) => author && { author };

/** Every note has an operator: clients show its name. */
const personOf = (author: Message['author']) => author && { id: author.id, name: author.name };

/** Mentioned users get a notification with the note's text, so only those who may read it can be mentioned. */
async function checkMentions(
  tx: Tx,
  { actor, definitions }: NoteContext,
  kanbanId: string,
  userIds: string[],
): Promise<NonNullable<Note['mentions']>> {
  const ids = [...new Set(userIds)];
  if (ids.length === 0) return [];
  const kanban = definitions.kanbans.get(kanbanId);
  const users = await selectUsersByIds(tx, actor.accountId, ids.filter(isId));
  return ids.map((id) => {
    const user = users.find((one) => one.id === id);
    if (!user || !kanban || !userMaySee(user, kanban)) {
      throw badRequest(`mentionedUserIds has someone who cannot see this board: ${id.slice(0, 100)}`);
    }
    return { id, name: user.name };
  });
}

/** Earlier mentions keep their author; an editor of another person's note mentions in their own name. */
function namedBy(
  { id, name }: Actor,
  before: StoredMessage,
  mentions: NonNullable<Note['mentions']>,
): NonNullable<Note['mentions']> {
  return mentions.map((one) => {
    const known = before.mentions?.find((other) => other.id === one.id);
    const addedBy = known ? known.addedBy : before.operator?.id === id ? undefined : { id, name };
    return addedBy ? { ...one, addedBy } : one;
  });
}

/** May be empty if there are files, as in a reply. */
function checkContent(content: string | undefined, attachments: readonly unknown[] = []): string {
  if (!content?.trim() && attachments.length === 0) throw badRequest('content or attachments required');
  return content ?? '';
}
