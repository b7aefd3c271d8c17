/**
 * Who is connected, who is typing and who looks at what. The latter two are sent to everyone who may see the
 * conversation or the record.
 */
import type { ClientFrame } from '../../../contract/realtime.ts';
import type { Db } from '../../platform/db/db.ts';
import { isId } from '../../platform/ids.ts';
import type { LiveConnection } from './realtime.connection.ts';
import {
  deletePresence,
  findKanbanOf,
  renewPresence,
  selectPeople,
  selectViewed,
  upsertPresence,
} from './realtime.people.sql.ts';
import type { SignalBus } from './realtime.wake.ts';

const renewEveryMs = 20_000;
/** The minimum interval of typing notices. */
const typingEveryMs = 1_000;

type Place = NonNullable<LiveConnection['viewing']>;

export interface Presence {
  /** The user counts as present from here on, and learns what others look at. */
  arrive(connection: LiveConnection): Promise<void>;
  hear(connection: LiveConnection, frame: ClientFrame): Promise<void>;
  leave(connection: LiveConnection): Promise<void>;
  close(): void;
}

export function createPresence(
  { db, bus }: { db: Db; bus: SignalBus },
  connections: () => Iterable<LiveConnection>,
): Presence {
  const lastTyping = new WeakMap<LiveConnection, { sessionId: string; isTyping: boolean; at: number }>();
  /** Frames of one connection are processed in order. */
  const turns = new WeakMap<LiveConnection, Promise<void>>();

  const renewal = setInterval(() => {
    const mine = [...connections()];
    if (mine.length > 0) db.transaction((tx) => renewPresence(tx, mine)).catch(() => {});
  }, renewEveryMs);
  renewal.unref();

  const publish = async (accountId: string, { kanbanId, sessionId, recordId }: Place): Promise<void> => {
    const people = await selectPeople(db, accountId, { sessionId, recordId });
    const data = { sessionId, recordId, people };
    await bus.send({ accountId, kanbanId, from: null, type: 'presence', data });
  };

  /** Null for what does not exist and for what this user may not see: the two cannot be distinguished. */
  const find = async (
    { accountId, visible, sees }: LiveConnection,
    place: { sessionId: string | null; recordId: string | null },
  ): Promise<Place | null> => {
    if (!(place.sessionId === null ? sees.records : sees.conversations)) return null;
    if (place.sessionId === null && (place.recordId === null || !isId(place.recordId))) return null;
    const kanbanId = await findKanbanOf(db, accountId, place);
    return kanbanId === null || (visible && !visible.has(kanbanId)) ? null : { ...place, kanbanId };
  };

  const look = async (connection: LiveConnection, place: Place | null, isGone = false): Promise<void> => {
    const { accountId, id: connectionId, actor, viewing: before } = connection;
    connection.viewing = place;
    const user = { id: actor.id, name: actor.name };
    const at = { connectionId, user, sessionId: null, recordId: null, ...place };
    await db.transaction((tx) =>
      isGone ? deletePresence(tx, accountId, connectionId) : upsertPresence(tx, accountId, at),
    );
    const moved = before?.sessionId !== place?.sessionId || before?.recordId !== place?.recordId;
    if (before && moved) await publish(accountId, before);
    if (place) await publish(accountId, place);
  };

  const type = async (connection: LiveConnection, sessionId: string, isTyping: boolean): Promise<void> => {
    const last = lastTyping.get(connection);
    const at = performance.now();
    const isNews = last?.sessionId !== sessionId || last.isTyping !== isTyping;
    if (!isNews && at - last.at < typingEveryMs) return;
    lastTyping.set(connection, { sessionId, isTyping, at });
    const place = await find(connection, { sessionId, recordId: null });
    if (!place) return;
    const { accountId, actor, id: from } = connection;
    const person = { id: actor.id, name: actor.name };
    const data = { sessionId, person, isTyping };
    await bus.send({ accountId, kanbanId: place.kanbanId, from, type: 'typing', data });
  };

  const inTurn = (connection: LiveConnection, run: () => Promise<void>): Promise<void> => {
    const turn = (turns.get(connection) ?? Promise.resolve()).then(run);
    turns.set(
      connection,
      turn.catch(() => {}),
    );
    return turn;
  };

  return {
    arrive: (connection) =>
      inTurn(connection, async () => {
        await look(connection, null);
        const { accountId } = connection;
        for (const { kanbanId, ...data } of await selectViewed(db, accountId)) {
          connection.signal({ accountId, kanbanId, from: null, type: 'presence', data });
        }
      }),
    hear: (connection, frame) =>
      inTurn(connection, async () => {
        if (frame.type === 'typing') await type(connection, frame.sessionId, frame.isTyping);
        if (frame.type !== 'viewing') return;
        const { sessionId = null, recordId = null } = frame;
        // One subject at a time: a conversation beside its record counts as the conversation.
        const place = await find(connection, { sessionId, recordId: sessionId === null ? recordId : null });
        await look(connection, place);
      }),
    leave: (connection) => inTurn(connection, () => look(connection, null, true)),
    close: () => clearInterval(renewal),
  };
}
