/** What became of the conversations of the demo: most are resolved, some are snoozed, a few were reopened before. */
import { changeLifecycle, customer, type SessionChange, type SessionState } from '../../sessions/sessions.ts';
import { day, workingMoment } from './demo.calendar.ts';
import type { DemoConversation } from './demo.conversations.ts';
import type { Chance } from './demo.random.ts';

const hour = 3_600_000;

export interface SettledConversation extends DemoConversation {
  /** Each with the conversation as the change left it. */
  changes: { state: SessionState; change: SessionChange }[];
}

interface Settling {
  chance: Chance;
  now: number;
  operator: { id: string; name: string };
}

export function settle(conversation: DemoConversation, settling: Settling): SettledConversation {
  const { chance, now, operator } = settling;
  const { session, messages } = conversation;
  const changes: SettledConversation['changes'] = [];
  const by = { type: 'user', ...operator } as const;
  let state = session;
  const move = (
    at: number,
    changedBy: typeof by | typeof customer,
    wanted: Parameters<typeof changeLifecycle>[3],
  ) => {
    const { state: next, change } = changeLifecycle(state, at, changedBy, wanted);
    if (change) changes.push({ state: next, change });
    state = { ...next, updatedAt: Math.max(state.updatedAt, at) };
  };
  const reopening = chance.happens(0.3) ? findReturn(conversation) : null;
  if (reopening) {
    move(chance.whole(reopening.from, reopening.to - 1), by, { status: 'resolved' });
    move(reopening.to, customer, { status: 'open' });
  }
  const isAnswered = session.unread === 0 && !session.needsAttention && !messages.some(({ held }) => held);
  const quietFor = now - session.lastMessageAt;
  const resolvedAt = workingMoment(chance, session.updatedAt + chance.whole(5 * 60_000, 7 * hour));
  if (isAnswered && resolvedAt < now && chance.happens(quietFor > 2 * day ? 0.92 : 0.5)) {
    move(resolvedAt, by, { status: 'resolved' });
  } else if (isAnswered && quietFor > hour && chance.happens(0.6)) {
    const at = chance.whole(session.updatedAt + 1, now - 1);
    const snoozedUntil = chance.happens(0.3) ? null : morningAfter(now, chance.whole(1, 6));
    move(at, by, { status: 'snoozed', snoozedUntil });
  }
  return inOrder({ ...conversation, session: state, changes });
}

/** Between an answer and the next message of the customer, some time later. */
function findReturn({ messages }: DemoConversation): { from: number; to: number } | null {
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const isReturn = message.role === 'user' && before && before.role !== 'user';
    if (isReturn && message.at - before.at > 10 * 60_000) return { from: before.at + 60_000, to: message.at };
  }
  return null;
}

function morningAfter(now: number, days: number): number {
  const at = new Date(now + days * day);
  at.setHours(9, 0, 0, 0);
  return at.getTime();
}

/** Pauses and changes share the numbers of the conversation's events, in the order of time. */
function inOrder({ session, pauses, changes, ...rest }: SettledConversation): SettledConversation {
  const times = [...pauses, ...changes.map(({ change }) => change)].sort((a, b) => a.at - b.at);
  const sequenceOf = new Map(times.map((one, index) => [one as object, index + 1]));
  return {
    ...rest,
    session: { ...session, eventSequence: times.length },
    pauses: pauses.map((one) => ({ ...one, sequence: sequenceOf.get(one)! })),
    changes: changes.map(({ state, change }) => ({
      state,
      change: { ...change, sequence: sequenceOf.get(change)! },
    })),
  };
}
