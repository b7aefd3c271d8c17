/** A request to a channel's inbound address: verified before it is parsed, stored as one row, answered. */
import { connectorRetryAfterSeconds } from '../../../../contract/connectors.ts';
import { createBatcher } from '../../../platform/concurrency/batcher.ts';
import type { Clock } from '../../../platform/db/clock.ts';
import { type Db, isRefusedValue } from '../../../platform/db/db.ts';
import { notFound, unauthorized, unavailable } from '../../../platform/http/errors.ts';
import { isId } from '../../../platform/ids.ts';
import { currentTrace, outsideTraces } from '../../../platform/telemetry/tracing.ts';
import type { Links, OpenLink } from '../connectors.links.ts';
import type { InboundRequest, InboundVerdict } from '../connectors.provider.ts';
import { type Delivery, insertInbound } from './connectors.inbound.sql.ts';
import { noteRejection } from './connectors.rejections.ts';
import { wakeSplitters } from './connectors.wake.ts';

interface ReceiveDeps {
  db: Db;
  clock: Clock;
  links: Links;
}

const closed = () => unavailable('the channel takes no messages now', connectorRetryAfterSeconds);
const unsigned = ({ db, clock }: ReceiveDeps, { link }: OpenLink) => {
  noteRejection(db, link, clock.now());
  return unauthorized('the signature is not valid');
};
const isClosed = ({ isEnabled, state }: OpenLink) => !isEnabled || state === 'disconnected';

/** Before the body is read: whose it is, and whether anything is taken from this caller. */
export async function admitInbound(
  deps: ReceiveDeps,
  channelId: string,
  headers: InboundRequest['headers'],
): Promise<OpenLink> {
  const { links } = deps;
  if (!isId(channelId)) throw notFound('channel');
  const isKnown = ({ provider, link }: OpenLink) => provider.verifyHeaders?.(link, headers) ?? true;
  const known = await links.openChannel(channelId);
  if (!known) throw notFound('channel');
  if (!isClosed(known) && isKnown(known)) return known;
  // It may have changed in another process within the last second.
  const current = await links.openChannel(channelId, { fresh: true });
  if (!current) throw notFound('channel');
  if (isClosed(current)) throw closed();
  if (!isKnown(current)) throw unsigned(deps, current);
  return current;
}

export async function receiveInbound(
  deps: ReceiveDeps,
  admitted: OpenLink,
  request: InboundRequest,
): Promise<InboundVerdict> {
  const first = await tryReceive(deps, admitted, request);
  if (first !== 'closed' && first !== 'unsigned') return first;
  const current = await deps.links.openChannel(admitted.link.channelId, { fresh: true });
  if (!current) throw notFound('channel');
  const isSame = current.version === admitted.version;
  const second = first === 'unsigned' && isSame ? first : await tryReceive(deps, current, request);
  if (second === 'unsigned') throw unsigned(deps, current);
  if (second === 'closed') throw closed();
  return second;
}

/** `closed`: the channel takes nothing now, or has changed since the link was opened. */
async function tryReceive(
  { db, clock }: ReceiveDeps,
  opened: OpenLink,
  request: InboundRequest,
): Promise<InboundVerdict | 'closed' | 'unsigned'> {
  if (isClosed(opened)) return 'closed';
  const { link, provider, version } = opened;
  const verdict = provider.verify(link, request);
  if (verdict.status === 401) return 'unsigned';
  if (verdict.accepted === null) return verdict;
  const { accountId, channelId } = link;
  // PostgreSQL has no NUL in texts, and no provider means one.
  const body = verdict.accepted.replaceAll('\0', '').toWellFormed();
  const delivery = { accountId, channelId, version, body, now: clock.now(), traceparent: currentTrace() };
  if (!(await storeDelivery(db, delivery))) return 'closed';
  outsideTraces(() => wakeSplitters(db));
  return verdict;
}

const batchers = new WeakMap<Db, ReturnType<typeof createDeliveryBatcher>>();
const storedAtOnce = 50;
/** A larger body has a statement of its own. */
const maxBatchedLength = 64 * 1024;

/** Requests that come at the same time share a statement and its commit. */
async function storeDelivery(db: Db, delivery: Delivery): Promise<boolean> {
  if (delivery.body.length > maxBatchedLength) return (await insertInbound(db, [delivery]))[0]!;
  let batcher = batchers.get(db);
  if (!batcher) {
    batcher = createDeliveryBatcher(db);
    batchers.set(db, batcher);
  }
  return batcher('inbound', delivery);
}

const createDeliveryBatcher = (db: Db) =>
  createBatcher<Delivery, boolean>({
    maxItems: storedAtOnce,
    pipelineFrom: 8,
    async run(_key, deliveries) {
      try {
        const stored = await insertInbound(db, deliveries);
        return stored.map((value) => ({ status: 'fulfilled', value }));
      } catch (error) {
        if (!isRefusedValue(error) || deliveries.length === 1) throw error;
        // One that the database cannot take stops no other.
        return Promise.allSettled(deliveries.map(async (one) => (await insertInbound(db, [one]))[0]!));
      }
    },
  });
