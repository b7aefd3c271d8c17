/**
 * Keeps e-mail addresses, phone numbers and card numbers from a model: it reads `[email-1]` instead, and what it writes
 * gets the value back. The same texts always lead to the same placeholders. What may be a number of a person is hidden,
 * also if it is an order's: the model can still pass it on.
 */
import type { MaskedKind } from '../../../contract/channels.ts';
import type { Conversation } from './ai-replies.conversation.ts';

export interface Mask {
  hide(text: string): string;
  restore(text: string): string;
  /** In all texts of the value, such as arguments of a tool. */
  restoreIn<T>(value: T): T;
}

const kinds: readonly MaskedKind[] = ['email', 'phone', 'card'];
/** Models put in blanks and escape brackets. Somebody may also have written such a text: then it is hidden as well. */
const placeholder = String.raw`\\?\[(?:${kinds.join('|')})[-_ ]?\d{1,6}\\?\]`;
const placeholders = new RegExp(placeholder, 'gi');

const ends = String.raw`\s@＠<>()[\]"',;:`;
const atSign = '(?:[@＠]|%40)';
// Only from where a word begins, so that a long text without spaces does not take quadratic time. In JSON the letter behind
// a backslash is no part of it.
const email = String.raw`(?<=^|[${ends}]|\\[^\\])[^${ends}\\]+${atSign}(?:[\p{L}\p{N}-]{1,63}\.){1,8}[\p{L}\p{N}-]{2,63}`;
const hasAtSign = new RegExp(atSign);

const month = '(?:0?[1-9]|1[0-2])';
const day = '(?:0?[1-9]|[12]\\d|3[01])';
const year = '(?:19|20)\\d\\d';
const date = `(?:${['-', '/', '\\.']
  .flatMap((sign) => [`${year}${sign}${month}${sign}${day}`, `${day}${sign}${day}${sign}${year}`])
  .concat(`${day}/${day}/\\d\\d`)
  .join('|')})(?![-./]?\\d)`;
/** Digits that are a date, an amount, a time in milliseconds, or a part of an id or an escape. */
const others = [
  date,
  '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}',
  String.raw`\\u[0-9a-f]{4}`,
  String.raw`(?<![\d+])1[5-9]\d{11}(?!\d)`,
  String.raw`(?:[$€£]|EUR|USD|BRL)[\p{Zs}]?\d{1,3}(?:[.,]?\d{3})*(?:[.,]\d{1,2})?(?![\d.-])`,
  String.raw`(?<!\d)\d{1,3}(?:\.\d{3})+,\d{2}(?!\d)`,
].join('|');

/** Between two groups of digits. A sign at the end of a sentence is not. */
const blank = String.raw`[\p{Zs}\t]`;
const gap = String.raw`(?:${blank}{1,2}\(?|${blank}?[-‐‑–−./](?!${blank})|${blank}[-‐‑–−]${blank}|\)${blank}?-?${blank}?|\(|\p{Cf}{1,2})`;
const digits = String.raw`(?:[+＋]${blank}?)?\(?\p{Nd}+(?:${gap}(?!${date})\p{Nd}+)*`;

const found = (withAddresses: boolean) =>
  new RegExp(
    `(?<written>${placeholder})|${withAddresses ? `(?<email>${email})|` : ''}(?<other>${others})|(?<digits>${digits})`,
    'giu',
  );
const allForms = found(true);
const withoutAddresses = found(false);

const nothing: Mask = { hide: (text) => text, restore: (text) => text, restoreIn: (value) => value };

export function createMask(hidden: readonly MaskedKind[] = []): Mask {
  if (hidden.length === 0) return nothing;
  const placeholderOf = new Map<string, string>();
  const values = new Map<string, string>();
  const counts = { email: 0, phone: 0, card: 0 };
  const hideAs = (kind: MaskedKind, value: string): string => {
    const known = placeholderOf.get(value);
    if (known) return known;
    counts[kind] += 1;
    const made = `[${kind}-${counts[kind]}]`;
    placeholderOf.set(value, made);
    values.set(made, value);
    return made;
  };
  const hide = (text: string): string => {
    const forms = hidden.includes('email') && hasAtSign.test(text) ? allForms : withoutAddresses;
    return text.replace(forms, (whole: string, ...rest: unknown[]) => {
      const named = rest.at(-1) as { written?: string; email?: string; other?: string };
      if (named.other !== undefined) return whole;
      if (named.email !== undefined) return hideAs('email', whole);
      if (named.written !== undefined) return hideAs(kindIn(whole), whole);
      return hideNumbers(whole, hidden, hideAs);
    });
  };
  const restore = (text: string): string =>
    text.replace(placeholders, (whole) => {
      const number = /\d+/.exec(whole)![0];
      return values.get(`[${kindIn(whole)}-${Number(number)}]`) ?? whole;
    });
  return { hide, restore, restoreIn: (value) => inTexts(value, restore) };
}

/** For a search, which a model may be part of. */
export const withoutMasked = (text: string, hidden: readonly MaskedKind[]): string =>
  hidden.length === 0 ? text : createMask(hidden).hide(text).replace(placeholders, ' ');

const kindIn = (written: string): MaskedKind => kinds.find((kind) => written.toLowerCase().includes(kind))!;

interface Group {
  start: number;
  end: number;
  /** As numbers, of whatever script. */
  digits: number[];
}

/** Of groups of digits next to each other, which may be several numbers. */
function hideNumbers(
  text: string,
  hidden: readonly MaskedKind[],
  hideAs: (kind: MaskedKind, value: string) => string,
): string {
  const groups = [...text.matchAll(/\p{Nd}+/gu)].map(
    ({ 0: value, index }): Group => ({
      start: index,
      end: index + value.length,
      digits: [...value.normalize('NFKC')].map(Number),
    }),
  );
  /** By the first group of each number. */
  const numbers = new Map<number, { kind: MaskedKind; last: number }>();
  const taken = new Set<number>();
  for (const [kind, lastOf] of [
    ['card', lastOfCard],
    ['phone', lastOfPhone],
  ] as const) {
    if (!hidden.includes(kind)) continue;
    for (let from = 0; from < groups.length; from++) {
      const last = lastOf(groups, from, taken);
      if (last < from) continue;
      numbers.set(from, { kind, last });
      for (; from < last; from++) taken.add(from);
      taken.add(last);
    }
  }
  let shown = '';
  let at = 0;
  for (const [from, { kind, last }] of [...numbers].sort(([one], [other]) => one - other)) {
    const { start } = groups[from]!;
    // What opens the number belongs to it.
    const opening = /(?:[+＋][\p{Zs}\t]?)?\(?$/u.exec(text.slice(Math.max(at, start - 3), start))![0];
    const { end } = groups[last]!;
    shown += text.slice(at, start - opening.length) + hideAs(kind, text.slice(start - opening.length, end));
    at = end;
  }
  return shown + text.slice(at);
}

/** The last group of the longest phone number that begins with `from`; -1: there is none. */
function lastOfPhone(groups: readonly Group[], from: number, taken: ReadonlySet<number>): number {
  let last = -1;
  let length = 0;
  for (let to = from; to < groups.length && !taken.has(to); to++) {
    length += groups[to]!.digits.length;
    if (length > 15) break;
    if (length >= 7) last = to;
  }
  return last;
}

/** The same for a card: by its check digit, or by its form, because a mistyped one is still almost a card. */
function lastOfCard(groups: readonly Group[], from: number): number {
  let last = -1;
  let length = 0;
  /** Of the digits, with those at even places doubled, and with those at odd places. */
  const sums = [0, 0];
  for (let to = from; to < groups.length; to++) {
    const { digits: added } = groups[to]!;
    if (length + added.length > 19) break;
    for (const digit of added) {
      sums[length % 2]! += digit > 4 ? digit * 2 - 9 : digit * 2;
      sums[1 - (length % 2)]! += digit;
      length += 1;
    }
    const isInFours = to - from === 3 && groups.slice(from, to + 1).every((one) => one.digits.length === 4);
    if (length >= 13 && (isInFours || sums[length % 2]! % 10 === 0)) last = to;
  }
  return last;
}

function inTexts<T>(value: T, change: (text: string) => string): T;
function inTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => inTexts(one, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inTexts(one, change)]));
}

/** In characters, of the newest messages: more than a prompt shows. */
const maxSearched = 400_000;

/** What others wrote or are called; the agent's instructions and knowledge are the business's own. */
export function maskedConversation(conversation: Conversation, mask: Mask): Conversation {
  if (mask === nothing) return conversation;
  const { messages, customer } = conversation;
  let left = maxSearched;
  const hideNewest = (text: string): string => {
    left -= text.length;
    return left < 0 ? '…' : mask.hide(text);
  };
  const hideAny = (text: string | null) => text && mask.hide(text);
  return {
    ...conversation,
    messages: messages
      .toReversed()
      .map((one) => ({ ...one, content: hideNewest(one.content) }))
      .reverse(),
    notes: conversation.notes.map(({ content, operatorName }) => ({
      content: mask.hide(content),
      operatorName: mask.hide(operatorName),
    })),
    customer: {
      externalUserId: hideAny(customer.externalUserId),
      sessionName: hideAny(customer.sessionName),
    },
  };
}
