/** Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`, base64, one `v1,…` per valid secret. */
import { createHmac, type KeyObject } from 'node:crypto';

export function sign(key: KeyObject, id: string, timestampSeconds: number, body: string | Buffer): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampSeconds}.`).update(body).digest('base64')}`;
}

export function signedHeaders(
  keys: readonly KeyObject[],
  id: string,
  timestampSeconds: number,
  body: string | Buffer,
): { [name: string]: string } {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': keys.map((key) => sign(key, id, timestampSeconds, body)).join(' '),
  };
}
