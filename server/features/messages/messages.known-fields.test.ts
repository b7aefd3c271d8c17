/** E-mail and Phone of a new card: what the channel knows, and what a visitor typed. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { type Json, startTestService, type TestService } from '../../../test/support/service.ts';
import { createAgentTools } from '../ai-replies/ai-replies.actions.ts';
import { findManyByLookup, lookupKey } from '../records/records.ts';
import { reindex } from '../search/search.ts';

describe('the e-mail address and the phone number of a card', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];
  let phone: string;
  let email: string;
  before(async () => {
    service = await startTestService();
    talk = conversationsOf(service);
    ({ call } = service);
    const { fields } = await talk.expect(200, call('GET', '/crm/fields'));
    phone = fields.find(({ type }: Json) => type === 'phone').fieldId;
    email = fields.find(({ type }: Json) => type === 'email').fieldId;
  });
  after(() => service.close());

  const record = (id: string): Promise<Json> => talk.expect(200, call('GET', `/crm/records/${id}`));
  const cardOf = async (sessionId: string) => record((await talk.session(sessionId)).recordId);
  const cardFrom = async (externalUserId: string, more: object = {}) =>
    cardOf((await talk.accepted({ externalUserId, ...more })).sessionId);
  const visit = async (details?: object) => {
    const started = await talk.expect(
      200,
      call('POST', '/widget/sessions', { token: null, body: { channel: 'web' } }),
    );
    if (!details) return started.token;
    return (await give(started.token, details)).token;
  };
  const give = (token: string, body: object) =>
    talk.expect(200, call('POST', '/widget/details', { token, body }));
  const write = async (token: string) => {
    const content = unique('typed');
    const body = { clientId: unique('client'), content };
    await talk.expect(202, call('POST', '/widget/messages', { token, body }));
    const { items } = await talk.expect(200, call('GET', '/sessions?limit=1'));
    return items[0] as Json;
  };

  it('a number or an address of the customer is on it, whatever the channel', async () => {
    const number = await cardFrom('+44 20 7946 0018');
    assert.deepEqual(number.customFields, { [phone]: '+44 20 7946 0018' });
    const address = await cardFrom('Ada.Known@example.com');
    assert.deepEqual(address.customFields, { [email]: 'Ada.Known@example.com' });
    assert.equal('unverifiedFieldIds' in address, false);
    assert.deepEqual((await cardFrom(unique('customer'))).customFields, {});
  });

  it('the number of a chat app is written as a phone number', async () => {
    const channel = await talk.channel({ type: 'chatapp' });
    const at = { fromChannelIdentifier: channel.identifier, channelType: 'chatapp' };
    const card = await cardFrom('442079460077@c.us', at);
    assert.deepEqual(card.customFields, { [phone]: '+442079460077' });
    assert.deepEqual((await cardFrom('99887766554433@lid', at)).customFields, {});
  });

  it('what a visitor typed is there and not verified, until somebody changes it', async () => {
    const { recordId } = await write(await visit({ email: 'Typed@example.com' }));
    const card = await record(recordId);
    assert.deepEqual(card.customFields, { [email]: 'typed@example.com' });
    assert.deepEqual(card.unverifiedFieldIds, [email]);
    const { items } = await talk.expect(200, call('GET', '/crm/records?limit=100'));
    const listed = items.find((one: Json) => one.recordId === recordId);
    assert.deepEqual(listed.unverifiedFieldIds, [email]);
    const change = (body: object) => talk.expect(200, call('PUT', `/crm/records/${recordId}`, { body }));
    assert.deepEqual((await change({ title: 'Renamed' })).unverifiedFieldIds, [email]);
    const changed = await change({ customFields: { [email]: 'real@example.com' } });
    assert.equal('unverifiedFieldIds' in changed, false);
    assert.equal('unverifiedFieldIds' in (await record(recordId)), false);
  });

  it('what is typed later fills an empty field and corrects an unverified one, and no other', async () => {
    const token = await visit();
    const { recordId } = await write(token);
    assert.deepEqual((await record(recordId)).customFields, {});
    await give(token, { email: 'first@example.com' });
    assert.deepEqual((await record(recordId)).unverifiedFieldIds, [email]);
    await give(token, { email: 'second@example.com' });
    assert.deepEqual((await record(recordId)).customFields, { [email]: 'second@example.com' });
    const body = { customFields: { [email]: 'known@example.com' } };
    await talk.expect(200, call('PUT', `/crm/records/${recordId}`, { body }));
    await give(token, { email: 'third@example.com' });
    const card = await record(recordId);
    assert.deepEqual([card.customFields[email], card.unverifiedFieldIds], ['known@example.com', undefined]);
    await talk.expect(200, call('DELETE', `/crm/records/${recordId}`));
    await give(token, { email: 'fourth@example.com' });
  });

  it('a typed address makes the card nobody else’s, also after a change and a reindex', async () => {
    const address = `${unique('victim')}@example.com`.toLowerCase();
    const { sessionId } = await talk.accepted({ externalUserId: address });
    const { contactId } = await talk.session(sessionId);
    const { recordId } = await write(await visit({ email: address }));
    const idsOf = async () =>
      (await talk.expect(200, call('GET', `/contacts/${contactId}`))).recordIds as string[];
    assert.equal((await idsOf()).includes(recordId), false);
    await talk.expect(200, call('PUT', `/crm/records/${recordId}`, { body: { title: 'Changed' } }));
    assert.equal((await idsOf()).includes(recordId), false);
    await reindex(service.context.db, () => {});
    assert.equal((await idsOf()).includes(recordId), false);
    const query = new URLSearchParams({ customFieldId: email, customFieldValue: address });
    const { items } = await talk.expect(200, call('GET', `/crm/search?${query}`));
    const found = items.find((one: Json) => one.recordId === recordId);
    assert.deepEqual(found.unverifiedFieldIds, [email]);
    // An import that looks for the customer's card does not take this one for it.
    const own = (await talk.session(sessionId)).recordId;
    await talk.expect(200, call('DELETE', `/crm/records/${own}`));
    const { accountId, kanbanId } = found;
    const keys = [lookupKey(email, address)];
    assert.equal((await findManyByLookup(service.context.db, accountId, kanbanId, email, keys)).size, 0);
  });

  it('an address that the AI was told is not verified either, until somebody changes it', async () => {
    const address = `${unique('told')}@example.com`.toLowerCase();
    const { contactId } = await talk.session((await talk.accepted({ externalUserId: address })).sessionId);
    const { sessionId, userMessage } = await talk.accepted({ externalUserId: unique('teller') });
    const { accountId } = service.admin;
    const { directory } = await service.context.accountConfig.fresh(accountId);
    const agent = directory.agents.get((await talk.session(sessionId)).agentId)!;
    const messageId = userMessage.id;
    const tools = createAgentTools(service.context, { accountId, sessionId, messageId, agent });
    const { fields } = await talk.expect(200, call('GET', '/crm/fields'));
    const nameOf = (id: string) => fields.find(({ fieldId }: Json) => fieldId === id).name;
    await tools.setField(nameOf(email), address);
    await tools.setField(nameOf(phone), '+442079460019');
    const { recordId, ...card } = await cardOf(sessionId);
    assert.deepEqual(card.customFields, { [email]: address, [phone]: '+442079460019' });
    assert.deepEqual(card.unverifiedFieldIds.sort(), [email, phone].sort());
    const { recordIds } = await talk.expect(200, call('GET', `/contacts/${contactId}`));
    assert.equal(recordIds.includes(recordId), false);
    const change = { customFields: { [phone]: '+442079460020' } };
    const changed = await talk.expect(200, call('PUT', `/crm/records/${recordId}`, { body: change }));
    assert.deepEqual(changed.unverifiedFieldIds, [email]);
    await tools.setField(nameOf(email), null);
    assert.equal('unverifiedFieldIds' in (await record(recordId)), false);
  });

  it('a conversation that moves takes it along, still not verified', async () => {
    const { sessionId, recordId } = await write(await visit({ email: 'moving@example.com' }));
    const board = await talk.kanban();
    await talk.expect(200, call('POST', `/sessions/${sessionId}/transfer`, { body: { kanbanId: board.id } }));
    const card = await cardOf(sessionId);
    assert.notEqual(card.recordId, recordId);
    assert.deepEqual(Object.values(card.customFields), ['moving@example.com']);
    assert.deepEqual(card.unverifiedFieldIds, Object.keys(card.customFields));
  });
});
