/** Meta's calls of the inbound address: the handshake, and deliveries signed over their raw bytes. */
import { createHmac } from 'node:crypto';
import { sameBytes, sha256 } from '../../../platform/secrets/secrets.ts';
import type { InboundRequest, InboundVerdict, Link } from '../connectors.provider.ts';
import { isObject, type Values } from '../connectors.values.ts';

/** Meta sends up to 3 MB. */
export const metaInboundBytes = 3 * 1024 * 1024;

const refused = (status: number): InboundVerdict => ({ status, accepted: null });

/** Only bodies that `isWanted` accepts are stored; the others are answered with 200, so that Meta does not repeat them. */
export function verifyMeta(
  link: Link,
  request: InboundRequest,
  isWanted: (body: Values) => boolean,
): InboundVerdict {
  if (request.method === 'GET') return handshake(link, request);
  if (!isSigned(link, request)) return refused(401);
  const text = request.body.toString('utf8');
  const body = parseBody(text);
  if (!body) return refused(400);
  return { status: 200, accepted: isWanted(body) ? text : null };
}

/** Null where it is no JSON object. */
export function parseBody(text: string): Values | null {
  try {
    const body: unknown = JSON.parse(text);
    return isObject(body) ? body : null;
  } catch {
    return null;
  }
}

/** Meta asks for it when an administrator enters the address in its console. */
function handshake(link: Link, { query }: InboundRequest): InboundVerdict {
  const challenge = query['hub.challenge'];
  const isMeant = query['hub.mode'] === 'subscribe' && challenge !== undefined;
  const token = link.credentials.verifyToken ?? '';
  const isKnown = token !== '' && sameBytes(sha256(query['hub.verify_token'] ?? ''), sha256(token));
  if (!isMeant || !isKnown) return refused(403);
  return { status: 200, contentType: 'text/plain; charset=utf-8', body: challenge, accepted: null };
}

function isSigned(link: Link, { headers, body }: InboundRequest): boolean {
  const { appSecret = '' } = link.credentials;
  const [, hex] = /^sha256=([0-9a-f]{64})$/i.exec(headers['x-hub-signature-256'] ?? '') ?? [];
  if (appSecret === '' || hex === undefined) return false;
  return sameBytes(Buffer.from(hex, 'hex'), createHmac('sha256', appSecret).update(body).digest());
}
