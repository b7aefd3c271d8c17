/**
 * Turns numbered changes into frames. The log names what changed; the current state is read here, once for all
 * connections of this process. Deleted objects are reported as deleted, so that every number has its frame.
 */
import type { LiveChanges, LiveChangeType } from '../../../contract/realtime.ts';
import type { Reader } from '../../platform/db/db.ts';
import { selectCommentsByKeys } from '../comments/comments.ts';
import { selectRunsByKeys, withCurrentAudience } from '../knowledge/knowledge.ts';
import { selectMessagesByKeys, toMessage } from '../messages/messages.ts';
import { selectRecordsByKeys } from '../records/records.ts';
import { selectSessionsByKeys } from '../sessions/sessions.ts';
import { countOpenTasksByKeys, selectTasksByKeys } from '../tasks/tasks.ts';
import {
  countUnreadByKeys,
  type Key,
  selectNotificationsByKeys,
  selectVersions,
} from './realtime.load.sql.ts';
import type { LoggedChange } from './realtime.log.sql.ts';

/** Who is asking: null sees every board. */
export interface Viewer {
  userId: string | null;
  visible: ReadonlySet<string> | null;
  /** Absent: both. */
  sees?: { records: boolean; conversations: boolean; knowledge: boolean };
}

export class LiveEvent {
  readonly accountId: string;
  readonly seq: number;
  readonly type: LiveChangeType;
  /** Without citations of internal documents. */
  readonly data: LiveChanges[LiveChangeType];
  /** The board that decides who may see it; null: everyone of the account, or only those who see all boards. */
  readonly kanbanId: string | null;
  readonly sessionId: string | null;
  readonly #change: LoggedChange;
  readonly #public: Frames;
  /** For those who may read internal documents. */
  readonly #full: Frames;

  constructor(change: LoggedChange, kanbanId: string | null, content: Content, full: Content = content) {
    this.accountId = change.accountId;
    this.seq = change.seq;
    this.type = content.type;
    this.data = content.data;
    this.kanbanId = kanbanId;
    this.sessionId = /^(message|session)\./.test(change.type) ? change.subjectId : null;
    this.#change = change;
    this.#public = new Frames(this.seq, content);
    this.#full = full === content ? this.#public : new Frames(this.seq, full);
  }

  /** The bytes to send after frame `prev`, or null if the viewer may not see it. */
  frameFor({ userId, visible, sees }: Viewer, prev: number): Buffer | null {
    if (this.#change.userId !== null && this.#change.userId !== userId) return null;
    if (sees && !sees.conversations && aboutConversations.test(this.type)) return null;
    if (sees && !sees.knowledge && aboutKnowledge.test(this.type)) return null;
    if (sees && !sees.records && aboutRecords.test(this.type)) return null;
    const isForAll = this.#change.userId !== null || forEveryone.has(this.type) || visible === null;
    const frames = sees?.knowledge ? this.#full : this.#public;
    if (isForAll || (this.kanbanId !== null && visible.has(this.kanbanId))) return frames.after(prev);
    const left = this.#change.leftKanbanId;
    if (left === null || !visible.has(left)) return null;
    return frame(this.seq, prev, { type: 'session.removed', data: { sessionId: this.#change.subjectId } });
  }
}

/** Most connections have the same `prev`, so its bytes are built once and shared. */
class Frames {
  readonly #seq: number;
  readonly #content: Content;
  readonly #byPrev = new Map<number, Buffer>();
  #tail: string | null = null;

  constructor(seq: number, content: Content) {
    this.#seq = seq;
    this.#content = content;
  }

  after(prev: number): Buffer {
    let bytes = this.#byPrev.get(prev);
    if (!bytes) {
      this.#tail ??= tailOf(this.#content);
      bytes = Buffer.from(`{"seq":${this.#seq},"prev":${prev},${this.#tail}`);
      this.#byPrev.set(prev, bytes);
    }
    return bytes;
  }
}

const aboutConversations = /^(?:message|session|contacts?)\./;
const aboutKnowledge = /^knowledge_/;
const aboutRecords = /^(?:record|task|comment)\./;

const forEveryone: ReadonlySet<LiveChangeType> = new Set([
  'definitions.updated',
  'contacts.updated',
  'contact.updated',
  'knowledge_run.updated',
]);

type Content = { [T in LiveChangeType]: { type: T; data: LiveChanges[T] } }[LiveChangeType];

function frame(seq: number, prev: number, content: Content): Buffer {
  return Buffer.from(`{"seq":${seq},"prev":${prev},${tailOf(content)}`);
}

function tailOf({ type, data }: { type: string; data: unknown }): string {
  return `"type":${JSON.stringify(type)},"data":${JSON.stringify(data)}}`;
}

/** In the order of the changes. Changes without a frame (a disabled webhook) are skipped. */
export async function loadEvents(db: Reader, changes: readonly LoggedChange[]): Promise<LiveEvent[]> {
  const read = await readThings(db, changes);
  const events: LiveEvent[] = [];
  for (const change of changes) {
    const event = eventOf(change, read);
    if (event) events.push(event);
  }
  return events;
}

type Things = Awaited<ReturnType<typeof readThings>>;

async function readThings(db: Reader, changes: readonly LoggedChange[]) {
  const about = (kind: string) => changes.filter((change) => change.type.startsWith(kind));
  const messageKeys = about('message.')
    .filter((change) => change.type !== 'message.deleted')
    .map(({ accountId, itemId }) => ({ accountId, id: itemId! }));
  const sessionKeys = [...about('message.'), ...about('session.')].map(subject);
  const recordKeys = about('record.')
    .filter((change) => change.type !== 'record.deleted')
    .map(subject);
  const notificationKeys = about('notification.updated').map(subject);
  const userKeys = about('notification').map(({ accountId, userId }) => ({ accountId, id: userId! }));
  const itemKeys = (kind: string) => about(kind).map(({ accountId, itemId }) => ({ accountId, id: itemId! }));
  const versionsOf = [...new Set(about('definitions.').map((change) => change.accountId))];
  // The message before its conversation: if it was moved meanwhile, the later place decides who may see it.
  const messages = await readBy(
    messageKeys,
    async (keys) =>
      withCurrentAudience(db, await selectMessagesByKeys(db, keys), ({ accountId }) => accountId),
    byId,
  );
  const [sessions, records, notifications, unread, tasks, openTasks, comments, runs, versions] =
    await Promise.all([
      readBy(
        sessionKeys,
        (keys) => selectSessionsByKeys(db, keys),
        (one) => keyOf(one.accountId, one.sessionId),
      ),
      readBy(
        recordKeys,
        (keys) => selectRecordsByKeys(db, keys),
        (one) => keyOf(one.accountId, one.recordId),
      ),
      readBy(notificationKeys, (keys) => selectNotificationsByKeys(db, keys), byId),
      readBy(userKeys, (keys) => countUnreadByKeys(db, keys), byId),
      readBy(itemKeys('task.'), (keys) => selectTasksByKeys(db, keys), byId),
      readBy(about('task.').map(subject), (keys) => countOpenTasksByKeys(db, keys), byId),
      readBy(itemKeys('comment.'), (keys) => selectCommentsByKeys(db, keys), byId),
      readBy(about('knowledge_run.').map(subject), (keys) => selectRunsByKeys(db, keys), byId),
      versionsOf.length === 0 ? [] : selectVersions(db, versionsOf),
    ]);
  const version = new Map(versions.map((one) => [one.accountId, one.version]));
  return { messages, sessions, records, notifications, unread, tasks, openTasks, comments, runs, version };
}

const subject = ({ accountId, subjectId }: LoggedChange): Key => ({ accountId, id: subjectId });
const keyOf = (accountId: string, id: string) => `${accountId}/${id}`;
const byId = (one: Key) => keyOf(one.accountId, one.id);

async function readBy<T>(
  keys: readonly Key[],
  read: (keys: Key[]) => Promise<T[]>,
  key: (one: T) => string,
): Promise<Map<string, T>> {
  if (keys.length === 0) return new Map();
  const distinct = [...new Map(keys.map((one) => [byId(one), one])).values()];
  return new Map((await read(distinct)).map((one) => [key(one), one]));
}

function eventOf(change: LoggedChange, read: Things): LiveEvent | null {
  const { accountId, subjectId, itemId, type } = change;
  const make = (kanbanId: string | null, content: Content, full?: Content) =>
    new LiveEvent(change, kanbanId, content, full);
  const own = keyOf(accountId, subjectId);
  switch (type) {
    case 'message.created':
    case 'message.updated':
    case 'message.deleted': {
      const found = read.sessions.get(own);
      const stored = itemId === null ? undefined : read.messages.get(keyOf(accountId, itemId));
      if (!stored || !found) {
        const data = { sessionId: subjectId, messageId: itemId ?? '' };
        return make(found?.kanbanId ?? null, { type: 'message.deleted', data });
      }
      const { accountId: _account, position, ...rest } = stored;
      const { accountId: _same, ...session } = found;
      const contentFor = (seesInternal: boolean): Content => {
        const message = toMessage({ ...rest, position }, seesInternal);
        const about = { sessionId: subjectId, position, message };
        return type === 'message.created'
          ? { type, data: { ...about, session } }
          : { type: 'message.updated', data: about };
      };
      const hasInternal = rest.citations?.some(({ isInternal }) => isInternal) ?? false;
      return make(session.kanbanId, contentFor(false), hasInternal ? contentFor(true) : undefined);
    }
    case 'session.created':
    case 'session.updated':
    case 'session.removed': {
      const found = read.sessions.get(own);
      if (!found) return make(change.kanbanId, { type: 'session.removed', data: { sessionId: subjectId } });
      const { accountId: _account, ...session } = found;
      return make(session.kanbanId, {
        type: type === 'session.created' ? type : 'session.updated',
        data: { session },
      });
    }
    case 'record.created':
    case 'record.updated':
    case 'record.deleted': {
      const record = read.records.get(own);
      if (!record || type === 'record.deleted') {
        const data = { recordId: subjectId, kanbanId: change.kanbanId };
        return make(change.kanbanId, { type: 'record.deleted', data });
      }
      return make(record.kanbanId, { type, data: { record } });
    }
    case 'task.created':
    case 'task.updated':
    case 'task.deleted': {
      const { open = 0, nextDueAt = null } = read.openTasks.get(own) ?? {};
      const tasks = { open, nextDueAt };
      const found = read.tasks.get(keyOf(accountId, itemId!));
      if (!found || type === 'task.deleted') {
        const data = { taskId: itemId!, recordId: subjectId, tasks };
        return make(change.kanbanId, { type: 'task.deleted', data });
      }
      const { accountId: _account, id: _id, ...task } = found;
      return make(task.kanbanId, { type, data: { task, tasks } });
    }
    case 'comment.created':
    case 'comment.updated':
    case 'comment.deleted': {
      const found = read.comments.get(keyOf(accountId, itemId!));
      if (!found || type === 'comment.deleted') {
        const data = { commentId: itemId!, recordId: subjectId };
        return make(change.kanbanId, { type: 'comment.deleted', data });
      }
      const { accountId: _account, id: _id, ...comment } = found;
      return make(comment.kanbanId, { type, data: { comment } });
    }
    case 'definitions.updated':
      return make(null, { type, data: { version: read.version.get(accountId) ?? 0 } });
    case 'contacts.updated':
      return make(null, { type, data: { blocked: null } });
    case 'contact.updated':
      return make(null, { type, data: { contactId: subjectId } });
    case 'knowledge_run.updated': {
      const found = read.runs.get(own);
      if (!found) return null;
      const { accountId: _account, ...run } = found;
      return make(null, { type, data: { run } });
    }
    case 'notification.updated':
    case 'notifications.read': {
      const unread = read.unread.get(keyOf(accountId, change.userId!))?.unread ?? 0;
      const found = read.notifications.get(own);
      if (!found || type === 'notifications.read') {
        return make(null, { type: 'notifications.read', data: { unread } });
      }
      const { accountId: _account, ...notification } = found;
      return make(null, { type, data: { notification, unread } });
    }
    default:
      return null;
  }
}
