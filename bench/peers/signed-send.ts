/** Sends one event as Talkboard does: signed in the same way, by the same undici. */
import { createHmac } from 'node:crypto';
import { Pool } from 'undici';
import { endpointKey } from '../../server/platform/events/endpoints.ts';

export interface SignedEvent {
  id: string;
  body: string;
}

export function createSender(url: string, secret: string, connections: number) {
  const key = endpointKey(secret);
  const pool = new Pool(url, { connections });
  return async ({ id, body }: SignedEvent): Promise<void> => {
    const at = String(Math.floor(Date.now() / 1000));
    const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64');
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': at,
      'webhook-signature': `v1,${signature}`,
    };
    const answer = await pool.request({ method: 'POST', path: '/', headers, body });
    await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`);
  };
}
