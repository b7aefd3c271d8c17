import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../../../platform/ids.ts';
import { withoutPerson } from './erasures.audit.ts';
import { matcherOf } from './erasures.matching.ts';

const [contactId, recordId, channelId, otherId] = [newId(), newId(), newId(), newId()];
const matcher = matcherOf({
  contactIds: [contactId],
  recordIds: [recordId],
  sessionIds: ['user'],
  customers: ['42', '77', '5511999998888', 'ada@example.com'],
  identifiers: [
    { kind: 'phone', value: '5511999998888', channelId: null },
    { kind: 'email', value: 'ada@example.com', channelId: null },
    { kind: 'external', value: '42', channelId },
    { kind: 'chatbot', value: '77', channelId: null },
  ],
});

describe('finding an erased person', () => {
  it('compares a customer together with the channel, in any form', () => {
    const api = { id: channelId, type: 'api' };
    assert.ok(matcher.isCustomer(api, '42'));
    assert.ok(!matcher.isCustomer({ id: otherId, type: 'api' }, '42'));
    assert.ok(!matcher.isCustomer(api, '77'));
    assert.ok(matcher.isCustomer({ id: otherId, type: 'chatbot' }, '77'));
    assert.ok(matcher.isCustomer({ id: otherId, type: 'sms' }, '+5511999998888'));
    assert.ok(!matcher.isCustomer({ id: otherId, type: 'chatbot' }, '5511999998888'));
  });

  it('finds phone numbers and e-mail addresses in text, and no short ids', () => {
    for (const text of [
      'from Ada@Example.com.',
      '{"to":"x\\nADA@example.com"}',
      'call +5511999998888',
      'From=whatsapp%3A%2B5511999998888&Body=x',
      '+55 11 99999-8888',
      '{"number":5511999998888}',
      `{"contact":{"id":"${contactId}"}}`,
    ]) {
      assert.ok(matcher.isInBody(text), text);
    }
    for (const text of [
      '{"message_id":77,"price":42,"text":"42"}',
      'the 42nd, 42 and 77',
      'not.ada@example.com',
      'ada@example.com.br',
      '155119999988880',
    ]) {
      assert.ok(!matcher.isInBody(text), text);
    }
  });

  it('finds a provider’s own id in what came by its channel, and there only', () => {
    const channelId = newId();
    const person = { contactIds: [contactId], sessionIds: [], customers: [], recordIds: [] };
    const identifiers = [{ kind: 'chatbot', value: '77', channelId }];
    const own = matcherOf({ ...person, identifiers });
    const channel = { id: channelId, type: 'chatbot' };
    for (const text of ['{"message":{"chat":{"id":77}}}', '{"from":"77"}', '{"from":77, broken', 'chat 77']) {
      assert.ok(own.isInBody(text, channel), text);
      assert.ok(!own.isInBody(text, { ...channel, id: otherId }), text);
      assert.ok(!own.isInBody(text), text);
    }
    for (const text of ['{"id":770}', '{"77":1}', '{"id":177, broken']) {
      assert.ok(!own.isInBody(text, channel), text);
    }
  });

  it('finds a conversation only where a property is called so', () => {
    assert.ok(matcher.names({ sessionId: 'user' }));
    assert.ok(matcher.names({ items: [{ sessionIds: ['x', 'user'] }] }));
    assert.ok(!matcher.names({ role: 'user' }));
  });
});

describe('an audit entry after an erasure', () => {
  const entry = { id: newId(), action: 'contact.changed', targetType: 'contact', targetId: contactId };
  const changesOf = (changes: Record<string, unknown>, given = {}) =>
    withoutPerson({ ...entry, ...given, changes }, matcher)?.changes;

  it('keeps ids and counts if it is about the person', () => {
    const changes = { name: { from: 'Ada', to: 'Ada L.' }, kanbanId: { from: otherId, to: null }, count: 3 };
    const kept = { ...changes, name: { from: 'erased', to: 'erased' } };
    assert.deepEqual(changesOf(changes), kept);
    assert.equal(changesOf(kept), undefined);
  });

  it('keeps all that does not name the person if it is about something else', () => {
    const other = { targetType: 'webhook', targetId: otherId };
    assert.equal(changesOf({ name: '42', text: 'user', contactId, count: 77 }, other), undefined);
    assert.deepEqual(
      changesOf({ name: 'Hook', to: ['Ada@example.com', 'x'], sessionId: { from: 'user', to: null } }, other),
      { name: 'Hook', to: ['erased', 'x'], sessionId: { from: 'erased', to: null } },
    );
  });

  it('hides a target that is an identifier or a conversation, and leaves what tells of the erasure', () => {
    const targetOf = (targetType: string, targetId: string) =>
      withoutPerson({ ...entry, targetType, targetId, changes: {} }, matcher)?.targetId;
    assert.equal(targetOf('contact', 'ADA@example.com'), 'erased');
    assert.equal(targetOf('contact', '42'), 'erased');
    assert.equal(targetOf('session', 'user'), 'erased');
    assert.equal(targetOf('label', '42'), undefined);
    assert.equal(changesOf({ records: 'keep' }, { action: 'contact.erasure_requested' }), undefined);
  });
});
