/** A customer who becomes known by another identifier. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type Connected, startConnected } from '../../../../test/support/connectors.ts';
import { messageOf } from '../../../../test/support/providers/scripted-provider.ts';
import type { Json } from '../../../../test/support/service.ts';
import type { Customer, Inbound } from '../connectors.provider.ts';
import { findRecipient } from '../outbound/connectors.recipient.sql.ts';

let connected: Connected;
let channelId: string;
before(async () => {
  connected = await startConnected();
  channelId = await connected.channel();
});
after(() => connected.service.close());

const who = (id: string): Customer => ({ id, identifiers: [{ kind: 'chatapp', value: id }], name: null });
const says = (id: string, number: number): Inbound => ({ ...messageOf(id, number), customer: who(id) });
const becomes = (before: string, now: string): Inbound => ({
  type: 'identity',
  key: `${before}:${now}`,
  customer: who(now),
  previous: who(before).identifiers,
  notice: null,
  at: 1,
});
const sessionOf = async (id: string): Promise<Json> =>
  (await connected.service.call('GET', `/sessions/telegram%3A${id}`)).body;
const linesOf = async (id: string) =>
  (await connected.messages(`telegram:${id}`))
    .filter(({ role }) => role !== 'assistant')
    .map(({ role, content }) => (role === 'system' ? role : content));
const contactOf = async (id: string): Promise<Json> =>
  (await connected.service.call('GET', `/contacts/${(await sessionOf(id)).contactId}`)).body;

it('goes on in the same conversation, also if everything comes in one delivery', async () => {
  const { deliver, settled } = connected;
  const items = [says('US.1', 1), becomes('US.1', 'US.2'), says('US.2', 2), becomes('US.2', 'US.3')];
  await deliver(channelId, [...items, says('US.3', 3)]);
  await settled(channelId);
  const lines = await linesOf('US.1');
  assert.deepEqual(
    lines.filter((line) => line !== 'system'),
    ['message 1', 'message 2', 'message 3'],
  );
  assert.equal(lines.length, 5);
  assert.equal((await sessionOf('US.1')).externalUserId, 'US.3');
  const { identifiers } = await contactOf('US.1');
  assert.deepEqual(identifiers.map(({ value }: Json) => value).sort(), ['US.1', 'US.2', 'US.3']);
});

it('gives up the phone numbers known until then, and only then', async () => {
  const { deliver, settled, service } = connected;
  await deliver(channelId, [says('US.30', 1)]);
  await settled(channelId);
  const sessionId = 'telegram:US.30';
  const phones = async () => {
    const { identifiers } = await findRecipient(service.context.db, service.admin.accountId, sessionId);
    return identifiers.filter(({ kind }) => kind === 'phone').map(({ value }) => value);
  };
  const { id } = await contactOf('US.30');
  const addIdentifiers = [{ kind: 'phone', value: '+16505550030' }];
  await service.call('PATCH', `/contacts/${id}`, { body: { addIdentifiers } });
  assert.deepEqual(await phones(), ['16505550030']);
  await deliver(channelId, [becomes('US.30', 'US.31')]);
  await settled(channelId);
  assert.deepEqual(await phones(), []);
  const back = becomes('US.31', 'US.32') as Extract<Inbound, { type: 'identity' }>;
  const told = [{ kind: 'phone', value: '16505550030' } as const, ...back.customer.identifiers];
  await deliver(channelId, [{ ...back, customer: { ...back.customer, identifiers: told } }]);
  await settled(channelId);
  assert.deepEqual(await phones(), ['16505550030']);
});

it('of whom nobody knows anything is dropped, and a redelivery changes nothing', async () => {
  const { deliver, settled, inboundLog } = connected;
  await deliver(channelId, [becomes('US.8', 'US.9')]);
  await deliver(channelId, [becomes('US.1', 'US.2')]);
  await settled(channelId);
  const entries = await inboundLog(channelId);
  assert.ok(entries.some(({ state }) => state === 'dropped'));
  assert.equal((await linesOf('US.1')).length, 5);
  assert.equal((await sessionOf('US.1')).externalUserId, 'US.3');
});

it('whose new identifier another contact has stays apart, and a merge is offered', async () => {
  const { deliver, settled } = connected;
  await deliver(channelId, [says('US.20', 1), says('US.21', 1)]);
  await settled(channelId);
  await deliver(channelId, [becomes('US.20', 'US.21')]);
  await settled(channelId);
  const [first, second] = [await contactOf('US.20'), await contactOf('US.21')];
  assert.notEqual(first.id, second.id);
  assert.deepEqual(
    first.mergeOffers.map((offer: Json) => offer.contactId),
    [second.id],
  );
  assert.equal((await sessionOf('US.20')).externalUserId, 'US.20');
});
