/** Compares the books of a simulation with what the service has afterwards. Knows neither HTTP nor a database. */
import type { AccountBook } from './books.ts';

export interface FoundMessage {
  id: string;
  role: string;
  content: string;
  inReplyTo: string | null;
  /** Of a channel whose webhook receives its messages. */
  isForwarded: boolean;
}

/** What one account has, without what was there before the traffic began. */
export interface FoundAccount {
  /** Title by id, the cards of conversations included. */
  records: ReadonlyMap<string, string>;
  messages: readonly FoundMessage[];
}

/** What a receiver got for one account: the ids of the events by what they are about, with the number of deliveries. */
export type ReceivedEvents = ReadonlyMap<string, ReadonlyMap<string, number>>;

export interface Findings {
  /** Acknowledged but missing. */
  lost: string[];
  /** There, but never sent, sent once and there twice, or with another content. */
  wrong: string[];
  /** Messages without a reply. The worker may still be about to make it. */
  unanswered: string[];
  /** Messages with more than one reply. */
  answeredTwice: string[];
  /** Things without their event. The event may still be on its way. */
  eventsMissing: string[];
  /** Events about something that does not exist, or two events about one thing. */
  eventsWrong: string[];
  /** Deliveries of an event that had been received before: allowed, receivers recognise them by the id. */
  repeatedDeliveries: number;
}

export const noFindings = (): Findings => ({
  lost: [],
  wrong: [],
  unanswered: [],
  answeredTwice: [],
  eventsMissing: [],
  eventsWrong: [],
  repeatedDeliveries: 0,
});

/** `events` is null for an account without a webhook. `isCard`: the title is one that a conversation's card may have. */
export function checkAccount(
  book: AccountBook,
  found: FoundAccount,
  events: ReceivedEvents | null,
  isCard: (title: string) => boolean,
): Findings {
  const findings = noFindings();
  checkRecords(book, found, isCard, findings);
  checkMessages(book, found, findings);
  if (events) checkEvents(found, events, findings);
  return findings;
}

function checkRecords(
  book: AccountBook,
  found: FoundAccount,
  isCard: (title: string) => boolean,
  { lost, wrong }: Findings,
): void {
  for (const [id, title] of book.records) {
    const there = found.records.get(id);
    if (there === undefined) lost.push(`record ${id} "${title}"`);
    else if (there !== title) wrong.push(`record ${id} is "${there}", was sent as "${title}"`);
  }
  const seen = new Set<string>();
  for (const [id, title] of found.records) {
    if (book.records.has(id) || isCard(title)) continue;
    if (!book.maybeRecords.has(title)) wrong.push(`record ${id} "${title}" was never sent`);
    else if (seen.has(title)) wrong.push(`record "${title}" was sent once and is there twice`);
    seen.add(title);
  }
}

function checkMessages(book: AccountBook, found: FoundAccount, findings: Findings): void {
  const { lost, wrong, unanswered, answeredTwice } = findings;
  const byId = new Map(found.messages.map((message) => [message.id, message]));
  for (const [id, content] of book.messages) {
    const there = byId.get(id);
    if (!there) lost.push(`message ${id} "${content}"`);
    else if (there.content !== content) wrong.push(`message ${id} is "${there.content}", sent: "${content}"`);
  }
  const replies = new Map<string, number>();
  for (const { role, inReplyTo } of found.messages) {
    if (role === 'assistant' && inReplyTo) replies.set(inReplyTo, (replies.get(inReplyTo) ?? 0) + 1);
  }
  const seen = new Set<string>();
  for (const { id, role, content } of found.messages) {
    if (role !== 'user') continue;
    const count = replies.get(id) ?? 0;
    if (count === 0) unanswered.push(`message ${id}`);
    if (count > 1) answeredTwice.push(`message ${id}: ${count} replies`);
    if (book.messages.has(id)) continue;
    if (!book.maybeMessages.has(content)) wrong.push(`message ${id} "${content}" was never sent`);
    else if (seen.has(content)) wrong.push(`message "${content}" was sent once and is there twice`);
    seen.add(content);
  }
}

function checkEvents(found: FoundAccount, events: ReceivedEvents, findings: Findings): void {
  const { eventsMissing, eventsWrong } = findings;
  const expected = new Set(found.records.keys());
  for (const { id, role, isForwarded } of found.messages) {
    if (role === 'assistant' && isForwarded) expected.add(id);
  }
  for (const subject of expected) if (!events.has(subject)) eventsMissing.push(subject);
  for (const [subject, ids] of events) {
    if (!expected.has(subject)) eventsWrong.push(`an event about ${subject}, which is not there`);
    if (ids.size > 1) eventsWrong.push(`${ids.size} events about ${subject}`);
    for (const deliveries of ids.values()) findings.repeatedDeliveries += deliveries - 1;
  }
}

export function addFindings(sum: Findings, more: Findings): void {
  sum.lost.push(...more.lost);
  sum.wrong.push(...more.wrong);
  sum.unanswered.push(...more.unanswered);
  sum.answeredTwice.push(...more.answeredTwice);
  sum.eventsMissing.push(...more.eventsMissing);
  sum.eventsWrong.push(...more.eventsWrong);
  sum.repeatedDeliveries += more.repeatedDeliveries;
}

/** What time alone can still put right. */
export const isWaiting = ({ unanswered, eventsMissing }: Findings): boolean =>
  unanswered.length > 0 || eventsMissing.length > 0;
