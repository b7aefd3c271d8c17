/**
 * Where an index gets its messages from. A read sees every change committed before it began. It may return a message
 * more than once, and newer than its position: the last one returned counts.
 */
import { setTimeout } from 'node:timers/promises';
import type { Reader } from '../../../platform/db/db.ts';
import type { MessageDocument, SessionPlace } from '../../../search-engine/messages/message-index.ts';
import {
  type Change,
  type Feed,
  type MessageRow,
  numberChanges,
  selectFeed,
  selectFloor,
  selectMessagesAfter,
  selectMessagesByIds,
  selectSessionPlaces,
  selectSessionsAfter,
} from './message-search.source.sql.ts';

export interface Position {
  epoch: string;
  seq: number;
}

export interface Batch {
  sessions: SessionPlace[];
  removedSessionIds: string[];
  messages: MessageDocument[];
  removedIds: string[];
  /** Messages were written without changes that name them (the demo): everything has to be read again. */
  isRefill: boolean;
}

export interface MessageSource {
  position(accountId: string): Promise<Position>;
  /** Everything, or only the messages after an id. */
  readAll(accountId: string, floorId: string | null): AsyncIterable<Batch>;
  /** Null: the changes are no longer complete, so everything has to be read again. */
  readChanges(
    accountId: string,
    since: Position,
  ): Promise<{ batches: AsyncIterable<Batch>; position: Position } | null>;
  /** The id before the newest `count` messages; null: there are no more than those. */
  floorOf(accountId: string, count: number): Promise<string | null>;
}

const rowsAtATime = 2_000;
const nothing: Batch = { sessions: [], removedSessionIds: [], messages: [], removedIds: [], isRefill: false };

export function createSource(db: Reader): MessageSource {
  const feedAfter = async (accountId: string, seq: number): Promise<Feed> => {
    for (let attempt = 0; ; attempt++) {
      const feed = await selectFeed(db, accountId, seq, rowsAtATime);
      // Many pending changes would be read again for every query: after a bulk load they are numbered first.
      if (feed && feed.pending.length < rowsAtATime) return feed;
      // Another process is numbering them: asking again at once would only take its processor time.
      if (attempt > 0) await setTimeout(20);
      await numberChanges(db);
    }
  };

  async function* readAll(accountId: string, floorId: string | null): AsyncIterable<Batch> {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const sessions = await selectSessionsAfter(db, accountId, after, rowsAtATime);
      yield { ...nothing, sessions };
      after = sessions.length < rowsAtATime ? undefined : sessions.at(-1)!.sessionId;
    }
    const select = (after: string | null) => {
      const selecting = selectMessagesAfter(db, accountId, after, rowsAtATime);
      // The reader may stop before it awaits this.
      selecting.catch(() => undefined);
      return selecting;
    };
    let selecting = select(floorId);
    for (;;) {
      const rows: MessageRow[] = await selecting;
      const isLast = rows.length < rowsAtATime;
      // The database reads ahead while these are put into the index.
      if (!isLast) selecting = select(rows.at(-1)!.id);
      yield { ...nothing, messages: rows.map(documentOf) };
      if (isLast) return;
    }
  }

  /** The current state of everything that the changes name. */
  const readChanged = async (accountId: string, changes: readonly Change[]): Promise<Batch> => {
    const ofType = (kind: string) => changes.filter(({ type }) => type.startsWith(kind));
    const ids = [...new Set(ofType('message.').map(({ itemId }) => itemId!))];
    const sessionIds = [...new Set(ofType('session.').map(({ subjectId }) => subjectId))];
    const [rows, sessions] = await Promise.all([
      ids.length === 0 ? [] : selectMessagesByIds(db, accountId, ids),
      sessionIds.length === 0 ? [] : selectSessionPlaces(db, accountId, sessionIds),
    ]);
    const existing = new Set(rows.map(({ id }) => id));
    const removed = ofType('messages.removed').flatMap((change) => change.removed?.split(' ') ?? []);
    const placed = new Set(sessions.map(({ sessionId }) => sessionId));
    return {
      sessions,
      removedSessionIds: sessionIds.filter((id) => !placed.has(id)),
      messages: rows.map(documentOf),
      removedIds: [...ids.filter((id) => !existing.has(id)), ...removed],
      isRefill: ofType('messages.filled').length > 0,
    };
  };

  async function* readFeed(accountId: string, first: Feed): AsyncIterable<Batch> {
    for (let feed = first; ; ) {
      yield readChanged(accountId, feed.logged);
      if (feed.logged.length < rowsAtATime) break;
      feed = await feedAfter(accountId, feed.logged.at(-1)!.seq);
    }
    if (first.pending.length > 0) yield readChanged(accountId, first.pending);
  }

  return {
    async position(accountId) {
      const { epoch, head } = await feedAfter(accountId, Number.MAX_SAFE_INTEGER);
      return { epoch, seq: head };
    },
    readAll,
    async readChanges(accountId, { epoch, seq }) {
      const feed = await feedAfter(accountId, seq);
      const { logged, head } = feed;
      const isComplete =
        logged.length === Math.min(head - seq, rowsAtATime) && (logged[0]?.seq ?? seq + 1) === seq + 1;
      if (feed.epoch !== epoch || !isComplete) return null;
      return { batches: readFeed(accountId, feed), position: { epoch, seq: head } };
    },
    floorOf: (accountId, count) => selectFloor(db, accountId, count),
  };
}

export const authorOf = (role: string, operatorId: string | null): string =>
  role === 'operator' ? `operator ${operatorId ?? ''}` : role;

export const searchedText = ({
  content,
  transcripts,
}: Pick<MessageRow, 'content' | 'transcripts'>): string =>
  transcripts === null ? content : `${content}\n${transcripts}`;

function documentOf(row: MessageRow): MessageDocument {
  const { id, sessionId, role, operatorId, isNote, createdAt } = row;
  return { id, sessionId, author: authorOf(role, operatorId), isNote, createdAt, text: searchedText(row) };
}
