/** The delivery log, and replays. */
import { limits } from '../../../contract/limits.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import type { Delivery, DeliveryStatus, Verdict } from '../../../contract/webhooks.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { emit, wakeDeliveries } from '../../platform/events/outbox.ts';
import { badRequest, conflict, notFound } from '../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../platform/http/page-token.ts';
import { isId } from '../../platform/ids.ts';
import { type Actor, audit } from '../accounts/accounts.ts';
import { filteredBy } from './webhooks.filters.ts';
import {
  type EndpointAtEvent,
  type EventRow,
  endpointExists,
  findDelivery,
  findEvent,
  forceDelivery,
  lockEndpoint,
  redeliver,
  replayDeliveries,
  selectDeliveries,
  selectEndpointsAtEvent,
} from './webhooks.log.sql.ts';
import { requireLocked } from './webhooks.settings.ts';

export async function listDeliveries(
  db: Reader,
  accountId: string,
  tokens: PageTokens,
  webhookId: string,
  query: { status?: DeliveryStatus; limit?: number; nextToken?: string },
): Promise<Page<Delivery>> {
  if (!isId(webhookId) || !(await endpointExists(db, accountId, webhookId))) throw notFound('webhook');
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['deliveries', accountId, webhookId, query.status];
  const cursor = query.nextToken === undefined ? null : tokens.read(query.nextToken, scope);
  const after = cursor && { createdAt: Number(cursor[0]), id: String(cursor[1]) };
  const rows = await selectDeliveries(db, accountId, webhookId, query.status, after, size + 1);
  return cutPage(rows, size, (last) => tokens.issue([last.createdAt, last.id], scope));
}

export async function sendTest(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
): Promise<{ deliveryId: string; eventId: string }> {
  const webhook = await requireLocked(tx, actor.accountId, id);
  const event = await emit(tx, {
    event: 'webhook_test',
    accountId: actor.accountId,
    subjectId: webhook.id,
    sequence: 1,
    kanbanId: null,
    fieldId: null,
    data: { webhookId: webhook.id, sentBy: { id: actor.id, name: actor.name } },
    timestamp: now,
    endpointId: webhook.id,
  });
  return { deliveryId: await forceDelivery(tx, actor.accountId, event.id), eventId: event.id };
}

export async function replay(
  tx: Tx,
  actor: Actor,
  now: number,
  webhookId: string,
  { from, to }: { from: number; to: number },
): Promise<number> {
  if (from > to) throw badRequest('from must not be after to');
  await requireEnabled(tx, actor.accountId, webhookId);
  const count = await replayDeliveries(tx, actor.accountId, webhookId, from, to);
  wakeDeliveries(tx);
  await audit(tx, actor, now, {
    action: 'webhook.replayed',
    target: { type: 'webhook', id: webhookId },
    changes: { from, to, count },
  });
  return count;
}

export async function redeliverOne(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
): Promise<{ deliveryId: string; eventId: string }> {
  const delivery = isId(id) ? await findDelivery(tx, actor.accountId, id) : null;
  if (!delivery) throw notFound('delivery');
  await requireEnabled(tx, actor.accountId, delivery.webhookId);
  await redeliver(tx, actor.accountId, id);
  wakeDeliveries(tx);
  await audit(tx, actor, now, {
    action: 'webhook.redelivered',
    target: { type: 'webhook_delivery', id },
    changes: { eventId: delivery.eventId },
  });
  return { deliveryId: id, eventId: delivery.eventId };
}

async function requireEnabled(tx: Tx, accountId: string, webhookId: string): Promise<void> {
  const endpoint = isId(webhookId) ? await lockEndpoint(tx, accountId, webhookId) : null;
  if (!endpoint) throw notFound('webhook');
  if (!endpoint.enabled) throw conflict('the webhook is disabled: enable it first');
}

/** Why every endpoint did or did not get the event. */
export async function explainEvent(
  db: Reader,
  accountId: string,
  id: string,
): Promise<{ id: string; event: string; timestamp: number; body: unknown; verdicts: Verdict[] }> {
  const event = isId(id) ? await findEvent(db, accountId, id) : null;
  if (!event) throw notFound('event');
  const endpoints = await selectEndpointsAtEvent(db, accountId, event);
  const verdicts = endpoints.map((endpoint) => verdictOf(endpoint, event));
  return { id, event: event.event, timestamp: event.timestamp, body: JSON.parse(event.body), verdicts };
}

function verdictOf({ webhookId, status, filters }: EndpointAtEvent, event: EventRow): Verdict {
  if (status !== null) return { webhookId, status };
  const rule = filters.map((one) => filteredBy(one, event)).find((one) => one !== null);
  return { webhookId, status: 'filtered', filteredBy: rule ?? 'createdLater' };
}
