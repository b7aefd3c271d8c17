/**
 * Verifies a delivery as a receiver would, by Standard Webhooks. Written separately from the signing code, so that a
 * mistake there shows here.
 */
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { SignatureVerdict } from '../../../../contract/webhook-inbox.ts';

const toleranceSeconds = 5 * 60;

export function judgeSignature(
  headers: { [name: string]: string | undefined },
  body: string | Buffer,
  keys: readonly KeyObject[],
  now: number,
): SignatureVerdict {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (id === undefined || timestamp === undefined || signatures === undefined) return 'missing';
  if (keys.length === 0) return 'unknown';
  const isRecent =
    /^\d{1,12}$/.test(timestamp) && Math.abs(now / 1000 - Number(timestamp)) <= toleranceSeconds;
  if (!isRecent) return 'invalid';
  const given = signatures
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => Buffer.from(one.slice(3), 'base64'));
  const isGood = keys.some((key) => {
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
    return given.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
  });
  return isGood ? 'valid' : 'invalid';
}
