import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { canStart, isPhone, recipientsOf } from './recipients.ts';

describe('whom a new conversation reaches', () => {
  const board = {
    fields: [
      { id: 'mail', type: 'email' },
      { id: 'phone', type: 'phone' },
      { id: 'other', type: 'text' },
    ],
  } as unknown as Parameters<typeof recipientsOf>[2];
  const record = { customFields: { mail: 'ada@example.com', phone: '+44 20 7946 0958', other: '1234567' } };

  it('a web chat reaches nobody first', () => {
    assert.deepEqual([canStart({ type: 'web' }), canStart({ type: 'sms' })], [false, true]);
  });

  it('phone channels offer phone numbers only, others also e-mail addresses', () => {
    assert.deepEqual(recipientsOf({ type: 'sms' }, record, board), ['+44 20 7946 0958']);
    assert.deepEqual(recipientsOf({ type: 'api' }, record, board), ['+44 20 7946 0958', 'ada@example.com']);
    assert.deepEqual(recipientsOf({ type: 'api' }, { customFields: { mail: ' ' } }, board), []);
  });

  it('a phone number has seven digits in any notation; an id of a chat app is accepted', () => {
    for (const text of ['+44 20 7946 0958', '(020) 7946-0958', '5511999998888@c.us']) {
      assert.equal(isPhone(text), true, text);
    }
    for (const text of ['12345', 'Ada', '']) assert.equal(isPhone(text), false, text);
  });
});
