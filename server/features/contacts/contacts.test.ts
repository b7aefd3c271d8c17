import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { startTestService, type TestService } from '../../../test/support/service.ts';

describe('contacts', () => {
  let service: TestService;
  let talk: Conversations;

  before(async () => {
    service = await startTestService();
    talk = conversationsOf(service);
  });
  after(() => service.close());

  it('a conversation gets the contact of its customer, in any notation', async () => {
    const first = await talk.accepted({ externalUserId: '+55 11 90000-0001' });
    const second = await talk.accepted({ sessionId: unique('s'), externalUserId: '5511900000001@c.us' });
    const { contactId } = await talk.session(first.sessionId);
    assert.equal(typeof contactId, 'string');
    assert.equal((await talk.session(second.sessionId)).contactId, contactId);
    const none = await talk.accepted({});
    assert.equal((await talk.session(none.sessionId)).contactId, null);
  });
});
