/** Changes of messages and notes: shown at once, taken back with a message when rejected. */
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { Message, Note, NoteUpdate, ReceiptAnswer } from '../../../../contract/messaging/messages.ts';
import { ApiError } from '../../data/errors.ts';
import { deleteLater, makeChange, newChangeId, startChange } from '../../data/store/changes.ts';
import { type Edit, patch } from '../../data/store/entities.ts';
import { t } from '../../texts/texts.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { hearMessage, messageKey } from './message-data.ts';

const pathOf = (sessionId: string, { id }: Message) =>
  `/sessions/${encodeURIComponent(sessionId)}/messages/${id}`;
const notePath = ({ channelId, sessionId }: InboxSession, { id }: Message) =>
  `/channels/${channelId}/sessions/${encodeURIComponent(sessionId)}/notes/${id}`;

const editOf = (sessionId: string, { id }: Message, update: Partial<Message>): Edit => ({
  kind: 'message',
  id: messageKey(sessionId, id),
  update,
});

/** Answers do not have the whole message. */
const keep = (sessionId: string, { id }: Message, parts: Partial<Message>) =>
  patch('message', messageKey(sessionId, id), parts);

/** `id`: "Try again" sends the same change. If its answer was lost, the service repeats it instead of refusing. */
export async function releaseHeld(
  session: InboxSession,
  message: Message,
  id = newChangeId(),
): Promise<void> {
  const { sessionId } = session;
  const failed = t('inbox.held.failed');
  const { answer, error, isLeft } = await startChange<Message>({
    id,
    request: { method: 'POST', path: `${pathOf(sessionId, message)}/release` },
    edits: [editOf(sessionId, message, { held: false })],
    failed,
  }).ended;
  if (error) {
    const isRefused = error instanceof ApiError && error.status === 409;
    toast.failed(failed, error, isRefused ? undefined : () => void releaseHeld(session, message, id));
    return;
  }
  if (isLeft) return;
  if (answer) hearMessage(sessionId, answer);
  toast.done(t('inbox.held.released'));
}

function deleteWithUndo(
  sessionId: string,
  { id }: Message,
  path: string,
  words: { said: string; failed: string },
): void {
  const edits: Edit[] = [{ kind: 'message', id: messageKey(sessionId, id), remove: true }];
  deleteLater([{ path, edits }], words);
}

export const dropHeld = ({ sessionId }: InboxSession, message: Message) =>
  deleteWithUndo(sessionId, message, pathOf(sessionId, message), {
    said: t('inbox.held.dropped'),
    failed: t('inbox.held.failed'),
  });

export const deleteNote = (session: InboxSession, note: Message) =>
  deleteWithUndo(session.sessionId, note, notePath(session, note), {
    said: t('inbox.note.deleted'),
    failed: t('inbox.note.deleteFailed'),
  });

/** Its text and files go for good; the conversation shows that it was deleted. */
export async function deleteMessage(sessionId: string, message: Message): Promise<void> {
  const gone = { content: '', attachments: [], reactions: [], data: null, deletedAt: Date.now() };
  const { isDone } = await makeChange({
    request: { method: 'DELETE', path: pathOf(sessionId, message), query: { erase: true } },
    edits: [editOf(sessionId, message, gone)],
    failed: t('inbox.message.delete.failed'),
  });
  if (isDone) keep(sessionId, message, gone);
}

export async function changeNote(session: InboxSession, note: Message, change: NoteUpdate): Promise<void> {
  const { sessionId } = session;
  const { mentionedUserIds: _ids, ...shown } = change;
  const { answer, isDone } = await makeChange<Note>(
    {
      request: { method: 'PATCH', path: notePath(session, note), body: change },
      edits: [editOf(sessionId, note, shown)],
      failed: t('inbox.note.saveFailed'),
    },
    () => void changeNote(session, note, change),
  );
  if (!isDone) return;
  const { content, isNoteVisibleToAi, mentions } = answer ?? { ...note, ...shown };
  keep(sessionId, note, { content, isNoteVisibleToAi, mentions });
}

/** A second reaction with the same emoji takes it away. */
export async function reactTo(sessionId: string, message: Message, emoji: string): Promise<void> {
  const isThere = message.reactions.includes(emoji);
  const reactions = isThere
    ? message.reactions.filter((one) => one !== emoji)
    : [...message.reactions, emoji];
  const { answer, isDone } = await makeChange<ReceiptAnswer>(
    {
      request: {
        method: 'POST',
        path: `${pathOf(sessionId, message)}/reactions`,
        body: { action: isThere ? 'remove' : 'add', emoji },
      },
      edits: [editOf(sessionId, message, { reactions })],
      failed: t('composer.message.reactFailed'),
    },
    () => void reactTo(sessionId, message, emoji),
  );
  if (isDone) keep(sessionId, message, { reactions: answer?.reactions ?? reactions });
}
