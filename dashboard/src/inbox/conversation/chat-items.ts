/** The items of a chat in order: days, grouped messages, and outgoing messages. */
import type { AiPause } from '../../../../contract/dashboard.ts';
import type { SessionChangeEntry } from '../../../../contract/messaging/lifecycle.ts';
import type { Message } from '../../../../contract/messaging/messages.ts';
import type { ToolCallEntry } from '../../../../contract/tool-calls.ts';
import type { Outgoing } from '../data/outbox.ts';
import { mailOf, topicOf } from '../mail/mail-data.ts';

export type ChatItem =
  | { kind: 'day'; key: string; at: number }
  | { kind: 'new'; key: string }
  | {
      kind: 'message';
      key: string;
      message: Message;
      startsGroup: boolean;
      endsGroup: boolean;
      /** The menus of all messages are one tab stop. */
      isTabStop: boolean;
      /** Of a mail, where it differs from the mail before. */
      subject: string | null;
    }
  | ChatLine
  | { kind: 'outgoing'; key: string; outgoing: Outgoing };

/** What happened between the messages, with its time. */
export type ChatLine =
  | { kind: 'pause'; key: string; at: number; pause: AiPause }
  | { kind: 'change'; key: string; at: number; change: SessionChangeEntry }
  | { kind: 'call'; key: string; at: number; call: ToolCallEntry };

/** By their time. */
export function chatLines(
  pauses: readonly AiPause[],
  changes: readonly SessionChangeEntry[],
  calls: readonly ToolCallEntry[],
): ChatLine[] {
  const lines: ChatLine[] = [
    // The change that comes with it says more.
    ...pauses
      .filter(({ by }) => by.id !== 'customer')
      .map((pause) => ({ kind: 'pause' as const, key: pause.id, at: pause.at, pause })),
    ...changes.map((change) => ({
      kind: 'change' as const,
      key: `change ${change.sequence}`,
      at: change.at,
      change,
    })),
    ...calls.map((call) => ({ kind: 'call' as const, key: `call ${call.id}`, at: call.requestedAt, call })),
  ];
  return lines.sort((a, b) => a.at - b.at);
}

const groupMs = 5 * 60_000;
const dayOf = (at: number) => new Date(at).toDateString();

/** Who a message is shown as: messages of the same one in a row share a name and a time. */
const senderOf = (message: Message) =>
  message.isNote || message.held || message.role === 'system'
    ? message.id
    : `${message.role} ${message.isEcho} ${message.author?.id ?? message.operator?.id ?? message.agentId ?? ''}`;

const isTogether = (a: Message | undefined, b: Message | undefined) =>
  a !== undefined &&
  b !== undefined &&
  senderOf(a) === senderOf(b) &&
  Math.abs(b.timestamp - a.timestamp) < groupMs &&
  dayOf(a.timestamp) === dayOf(b.timestamp);

/** `newFrom`: the first message that was unread when the chat was opened. */
export function chatItems(
  messages: readonly Message[],
  outgoing: readonly Outgoing[],
  newFrom: string | null,
  lines: readonly ChatLine[] = [],
): ChatItem[] {
  const items: ChatItem[] = [];
  // Lines before the first loaded message belong to a page that is not loaded yet.
  const begin = messages[0]?.timestamp ?? 0;
  const shown = lines.filter(({ at }) => at >= begin);
  let placed = 0;
  const linesUntil = (at: number) => {
    for (; placed < shown.length && shown[placed]!.at <= at; placed++) items.push(shown[placed]!);
  };
  const lastSaid = messages.findLastIndex(({ isNote, held, role }) => !isNote && !held && role !== 'system');
  let topic: string | null = null;
  messages.forEach((message, index) => {
    const before = messages[index - 1];
    const after = messages[index + 1];
    const hadPlaced = placed;
    if (before) linesUntil(message.timestamp);
    const day = dayOf(message.timestamp);
    if (!before || dayOf(before.timestamp) !== day) {
      items.push({ kind: 'day', key: `day ${day}`, at: message.timestamp });
    }
    if (message.id === newFrom) items.push({ kind: 'new', key: 'new' });
    const mail = message.isNote ? null : mailOf(message);
    const isNewTopic = mail !== null && topicOf(mail.subject) !== topic;
    if (mail) topic = topicOf(mail.subject);
    items.push({
      kind: 'message',
      key: message.id,
      message,
      startsGroup: message.id === newFrom || hadPlaced !== placed || !isTogether(before, message),
      endsGroup: after?.id === newFrom || !isTogether(message, after),
      isTabStop: index === lastSaid,
      subject: isNewTopic ? mail.subject : null,
    });
  });
  linesUntil(Number.POSITIVE_INFINITY);
  for (const one of outgoing) items.push({ kind: 'outgoing', key: one.id, outgoing: one });
  return items;
}

/** The first of the last `unread` messages of the customer. */
export function firstUnread(messages: readonly Message[], unread: number): string | null {
  if (unread === 0) return null;
  const theirs = messages.filter((message) => message.role === 'user' && !message.isEcho);
  return theirs.at(-unread)?.id ?? theirs[0]?.id ?? null;
}
