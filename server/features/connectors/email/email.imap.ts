/**
 * New mail of the inbox. The connection stays open between polls, so that the server can tell of new mail (IDLE). The
 * cursor is (UIDVALIDITY, last UID); a mailbox begins at its present, and one whose UIDs have changed is read again from
 * shortly before the last mail.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ImapFlow } from 'imapflow';
import { type Link, type PollResult, ProviderError } from '../connectors.provider.ts';
import { type MailBody, readHead, readMailBody } from './email.body.ts';
import { headerBytes } from './email.parse.ts';
import { serverOf, settingsOf } from './email.settings.ts';
import { tlsProblem } from './email.tls.ts';

export interface Cursor {
  validity: string;
  uid: number;
  /** When the mailbox was connected: older mail is not read. */
  first: number;
  /** When the last mail came. */
  seen: number;
  /** After new UIDs, while mails are read again: none that came earlier than this. */
  again?: number;
  /**
   * How often a mail was begun to be read, by its UID. Stored before it is read: one that ends the process every time
   * must not keep it from starting.
   */
  tried?: Record<string, number>;
}

const waitMs = 25_000;
const day = 24 * 3_600_000;
const megabyte = 1024 * 1024;
const maxMailBytes = 25 * megabyte;
const maxMails = 20;
const maxBytes = 30 * megabyte;
const timeoutMs = 15_000;
const maxTries = 2;

interface Mailbox {
  client: ImapFlow;
  isOpen: boolean;
  /** Ends a wait for news. */
  wake: () => void;
  /** The server has told of new mail since the last search. */
  hasNews: boolean;
}

const mailboxes = new WeakMap<Link, Mailbox>();

async function openImap(link: Link): Promise<Mailbox> {
  const { host, port, isSecure, servername, requiresTls, user, password } = await serverOf(link, 'imap');
  // Loaded with the first mailbox: its modules would slow down every start.
  const { ImapFlow } = await import('imapflow');
  const client = new ImapFlow({
    host,
    port,
    secure: isSecure,
    ...(servername !== undefined && { servername }),
    ...(!isSecure && requiresTls && { doSTARTTLS: true }),
    auth: { user, pass: password },
    logger: false,
    disableAutoIdle: true,
    disableCompression: true,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: 5 * 60_000,
    maxLiteralSize: maxMailBytes + headerBytes,
    maxResponseSize: 2 * maxMailBytes,
    maxLineLength: 4 * 1024 * 1024,
    clientInfo: { name: 'Talkboard' },
  });
  const box: Mailbox = { client, isOpen: true, wake: () => {}, hasNews: false };
  // Without a listener an error would end the process.
  client.on('error', () => close(box));
  client.on('close', () => close(box));
  client.on('exists', () => {
    box.hasNews = true;
    box.wake();
  });
  try {
    await client.connect();
    await client.mailboxOpen('INBOX', { readOnly: true });
    return box;
  } catch (error) {
    close(box);
    throw imapError(error, isSecure);
  }
}

function close(box: Mailbox): void {
  if (!box.isOpen) return;
  box.isOpen = false;
  box.client.close();
  box.wake();
}

/** Connects, signs in and leaves. Returns the cursor of a mailbox that begins now. */
export async function tryImap(link: Link): Promise<string> {
  const box = await openImap(link);
  try {
    const cursor = await presentOf(box.client);
    await box.client.logout().catch(() => {});
    return cursor;
  } catch (error) {
    throw imapError(error, settingsOf(link).imap.tls);
  } finally {
    close(box);
  }
}

async function presentOf(client: ImapFlow): Promise<string> {
  const { mailbox } = client;
  if (!mailbox) throw new Error('The inbox was closed.');
  const validity = String(mailbox.uidValidity);
  const now = Date.now();
  const uid = await lastUid(client, mailbox.uidNext);
  return JSON.stringify({ validity, uid, first: now, seen: now } satisfies Cursor);
}

export async function pollInbox(
  link: Link,
  given: string | null,
  signal: AbortSignal,
  keep: (cursor: string) => Promise<void>,
): Promise<PollResult> {
  const box = await mailboxOf(link, signal);
  try {
    const { client } = box;
    const { mailbox } = client;
    if (!mailbox) throw new Error('The inbox was closed.');
    const validity = String(mailbox.uidValidity);
    // Of a connector that was connected before connecting gave it a cursor.
    if (given === null) return { bodies: [], cursor: await presentOf(client) };
    const before = JSON.parse(given) as Cursor;
    const isNew = before.validity !== validity;
    const cursor: Cursor = isNew
      ? { ...before, validity, uid: 0, again: Math.max(before.first, before.seen - day), tried: undefined }
      : before;
    const isAgain = cursor.again !== undefined;
    // The date keeps what is older than the connection out, also if it is moved into the inbox or renumbered.
    const since = new Date((cursor.again ?? cursor.first) - day);
    const last = isAgain ? await lastUid(client, mailbox.uidNext) : 0;
    // The server announces what arrives during the search before the wait begins.
    box.hasNews = false;
    let uids = await newUids(client, cursor.uid, since);
    if (uids.length === 0 && !isAgain) {
      await news(box, signal);
      signal.throwIfAborted();
      if (box.isOpen) uids = await newUids(client, cursor.uid, since);
    }
    const { bodies, uid, seen, notice } = await fetchMails(link, client, uids, triesOf(cursor, keep, signal));
    const next = uid === null ? { ...cursor } : { ...cursor, uid, seen };
    const tried = laterThan(next.uid, cursor.tried);
    if (tried) next.tried = tried;
    else delete next.tried;
    // Everything that had to be read again was read: the others were there before.
    if (isAgain && (uid ?? 0) >= (uids.at(-1) ?? 0)) {
      next.uid = Math.max(next.uid, last);
      delete next.again;
    }
    return {
      bodies: bodies.map((body) => JSON.stringify(body)),
      cursor: JSON.stringify(next),
      ...(notice !== null && { notice }),
    };
  } catch (error) {
    mailboxes.delete(link);
    close(box);
    signal.throwIfAborted();
    throw imapError(error, settingsOf(link).imap.tls);
  }
}

async function mailboxOf(link: Link, signal: AbortSignal): Promise<Mailbox> {
  const known = mailboxes.get(link);
  if (known?.isOpen && known.client.usable) return known;
  if (known) close(known);
  const box = await openImap(link);
  mailboxes.set(link, box);
  signal.addEventListener('abort', () => close(box), { once: true });
  if (signal.aborted) close(box);
  return box;
}

/** Some servers do not tell the next UID. */
async function lastUid(client: ImapFlow, uidNext: number | undefined): Promise<number> {
  if (uidNext) return uidNext - 1;
  const all = (await client.search({ all: true }, { uid: true })) || [];
  return all.reduce((last, uid) => Math.max(last, uid), 0);
}

/** A range that ends with * always has the last message. */
async function newUids(client: ImapFlow, after: number, since: Date): Promise<number[]> {
  const found = await client.search({ uid: `${after + 1}:*`, since }, { uid: true });
  if (!found) throw new Error('The connection was lost.');
  return found.filter((uid) => uid > after).sort((a, b) => a - b);
}

/** Until the server tells of new mail, or for a while. The next command ends IDLE. */
async function news(box: Mailbox, signal: AbortSignal): Promise<void> {
  if (!box.isOpen || box.hasNews || signal.aborted) return;
  const stop = new AbortController();
  const told = new Promise<void>((resolve) => {
    box.wake = resolve;
    signal.addEventListener('abort', () => resolve(), { once: true, signal: stop.signal });
  });
  void box.client.idle().catch(() => {});
  await Promise.race([told, sleep(waitMs, undefined, { signal: stop.signal }).catch(() => {})]);
  stop.abort();
  box.wake = () => {};
}

interface Tries {
  /** Reading it ended the process as often as it may. */
  isOver(uid: number): boolean;
  /** Counted while it runs, so that only a crash leaves it counted. */
  count<T>(uid: number, work: () => Promise<T>): Promise<T>;
}

function triesOf(cursor: Cursor, keep: (cursor: string) => Promise<void>, signal: AbortSignal): Tries {
  const tried = { ...cursor.tried };
  const keepTries = () => keep(JSON.stringify({ ...cursor, tried } satisfies Cursor));
  return {
    isOver: (uid) => (tried[uid] ?? 0) >= maxTries,
    async count(uid, work) {
      const before = tried[uid] ?? 0;
      tried[uid] = before + 1;
      await keepTries();
      let isDone = false;
      try {
        const result = await work();
        isDone = !signal.aborted;
        return result;
      } finally {
        if (isDone) delete tried[uid];
        else {
          tried[uid] = before;
          await keepTries().catch(() => {});
        }
      }
    },
  };
}

/** A poll may end before a mail that was tried. */
function laterThan(uid: number, tried: Cursor['tried'] = {}): Cursor['tried'] {
  const left = Object.entries(tried).filter(([one]) => Number(one) > uid);
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

/** One after the other, as many as fit into memory. */
async function fetchMails(
  link: Link,
  client: ImapFlow,
  uids: readonly number[],
  tries: Tries,
): Promise<{ bodies: MailBody[]; uid: number | null; seen: number; notice: string | null }> {
  const bodies: MailBody[] = [];
  let bytes = 0;
  let uid: number | null = null;
  let seen = Date.now();
  let notice: string | null = null;
  for (const one of uids.slice(0, maxMails)) {
    const about = await client.fetchOne(
      String(one),
      { uid: true, size: true, internalDate: true },
      { uid: true },
    );
    const size = about ? (about.size ?? 0) : 0;
    if (bodies.length > 0 && bytes + size > maxBytes) break;
    // Without an answer the mail was deleted meanwhile, unless the connection is gone: then it must be read again.
    if (!about) {
      requireOpen(client);
      uid = one;
      continue;
    }
    const isSkipped = tries.isOver(one);
    // Some servers report a size that is too small: a mail is never asked for as a whole.
    const maxLength = size > maxMailBytes || isSkipped ? headerBytes : maxMailBytes + 1;
    const mail = await client.fetchOne(
      String(one),
      { uid: true, source: { start: 0, maxLength } },
      { uid: true },
    );
    const raw = mail ? mail.source : undefined;
    if (!raw) requireOpen(client);
    uid = one;
    if (!raw) continue;
    bytes += raw.length;
    const at = timeOf(about.internalDate);
    seen = at;
    const whole = Math.max(size, raw.length);
    if (isSkipped) {
      const reason = 'reading it ended the service twice. It is still in the mailbox.';
      const body = await readHead(raw, { at, reason });
      notice = `An e-mail of ${body.mail.from?.address} was skipped: ${reason}`;
      bodies.push(body);
    } else if (whole > maxMailBytes) {
      const reason = `it has ${Math.ceil(whole / megabyte)} MB, and at most 25 MB are taken.`;
      bodies.push(await readHead(raw.subarray(0, headerBytes), { at, reason }));
    } else bodies.push(await tries.count(one, () => readMailBody(link, raw, { at })));
  }
  return { bodies, uid, seen, notice };
}

function requireOpen({ usable, mailbox }: ImapFlow): void {
  if (!usable || !mailbox) throw new Error('The connection was lost.');
}

function timeOf(date: Date | string | undefined): number {
  const at = new Date(date ?? Number.NaN).getTime();
  return Number.isFinite(at) ? at : Date.now();
}

const temporary = ['UNAVAILABLE', 'INUSE', 'LIMIT', 'SERVERBUG', 'CONTACTADMIN'];

function imapError(error: unknown, isSecure: boolean): Error {
  if (error instanceof ProviderError) return error;
  const problem = tlsProblem(error, 'imap', isSecure);
  if (problem !== null) return new ProviderError('retry', problem);
  const known = error as {
    authenticationFailed?: boolean;
    serverResponseCode?: string;
    responseText?: string;
    response?: unknown;
    message?: string;
  };
  const sentence = String(known.responseText ?? known.message ?? 'no answer').slice(0, 300);
  if (known.authenticationFailed && !temporary.includes(known.serverResponseCode ?? '')) {
    return new ProviderError(
      'credentials',
      `The IMAP server rejected the user name or the password: ${sentence}`,
    );
  }
  return new ProviderError('retry', `The IMAP server cannot be used: ${sentence}`);
}
