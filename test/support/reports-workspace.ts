/** A small history made through the API, and how often each thing was done. */
import { conversationsOf } from './conversations.ts';
import { eventually } from './eventually.ts';
import type { Json, TestService } from './service.ts';
import { answerWith, hooksOf, startInbox } from './webhooks.ts';

export interface ReportsPlaces {
  board: Json;
  shopId: string;
  made: {
    conversations: { api: number; shop: number };
    answers: { ai: number; human: number };
    customerMessages: number;
    deliveries: number;
  };
  close(): Promise<void>;
}

export async function fillReports(service: TestService): Promise<ReportsPlaces> {
  const { call } = service;
  const talks = conversationsOf(service);
  const hooks = hooksOf(service);
  const receiver = await startInbox(answerWith(200));
  const webhook = await hooks.create(receiver.url('/orders'), { description: 'Order system' });

  const board = await talks.kanban({
    name: 'Pipeline',
    statuses: [
      { value: 'lead', label: 'Lead', color: '#8b8f9a' },
      { value: 'offer', label: 'Offer', color: '#d9a514' },
      { value: 'won', label: 'Won', color: '#23a35a' },
    ],
  });
  const records: Json[] = [];
  for (const title of ['Ada', 'Bob', 'Cid', 'Dot', 'Eve', 'Fay']) {
    records.push(
      await talks.expect(201, call('POST', `/crm/records?kanbanId=${board.id}`, { body: { title } })),
    );
  }
  const move = (at: number, status: string) =>
    talks.expect(200, call('PUT', `/crm/records/${records[at].recordId}`, { body: { status } }));
  for (const at of [0, 1, 2]) await move(at, 'offer');
  await move(0, 'won');
  await call('DELETE', `/crm/records/${records[5].recordId}`);
  await talks.expect(201, call('POST', '/crm/records', { body: { title: 'On the default board' } }));

  const shop = await talks.channel({ name: 'Shop chat', identifier: 'shop' });
  const says = (sessionId: string, fromChannelIdentifier: string) =>
    talks.accepted({ sessionId, fromChannelIdentifier, content: 'Do you deliver on Saturdays?' });
  const api = ['reports-1', 'reports-2', 'reports-3'];
  const shopTalks = ['reports-4', 'reports-5'];
  for (const id of api) await says(id, 'api');
  for (const id of shopTalks) await says(id, 'shop');
  let ai = 0;
  for (const id of [...api, ...shopTalks]) ai += (await talks.replied(id)).length;
  // A person takes one over, answers, and hands it back.
  await talks.pause('reports-4');
  await talks.expect(201, talks.operatorSays(shop.id, 'reports-4', { content: 'Yes, until noon.' }));
  await talks.pause('reports-4', false);

  let deliveries = 0;
  await eventually(async () => {
    const all = await hooks.deliveries(webhook.id);
    deliveries = all.length;
    return deliveries >= records.length && all.every(({ status }) => status === 'delivered');
  });
  return {
    board,
    shopId: shop.id,
    made: {
      conversations: { api: api.length, shop: shopTalks.length },
      answers: { ai, human: 1 },
      customerMessages: api.length + shopTalks.length,
      deliveries,
    },
    close: () => receiver.close(),
  };
}
