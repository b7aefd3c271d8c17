/** Verifies Standard Webhooks, for a command that receives and forwards events. */
import { createHmac, timingSafeEqual } from 'node:crypto';

const toleranceSeconds = 300;
const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

export type SignedHeaders = { [name in (typeof names)[number]]: string };

export function readSecret(text: string): Buffer | null {
  const key = /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text.slice(6), 'base64') : null;
  return key && key.length >= 16 ? key : null;
}

export function sign(key: Buffer, id: string, body: string | Buffer, nowMs: number): SignedHeaders {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signature = digest(key, id, timestamp, body).toString('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

/** What is wrong with a request, or null. */
export function problemWith(
  key: Buffer,
  headers: { [name: string]: string | string[] | undefined },
  body: Buffer,
  nowMs: number,
): string | null {
  const missing = names.find((name) => typeof headers[name] !== 'string');
  if (missing) return `no header ${missing}`;
  const [id, timestamp, signatures] = names.map((name) => String(headers[name])) as [string, string, string];
  if (!/^\d+$/.test(timestamp)) return 'webhook-timestamp is not a number of seconds';
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > toleranceSeconds)
    return 'signed more than five minutes in the past or the future';
  const expected = digest(key, id, timestamp, body);
  const genuine = signatures
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => Buffer.from(one.slice(3), 'base64'))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
  return genuine ? null : 'the signature does not match this secret and body';
}

/** As received: the receiver verifies with the same secret. */
export function signedHeadersOf(headers: { [name: string]: string | string[] | undefined }): SignedHeaders {
  return Object.fromEntries(names.map((name) => [name, String(headers[name])])) as SignedHeaders;
}

function digest(key: Buffer, id: string, timestamp: string, body: string | Buffer): Buffer {
  return createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
}
