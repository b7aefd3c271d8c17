/** The receiving side of webhooks, and what tests of the webhook center ask again and again. */
import assert from 'node:assert/strict';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import type { Delivery, Webhook } from '../../contract/webhooks.ts';
import { sql } from '../../server/platform/sql.ts';
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
  /** How the requests that come from now on are answered; 200 at first. */
  answer: Answering;
  /** Calls that have come and are not answered yet, now and at most. */
  open: number;
  mostOpen: number;
  /** Resolves with the first `count` requests as soon as they have come. */
  first(count: number, withinMs?: number): Promise<Received[]>;
  close(): Promise<void>;
}

export async function startInbox(answer: Answering = (_received, response) => response.end('ok')) {
  const receiver = await startReceiver((request, response) => {
    inbox.open++;
    inbox.mostOpen = Math.max(inbox.mostOpen, inbox.open);
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
    mostOpen: 0,
    async first(count, withinMs) {
      await eventually(() => inbox.received.length >= count, withinMs);
      return inbox.received.slice(0, count);
    },
    close: () => receiver.close(),
  };
  return inbox;
}

/** By the public library, which also refuses timestamps that are more than five minutes off. */
export function verify(secret: string, { headers, text }: Received): void {
  assert.deepEqual(
    new StandardWebhook(secret).verify(text, headers as Record<string, string>),
    JSON.parse(text),
  );
}

export function answerWith(status: number, headers: Record<string, string> = {}, body = ''): Answering {
  return (_received, response) => response.writeHead(status, headers).end(body);
}

export const loopbackAllowed = { OUTBOUND_ALLOW: '127.0.0.0/8' };

export function hooksOf(service: TestService) {
  const { call, context } = service;
  const { db } = context;
  const { accountId } = service.admin;

  const deliveries = async (webhookId: string, query = ''): Promise<Delivery[]> =>
    (await call('GET', `/webhooks/${webhookId}/deliveries?limit=100${query}`)).body.items;

  return {
    deliveries,

    async create(url: string, body: object = {}): Promise<Webhook & { secret: string }> {
      const answer = await call('POST', '/webhooks', {
        body: { url, events: ['crm_record_created'], ...body },
      });
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    },

    async createRecord(body: object = {}): Promise<Json> {
      const answer = await call('POST', '/crm/records', { body: { title: 'A record', ...body } });
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    },

    /** The webhook's only delivery, as soon as it has the status. */
    async delivery(webhookId: string, status: Delivery['status'], withinMs?: number): Promise<Delivery> {
      let found: Delivery | undefined;
      await eventually(async () => {
        found = (await deliveries(webhookId))[0];
        return found?.status === status;
      }, withinMs);
      return found!;
    },

    /** Lets the next attempt come at once instead of waiting for its time. */
    async makeDue(webhookId: string): Promise<void> {
      await db.transaction((tx) =>
        tx.query(sql`
          update webhook_deliveries set next_attempt_at = now()
          where account_id = ${accountId} and webhook_id = ${webhookId} and status in ('pending', 'retrying')`),
      );
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
