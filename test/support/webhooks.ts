/** The receiving side of webhooks, and common steps of webhook tests. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import type { Delivery, Webhook } from '../../contract/webhooks.ts';
import { sql } from '../../server/platform/db/sql.ts';
import { newId } from '../../server/platform/ids.ts';
import { eventually } from './eventually.ts';
import { startReceiver } from './receivers.ts';
import type { Json, TestService } from './service.ts';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  body: Json;
  at: number;
}

export type Answering = (received: Received, response: ServerResponse) => void;

export interface Inbox {
  url(path?: string): string;
  received: Received[];
  /** How requests are answered from now on; 200 at first. */
  answer: Answering;
  /** Calls that have arrived and are not answered yet, now and at most. */
  open: number;
  maxOpen: number;
  /** Resolves with the first `count` requests once they have arrived. */
  first(count: number, withinMs?: number): Promise<Received[]>;
  close(): Promise<void>;
}

export async function startInbox(answer: Answering = (_received, response) => response.end('ok')) {
  const receiver = await startReceiver((request, response) => {
    inbox.open++;
    inbox.maxOpen = Math.max(inbox.maxOpen, inbox.open);
    response.on('close', () => inbox.open--);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      const received: Received = {
        path: request.url ?? '',
        headers: request.headers,
        text,
        body: JSON.parse(text),
        at: performance.now(),
      };
      inbox.received.push(received);
      inbox.answer(received, response);
    });
  });
  const inbox: Inbox = {
    url: (path = '/hook') => receiver.origin + path,
    received: [],
    answer,
    open: 0,
    maxOpen: 0,
    async first(count, withinMs) {
      await eventually(() => inbox.received.length >= count, withinMs);
      return inbox.received.slice(0, count);
    },
    close: () => receiver.close(),
  };
  return inbox;
}

/** With the public library, which also rejects timestamps that are more than five minutes off. */
export function verify(secret: string, { headers, text }: Received): void {
  assert.deepEqual(
    new StandardWebhook(secret).verify(text, headers as Record<string, string>),
    JSON.parse(text),
  );
}

export function answerWith(status: number, headers: Record<string, string> = {}, body = ''): Answering {
  return (_received, response) => response.writeHead(status, headers).end(body);
}

/** One is in the row of its delivery, the others in a table. */
export const attemptsMade = sql`
  select id as delivery_id, attempt_at as at, attempt_status as status_code, attempt_error as error
  from webhook_deliveries where attempt_at is not null
  union all
  select delivery_id, at, status_code, error from webhook_attempts`;

export const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

export const loopbackAllowed = { OUTBOUND_ALLOW: '127.0.0.0/8' };

export function hooksOf(service: TestService) {
  const { call, context } = service;
  const { db } = context;
  const { accountId } = service.admin;

  const deliveries = async (webhookId: string, query = ''): Promise<Delivery[]> =>
    (await call('GET', `/webhooks/${webhookId}/deliveries?limit=100${query}`)).body.items;

  /** Newest first, straight from the table: waiting through the API would use up its limit. */
  const states = (webhookId: string) =>
    db.query<{ status: Delivery['status']; made: number }>(sql`
      select d.status, (select count(*) from (${attemptsMade}) a where a.delivery_id = d.id)::int as made
      from webhook_deliveries d where d.account_id = ${accountId} and d.webhook_id = ${webhookId}
      order by d.created_at desc, d.id desc`);

  return {
    deliveries,

    async create(url: string, body: object = {}): Promise<Webhook & { secret: string }> {
      const answer = await call('POST', '/webhooks', {
        body: { url, events: ['crm_record_created'], ...body },
      });
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    },

    /** Straight into the table: bypasses the check of the address and the limits of the API. */
    async insert(url: string, kind: 'webhook' | 'channel' = 'channel'): Promise<string> {
      const { clock, secrets } = context;
      const id = newId();
      await db.transaction((tx) =>
        tx.query(sql`
          insert into webhooks (account_id, id, kind, url, events, secret, healthy_at, created_at, updated_at)
          values (${accountId}, ${id}, ${kind}, ${url}, '{crm_record_created}',
            ${secrets.seal(newSecret(), `webhook:${id}`)}, ${clock.now()}, ${clock.now()}, ${clock.now()})`),
      );
      return id;
    },

    async createRecord(body: object = {}): Promise<Json> {
      const answer = await call('POST', '/crm/records', { body: { title: 'A record', ...body } });
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    },

    states,

    /** The webhook's only or newest delivery, once it has the status. */
    async delivery(webhookId: string, status: Delivery['status'], withinMs?: number): Promise<Delivery> {
      await eventually(async () => (await states(webhookId))[0]?.status === status, withinMs);
      return (await deliveries(webhookId))[0]!;
    },

    /** Makes the next attempt due at once. */
    async makeDue(webhookId: string): Promise<void> {
      await db.transaction((tx) =>
        tx.query(sql`
          update webhook_deliveries set next_attempt_at = now()
          where account_id = ${accountId} and webhook_id = ${webhookId} and status in ('pending', 'retrying')`),
      );
    },

    async sendTest(webhookId: string): Promise<{ deliveryId: string; eventId: string }> {
      const answer = await call('POST', `/webhooks/${webhookId}/test`);
      assert.equal(answer.status, 202, answer.text);
      return answer.body;
    },

    change: (statement: ReturnType<typeof sql>) => db.transaction((tx) => tx.query(statement)),

    async verdicts(eventId: string): Promise<{ [webhookId: string]: string }> {
      const answer = await call('GET', `/events/${eventId}`);
      assert.equal(answer.status, 200, answer.text);
      return Object.fromEntries(
        answer.body.verdicts.map((one: Json) => [
          one.webhookId,
          one.filteredBy ? `${one.status} by ${one.filteredBy}` : one.status,
        ]),
      );
    },
  };
}

export type Hooks = ReturnType<typeof hooksOf>;
