/** Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`, base64, one `v1,…` per secret in force. */
import { createHmac } from 'node:crypto';
import { endpointKey } from '../../platform/endpoints.ts';

export function sign(secret: string, id: string, timestampSeconds: number, body: string): string {
  const key = endpointKey(secret);
  return `v1,${createHmac('sha256', key).update(`${id}.${timestampSeconds}.${body}`).digest('base64')}`;
}

export function signedHeaders(
  secrets: readonly string[],
  id: string,
  timestampSeconds: number,
  body: string,
): { [name: string]: string } {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': secrets.map((secret) => sign(secret, id, timestampSeconds, body)).join(' '),
  };
}
