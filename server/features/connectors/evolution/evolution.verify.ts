/** Checks our secret, and removes the instance's key from what is stored. */
import { cleanText, storable } from '../../../platform/db/storable.ts';
import { sameBytes, sha256 } from '../../../platform/secrets/secrets.ts';
import type { InboundRequest, InboundVerdict, Link } from '../connectors.provider.ts';
import { isObject, objectOf, type Values } from '../connectors.values.ts';
import { secretHeader } from './evolution.connect.ts';
import { eventOf, isKnownEvent } from './evolution.translate.ts';

const refused = (status: number): InboundVerdict => ({ status, accepted: null });

export function hasSecret(link: Link, headers: InboundRequest['headers']): boolean {
  return link.secret !== '' && sameBytes(sha256(headers[secretHeader] ?? ''), sha256(link.secret));
}

export function verifyWebhook(link: Link, request: InboundRequest): InboundVerdict {
  if (!hasSecret(link, request.headers)) return refused(401);
  if (request.method !== 'POST') return refused(405);
  const body = parse(request.body);
  if (!body) return refused(400);
  const isWanted = isKnownEvent(eventOf(body)) && !isBroadcast(body);
  return { status: 200, accepted: isWanted ? JSON.stringify(body) : null };
}

function parse(bytes: Buffer): Values | null {
  try {
    const body: unknown = JSON.parse(bytes.toString('utf8'), clean);
    return isObject(body) ? body : null;
  } catch {
    return null;
  }
}

/** The gateway repeats the instance's key as `apikey` in every body. */
function clean(name: string, value: unknown): unknown {
  if (/^api_?key$/i.test(cleanText(name))) return undefined;
  return storable(value);
}

/** Status updates are pictures and videos for all contacts of a person: none of them is kept. */
function isBroadcast(body: Values): boolean {
  const data = objectOf(body.data);
  return [data.remoteJid, objectOf(data.key).remoteJid].includes('status@broadcast');
}
