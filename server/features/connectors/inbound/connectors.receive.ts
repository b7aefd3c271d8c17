/** A request to a channel's inbound address: verified before it is parsed, stored as one row, answered. */
import { connectorRetryAfterSeconds } from '../../../../contract/connectors.ts';
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db } from '../../../platform/db/db.ts';
import { notFound, unauthorized, unavailable } from '../../../platform/http/errors.ts';
import { isId } from '../../../platform/ids.ts';
import type { Links, OpenLink } from '../connectors.links.ts';
import type { InboundRequest, InboundVerdict } from '../connectors.provider.ts';
import { insertInbound } from './connectors.inbound.sql.ts';
import { wakeSplitters } from './connectors.wake.ts';

interface ReceiveDeps {
  db: Db;
  clock: Clock;
  links: Links;
}

export async function receiveInbound(
  deps: ReceiveDeps,
  channelId: string,
  request: InboundRequest,
): Promise<InboundVerdict> {
  if (!isId(channelId)) throw notFound('channel');
  const known = await deps.links.openChannel(channelId);
  const first = known && (await tryReceive(deps, known, request));
  if (first && first !== 'closed' && first !== 'unsigned') return first;
  // It may have changed in another process within the last second.
  const current = await deps.links.openChannel(channelId, { fresh: true });
  if (!current) throw notFound('channel');
  const second = await tryReceive(deps, current, request);
  if (second === 'unsigned') throw unauthorized('the signature is not valid');
  if (second === 'closed') {
    throw unavailable('the channel takes no messages now', connectorRetryAfterSeconds);
  }
  return second;
}

/** `closed`: the channel takes nothing now, or has changed since the link was opened. */
async function tryReceive(
  { db, clock }: ReceiveDeps,
  { link, provider, version, isEnabled, state }: OpenLink,
  request: InboundRequest,
): Promise<InboundVerdict | 'closed' | 'unsigned'> {
  if (!isEnabled || state === 'disconnected') return 'closed';
  const verdict = provider.verify(link, request);
  if (verdict.status === 401) return 'unsigned';
  if (verdict.accepted === null) return verdict;
  const { accountId, channelId } = link;
  // PostgreSQL has no NUL in texts, and no provider means one.
  const body = verdict.accepted.replaceAll('\0', '').toWellFormed();
  if (!(await insertInbound(db, accountId, { channelId, version, body, now: clock.now() }))) return 'closed';
  wakeSplitters();
  return verdict;
}
