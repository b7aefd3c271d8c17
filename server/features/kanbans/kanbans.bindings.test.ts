/** Fields bound to channels: what the API returns, and what stays bound. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Field } from '../../../contract/crm/kanbans.ts';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { createField, createKanban, readRecord } from '../../../test/support/crm.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';

describe('boundToChannels', () => {
  let service: TestService;
  let talk: Conversations;
  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
  });
  after(() => service.close());

  const newChannel = (type: string, name: string): Promise<Json> => talk.channel({ type, name });
  const fieldsOf = async (kanbanId: string, call = service.call): Promise<Field[]> =>
    (await call('GET', `/crm/fields?kanbanId=${kanbanId}`)).body.fields;
  const fieldOf = async (kanbanId: string, fieldId: string, call = service.call) =>
    (await fieldsOf(kanbanId, call)).find((field) => field.fieldId === fieldId)!;
  const rename = (id: string, name: string) => service.call('PATCH', `/channels/${id}`, { body: { name } });
  const patch = (fieldId: string, body: object) => service.call('PATCH', `/crm/fields/${fieldId}`, { body });
  /** Which fields a new conversation on the channel fills. */
  const filledBy = async (channel: Json, kanbanId: string): Promise<string[]> => {
    const { sessionId } = await talk.accepted({
      fromChannelIdentifier: channel.identifier,
      channelType: channel.type,
      sessionId: unique('bound'),
      externalUserId: '+55 11 99999-0000',
      kanbanId,
    });
    const { body } = await service.call('GET', `/sessions/${sessionId}`);
    return Object.keys((await readRecord(service, body.recordId)).customFields);
  };

  it('answers the names of the channels of a bound type; one that is made later is bound too', async () => {
    const second = await service.startSecond();
    const kanban = await createKanban(service);
    const [phone, email] = await fieldsOf(kanban.id);
    assert.deepEqual([phone!.name, phone!.boundToChannels], ['Phone', []]);
    const sms = await newChannel('sms', 'Text messages');
    const app = await newChannel('chatapp', 'Shop');
    for (const call of [service.call, second.call]) {
      assert.deepEqual((await fieldOf(kanban.id, phone!.fieldId, call)).boundToChannels, [
        'Text messages',
        'Shop',
      ]);
    }
    assert.deepEqual((await fieldOf(kanban.id, email!.fieldId)).boundToChannels, []);
    const renamed = await patch(phone!.fieldId, { name: 'Mobile' });
    assert.deepEqual(renamed.body.boundToChannels, ['Text messages', 'Shop']);
    assert.deepEqual(renamed.body.channelBindings, ['chatapp', 'chatapp_byot', 'chatapp_no', 'sms']);
    assert.deepEqual(await filledBy(sms, kanban.id), [phone!.fieldId]);
    const later = await newChannel('sms', 'A later one');
    assert.deepEqual(await filledBy(later, kanban.id), [phone!.fieldId]);
    assert.equal((await fieldOf(kanban.id, phone!.fieldId)).boundToChannels.length, 3);
    for (const { id } of [sms, app, later]) await service.call('DELETE', `/channels/${id}`);
    await second.close();
  });

  it('a channel that is renamed stays bound, in answers and for conversations', async () => {
    const kanban = await createKanban(service);
    const channel = await newChannel('api', unique('Before'));
    const field = await createField(service, kanban.id, 'text', { boundToChannels: [channel.name, 'sms'] });
    const name = unique('After');
    assert.equal((await rename(channel.id, name)).status, 200);
    const shown = await fieldOf(kanban.id, field.fieldId);
    assert.ok(shown.boundToChannels.includes(name) && !shown.boundToChannels.includes(channel.name));
    assert.deepEqual([...shown.channelBindings].sort(), [name, 'sms'].sort());
    assert.ok((await filledBy(channel, kanban.id)).includes(field.fieldId));
    // Another channel that takes the old name is not bound by it.
    const next = await newChannel('api', channel.name);
    assert.ok(!(await filledBy(next, kanban.id)).includes(field.fieldId));
  });

  it('of two channels with one name, the renamed and the other both stay bound', async () => {
    const kanban = await createKanban(service);
    const name = unique('Twin');
    const [one, two] = [await newChannel('api', name), await newChannel('web', name)];
    const field = await createField(service, kanban.id, 'text', { boundToChannels: [name] });
    assert.deepEqual(field.boundToChannels, [name]);
    const other = unique('Single');
    await rename(one.id, other);
    assert.deepEqual((await fieldOf(kanban.id, field.fieldId)).boundToChannels, [other, name]);
    assert.ok((await filledBy(two, kanban.id)).includes(field.fieldId));
    // A channel named like a type: it does not remove the binding of the type.
    await rename(one.id, 'chatbot');
    await patch(field.fieldId, { boundToChannels: ['chatbot'] });
    await rename(one.id, other);
    const shown = await fieldOf(kanban.id, field.fieldId);
    assert.deepEqual([...shown.channelBindings].sort(), [other, 'chatbot'].sort());
  });

  it('a deleted channel leaves no name behind; a name that no channel has yet waits for it', async () => {
    const kanban = await createKanban(service);
    const gone = await newChannel('api', unique('Gone'));
    const pending = unique('Not yet');
    const field = await createField(service, kanban.id, 'text', { boundToChannels: [gone.name, pending] });
    assert.deepEqual(field.boundToChannels, [gone.name, pending]);
    assert.equal((await service.call('DELETE', `/channels/${gone.id}`)).status, 200);
    assert.deepEqual((await fieldOf(kanban.id, field.fieldId)).boundToChannels, [pending]);
    const come = await newChannel('api', pending);
    assert.ok((await filledBy(come, kanban.id)).includes(field.fieldId));
  });

  it("another account's channels are not named", async () => {
    const other = await service.createAccount();
    await newChannel('chatapp_no', 'Ours alone');
    const { body } = await service.call('GET', '/crm/fields', { token: other.token });
    assert.ok(body.fields.every((field: Field) => field.boundToChannels.length === 0));
  });
});
