/**
 * A receiver to try webhooks with: open for an hour, read by administrators, filled by anyone who knows its address.
 *
 * Deliveries to it are handed over inside the service (`createLocalReceiver`), not sent. The service's own address is often
 * a private one, and an exception in the rules for outgoing calls, however narrow, would be one more way to reach
 * what listens there; on another machine that may be a foreign service. The bytes, the headers and the
 * signature are the same as they would be on the wire.
 */
import { randomBytes } from 'node:crypto';
import { inboxLimits, type WebhookInbox } from '../../../../contract/webhook-inbox.ts';
import { tagOf } from '../../../platform/cells/account-tag.ts';
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db, Reader, Tx } from '../../../platform/db/db.ts';
import { endpointKey, openEndpointSecret } from '../../../platform/events/endpoints.ts';
import { AppError, notFound, rateLimited } from '../../../platform/http/errors.ts';
import { newId } from '../../../platform/ids.ts';
import type { RateLimits } from '../../../platform/limits/rate-limit.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import { judgeSignature } from './webhook-inbox.signature.ts';
import {
  findInbox,
  findInboxByKey,
  type InboxRow,
  insertRequest,
  openInboxRow,
  pruneRequests,
  selectRequests,
  selectSenders,
} from './webhook-inbox.sql.ts';

export { pruneRequests as pruneInboxes };

export interface InboxDeps {
  db: Db;
  clock: Clock;
  secrets: Secrets;
  rateLimits: RateLimits;
  config: { publicUrl: string };
}

export interface Received {
  headers: { [name: string]: string | string[] | undefined };
  body: string | Buffer;
}

const path = '/webhook-inbox/';
/** Keys of releases before v1.7.238 do not begin with the account's tag. */
const keyForm = /^(?:[A-Za-z0-9_-]{22})?[A-Za-z0-9_-]{43}$/;
const keptHeaders = 40;
const keptHeaderLength = 1_000;
/** For the service, not for readers of the receiver. */
const privateHeaders = ['authorization', 'cookie', 'proxy-authorization'];

const urlOf = (publicUrl: string, key: string) => `${publicUrl}${path}${key}`;

/** The key in the address of a receiver of this service; null for every other address, however similar. */
export function inboxKeyOf(url: string, publicUrl: string): string | null {
  const begin = publicUrl + path;
  const key = url.startsWith(begin) ? url.slice(begin.length) : '';
  return keyForm.test(key) ? key : null;
}

export async function openInbox(
  tx: Tx,
  accountId: string,
  now: number,
  publicUrl: string,
): Promise<WebhookInbox> {
  const key = tagOf(accountId) + randomBytes(32).toString('base64url');
  const inbox = await openInboxRow(tx, accountId, { key, now, expiresAt: now + inboxLimits.lifeMs });
  return toInbox(tx, inbox, publicUrl);
}

/** Null: there is none, or its hour is over. */
export async function readInbox(
  db: Reader,
  accountId: string,
  now: number,
  publicUrl: string,
): Promise<WebhookInbox | null> {
  const inbox = await findInbox(db, accountId);
  return inbox && inbox.expiresAt > now ? toInbox(db, inbox, publicUrl) : null;
}

async function toInbox(db: Reader, inbox: InboxRow, publicUrl: string): Promise<WebhookInbox> {
  const { accountId, key, createdAt, expiresAt } = inbox;
  const url = urlOf(publicUrl, key);
  const [sender] = await selectSenders(db, accountId, url);
  const requests = await selectRequests(db, accountId, inboxLimits.keptRequests);
  return { url, createdAt, expiresAt, webhookId: sender?.id ?? null, requests };
}

/** 404 for an unknown key, 410 when its hour is over: that disables the webhook instead of retrying for days. */
export async function receive(deps: InboxDeps, key: string, { headers, body }: Received): Promise<void> {
  const { db, clock, secrets, rateLimits, config } = deps;
  const now = clock.now();
  const inbox = keyForm.test(key) ? await findInboxByKey(db, key) : null;
  if (!inbox) throw notFound('receiver');
  const { accountId } = inbox;
  const windows = [{ limit: inboxLimits.perMinute, seconds: 60 }];
  const verdict = await rateLimits.admit(accountId, 'webhook-inbox', windows);
  if (!verdict.admitted) throw rateLimited(429, verdict.retryAfterSeconds);
  if (inbox.expiresAt <= now) throw new AppError(410, 'NOT_FOUND', 'this receiver is closed');
  const shown = toShown(headers);
  const senders = await selectSenders(db, accountId, urlOf(config.publicUrl, key));
  const keys = senders.flatMap(({ id, secret, previousSecrets }) =>
    [secret, ...previousSecrets.filter(({ until }) => until > now).map((one) => one.secret)].map((sealed) =>
      endpointKey(openEndpointSecret(secrets, id, sealed)),
    ),
  );
  const text = typeof body === 'string' ? body : body.toString('utf8');
  await db.transaction((tx) =>
    insertRequest(
      tx,
      accountId,
      {
        id: newId(now),
        receivedAt: now,
        headers: shown,
        body: text.slice(0, inboxLimits.keptBodyLength).replaceAll('\0', '\u{fffd}').toWellFormed(),
        size: Buffer.byteLength(body),
        signature: judgeSignature(shown, body, keys, now),
      },
      inboxLimits.keptRequests,
    ),
  );
}

function toShown(headers: Received['headers']): { [name: string]: string } {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name, value]) => value !== undefined && !privateHeaders.includes(name))
      .slice(0, keptHeaders)
      .map(([name, value]) => [name, String(value).slice(0, keptHeaderLength).toWellFormed()]),
  );
}

export type SendInside = (
  url: string,
  request: { headers: { [name: string]: string }; body: string | Buffer },
) => Promise<InsideAnswer> | null;

interface InsideAnswer {
  status: number;
  headers: { [name: string]: string };
  body: string;
}

/** Answers in the receiver's place; null: the address is not ours and is called like any other. */
export function createLocalReceiver(deps: InboxDeps): SendInside {
  return (url, request) => {
    const key = inboxKeyOf(url, deps.config.publicUrl);
    return key === null ? null : answer(deps, key, request);
  };
}

async function answer(deps: InboxDeps, key: string, request: Received): Promise<InsideAnswer> {
  try {
    await receive(deps, key, request);
    return { status: 200, headers: {}, body: '{"message":"received"}' };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const retryAfter = error.retryAfterSeconds;
    const headers: { [name: string]: string } =
      retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
    return { status: error.status, headers, body: JSON.stringify({ message: error.message }) };
  }
}
