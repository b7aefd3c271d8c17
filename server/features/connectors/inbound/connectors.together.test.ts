/** Messages of several known customers that come at the same time share a transaction. Nothing else about them changes. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type Connected, startConnected } from '../../../../test/support/connectors.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { customerOf, messageOf } from '../../../../test/support/providers/scripted-provider.ts';
import type { Json } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';

let connected: Connected;
before(async () => {
  connected = await startConnected();
});
after(() => connected.service.close());

const ofCustomer = (messages: Json[]) => messages.filter((one) => one.role === 'user');

/** Each customer has a conversation with the messages of these numbers. */
async function known(customers: readonly string[], number = 1): Promise<string> {
  const { deliver, channel, settled } = connected;
  const id = await channel();
  await deliver(
    id,
    customers.map((one) => messageOf(one, number)),
  );
  await settled(id);
  return id;
}

it('they are stored with their ids, their data and their replies, in fewer transactions than messages', async () => {
  const { service, deliver, settled, messages } = connected;
  const { accountId } = service.admin;
  const customers = Array.from({ length: 10 }, (_, index) => `t${index}`);
  const id = await known(customers);
  await deliver(
    id,
    customers.map((one) => messageOf(one, 2, { payload: { of: one } })),
  );
  await settled(id);
  for (const customer of customers) {
    const stored = ofCustomer(await messages(`telegram:${customer}`));
    assert.deepEqual(
      stored.map((one) => [one.content, one.providerMsgId]),
      [1, 2].map((number) => [`message ${number}`, `${customer}:${number}`]),
    );
  }
  const rows = await service.context.db.query<{ customer: string; data: Json; transaction: string }>(sql`
    select i.customer, m.data, m.xmin::text as transaction
    from connector_items i join messages m on m.account_id = i.account_id and m.id = i.message_id
    where i.account_id = ${accountId} and i.channel_id = ${id} and i.place = 2 and i.state = 'done'
      and i.item is null`);
  assert.equal(rows.length, customers.length);
  for (const { customer, data } of rows) assert.deepEqual(data, { providerPayload: { of: customer } });
  assert.ok(new Set(rows.map((one) => one.transaction)).size < customers.length, 'each had its own');
  await eventually(async () => {
    const jobs = await service.context.db.query(
      sql`select from jobs where account_id = ${accountId} and kind = 'connector-items'`,
    );
    return jobs.length === 0;
  });
});

it('each still gets what only it needs: a name, an identifier, its place, its refusal, its first copy', async () => {
  const { service, deliver, settled, messages, inboundLog } = connected;
  const people = ['named', 'phoned', 'late', 'stopped', 'twice', 'plain'];
  const id = await known(people, 5);
  const contactOf = async (customer: string) => {
    const session = (await service.call('GET', `/sessions/telegram%3A${customer}`)).body;
    return (await service.call('GET', `/contacts/${session.contactId}`)).body;
  };
  const told = (customer: string, phone: string) => ({
    ...customerOf(customer, 'Ada'),
    identifiers: [
      { kind: 'chatbot' as const, value: customer },
      { kind: 'phone' as const, value: phone },
    ],
  });
  const block = { body: { identifierType: 'phone' } };
  assert.equal((await service.call('POST', '/blocked-contacts/5511900000001', block)).status, 201);
  await deliver(id, [
    messageOf('named', 6, { customer: customerOf('named', 'Grace') }),
    messageOf('phoned', 6, { customer: told('phoned', '5511900000002') }),
    messageOf('late', 4),
    messageOf('stopped', 6, { customer: told('stopped', '5511900000001') }),
    messageOf('twice', 5, { key: 'twice:again' }),
    messageOf('plain', 6),
  ]);
  await settled(id);
  assert.equal((await contactOf('named')).name, 'Grace');
  const identifiers = (await contactOf('phoned')).identifiers as Json[];
  assert.deepEqual(identifiers.map((one) => one.value).sort(), ['5511900000002', 'phoned']);
  const numbers = async (customer: string) =>
    ofCustomer(await messages(`telegram:${customer}`)).map((one) => one.content.replace('message ', ''));
  assert.deepEqual(await numbers('late'), ['4', '5']);
  assert.deepEqual(await numbers('stopped'), ['5']);
  assert.deepEqual(await numbers('twice'), ['5']);
  assert.deepEqual(await numbers('plain'), ['5', '6']);
  const dropped = (await inboundLog(id)).filter((entry) => entry.state === 'dropped');
  assert.equal(dropped.length, 1);
});
