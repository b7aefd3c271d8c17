/** Creating, changing and deleting webhooks. */
import { limits } from '../../../contract/limits.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import type { Webhook, WebhookCreate, WebhookUpdate } from '../../../contract/webhooks.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import {
  newEndpointSecret,
  rotateEndpointSecret,
  sealEndpointSecret,
} from '../../platform/events/endpoints.ts';
import { badRequest, notFound } from '../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../platform/http/page-token.ts';
import { isId, newId } from '../../platform/ids.ts';
import { checkOutboundUrl, type OutboundAllow } from '../../platform/outbound/outbound-address.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { type Actor, audit, differences } from '../accounts/accounts.ts';
import type { Definitions } from '../kanbans/kanbans.ts';
import { inboxKeyOf } from './inbox/webhook-inbox.ts';
import {
  deleteWebhook,
  findWebhook,
  holdDeliveries,
  insertFilters,
  insertWebhook,
  lockWebhook,
  selectWebhooks,
  updateWebhook,
} from './webhooks.settings.sql.ts';

const recordFields = ['title', 'status', 'assignedUserIds', 'labelIds'];

/** Resolves the address, so it runs before the transaction is opened. */
export async function checkUrl(
  url: string | undefined,
  { outboundAllow: allow, publicUrl }: { outboundAllow: OutboundAllow; publicUrl: string },
): Promise<void> {
  // The service's own receiver is never called over the network, so its address may be private.
  if (url === undefined || inboxKeyOf(url, publicUrl) !== null) return;
  const problem = await checkOutboundUrl(url, allow);
  if (problem) throw badRequest(`url ${problem}`);
}

export async function createWebhook(
  tx: Tx,
  actor: Actor,
  now: number,
  secrets: Secrets,
  definitions: Definitions,
  input: WebhookCreate,
): Promise<Webhook & { secret: string }> {
  checkFilters(definitions, input);
  const enabled = input.enabled ?? true;
  const webhook: Webhook = {
    id: newId(now),
    url: input.url,
    events: input.events,
    kanbanIds: input.kanbanIds ?? [],
    fieldIds: input.fieldIds ?? [],
    description: input.description ?? '',
    enabled,
    disabledReason: enabled ? null : disabledByUser,
    disabledAt: enabled ? null : now,
    createdAt: now,
    updatedAt: now,
  };
  const secret = newEndpointSecret();
  await insertWebhook(tx, actor.accountId, webhook, sealEndpointSecret(secrets, webhook.id, secret));
  await insertFilters(tx, actor.accountId, webhook.id, webhook, now);
  await audit(tx, actor, now, {
    action: 'webhook.created',
    target: { type: 'webhook', id: webhook.id },
    changes: differences({}, { url: webhook.url, events: webhook.events }),
  });
  return { ...webhook, secret };
}

export async function listWebhooks(
  db: Reader,
  accountId: string,
  tokens: PageTokens,
  query: { limit?: number; nextToken?: string },
): Promise<Page<Webhook>> {
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['webhooks', accountId];
  const before = query.nextToken === undefined ? null : String(tokens.read(query.nextToken, scope)[0]);
  const rows = await selectWebhooks(db, accountId, before, size + 1);
  return cutPage(rows, size, (last) => tokens.issue([last.id], scope));
}

export async function requireWebhook(db: Reader, accountId: string, id: string): Promise<Webhook> {
  const webhook = isId(id) ? await findWebhook(db, accountId, id) : null;
  if (!webhook) throw notFound('webhook');
  return webhook;
}

export async function changeWebhook(
  tx: Tx,
  actor: Actor,
  now: number,
  definitions: Definitions,
  id: string,
  change: WebhookUpdate,
): Promise<Webhook> {
  const { accountId } = actor;
  const before = await requireLocked(tx, accountId, id);
  checkFilters(definitions, change, before);
  const enabled = change.enabled ?? before.enabled;
  const disabling = before.enabled && !enabled;
  const after: Webhook = {
    ...before,
    url: change.url ?? before.url,
    events: change.events ?? before.events,
    kanbanIds: change.kanbanIds ?? before.kanbanIds,
    fieldIds: change.fieldIds ?? before.fieldIds,
    description: change.description ?? before.description,
    enabled,
    disabledReason: enabled ? null : disabling ? disabledByUser : before.disabledReason,
    disabledAt: enabled ? null : disabling ? now : before.disabledAt,
    updatedAt: now,
  };
  const enabling = !before.enabled && enabled;
  await updateWebhook(tx, accountId, after, enabling ? now : null);
  await insertFilters(tx, accountId, id, after, now);
  if (disabling) await holdDeliveries(tx, accountId, id);
  await audit(tx, actor, now, {
    action: 'webhook.updated',
    target: { type: 'webhook', id },
    changes: differences(before, { ...after, updatedAt: undefined }),
  });
  return after;
}

export async function removeWebhook(tx: Tx, actor: Actor, now: number, id: string): Promise<void> {
  const webhook = await requireLocked(tx, actor.accountId, id);
  await deleteWebhook(tx, actor.accountId, id);
  await audit(tx, actor, now, {
    action: 'webhook.deleted',
    target: { type: 'webhook', id },
    changes: { url: { from: webhook.url, to: null } },
  });
}

export async function rotateSecret(
  tx: Tx,
  actor: Actor,
  now: number,
  secrets: Secrets,
  id: string,
): Promise<string> {
  await requireLocked(tx, actor.accountId, id);
  const secret = newEndpointSecret();
  await rotateEndpointSecret(tx, actor.accountId, id, sealEndpointSecret(secrets, id, secret), now);
  await audit(tx, actor, now, { action: 'webhook.secret_rotated', target: { type: 'webhook', id } });
  return secret;
}

const disabledByUser = 'disabled by an administrator';

export async function requireLocked(tx: Tx, accountId: string, id: string): Promise<Webhook> {
  const webhook = isId(id) ? await lockWebhook(tx, accountId, id) : null;
  if (!webhook) throw notFound('webhook');
  return webhook;
}

/** Existing filters may stay, even if their board or field is gone by now. */
function checkFilters(definitions: Definitions, input: WebhookUpdate, before?: Webhook): void {
  const kanbanIds = [...definitions.kanbans.keys(), ...(before?.kanbanIds ?? [])];
  const unknownKanban = input.kanbanIds?.find((id) => !kanbanIds.includes(id));
  if (unknownKanban !== undefined)
    throw badRequest(`kanbanIds has an unknown kanban: ${unknownKanban.slice(0, 100)}`);
  const fields = [...definitions.kanbans.values()].flatMap((kanban) => [...kanban.fields.keys()]);
  const fieldIds = [...fields, ...recordFields, ...(before?.fieldIds ?? [])];
  const unknownField = input.fieldIds?.find((id) => !fieldIds.includes(id));
  if (unknownField !== undefined)
    throw badRequest(`fieldIds has an unknown field: ${unknownField.slice(0, 100)}`);
}
