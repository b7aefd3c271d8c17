import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { type MessageStatus, messageStatuses } from '../../../../contract/messaging/messages.ts';
import { type Conversations, conversationsOf, unique } from '../../../../test/support/conversations.ts';
import { runsOf, seed } from '../../../../test/support/sample.ts';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';

/** Written out, not computed: the allowed transitions. */
const allowed: { [from: string]: MessageStatus[] } = {
  none: ['sent', 'delivered', 'read', 'failed'],
  sent: ['delivered', 'read', 'failed'],
  delivered: ['read'],
  read: [],
  failed: ['delivered', 'read'],
};

describe('link, status, reactions', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];

  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    ({ call } = service);
  });
  after(() => service.close());

  const newMessage = async () => {
    const { sessionId, userMessage } = await talk.accepted({ sessionId: unique('receipts') });
    const path = `/sessions/${sessionId}/messages`;
    return {
      sessionId,
      messageId: userMessage.id as string,
      link: (body: object, id = userMessage.id) => call('POST', `${path}/${id}/link`, { body }),
      status: (providerMsgId: string, status: string) =>
        call('POST', `${path}/status`, { body: { providerMsgId, status } }),
      react: (providerMsgId: string, action: string, emoji?: string | null) =>
        call('POST', `${path}/reactions`, { body: { providerMsgId, action, emoji } }),
      stored: async (): Promise<Json> => (await talk.messages(sessionId))[0],
    };
  };

  it('link: 200 with the whole state; the message carries the id', async () => {
    const one = await newMessage();
    const { status, body } = await one.link({ providerMsgId: 'p1', setStatusToSent: true });
    assert.equal(status, 200);
    const { message, ...rest } = body;
    assert.deepEqual(rest, {
      messageId: one.messageId,
      providerMsgId: 'p1',
      status: 'sent',
      reactions: [],
      applied: true,
    });
    assert.equal(typeof message, 'string');
    const stored = await one.stored();
    assert.deepEqual([stored.providerMsgId, stored.status], ['p1', 'sent']);
  });

  it('link: the same id again is 200, another is 409, and so is an id that another message has', async () => {
    const one = await newMessage();
    assert.equal((await one.link({ providerMsgId: 'p1' })).status, 200);
    assert.equal((await one.link({ providerMsgId: 'p1' })).status, 200);
    assert.equal((await one.link({ providerMsgId: 'p2' })).status, 409);
    const { userMessage } = await talk.accepted({ sessionId: one.sessionId });
    const taken = await one.link({ providerMsgId: 'p1' }, userMessage.id);
    assert.deepEqual([taken.status, taken.body.code], [409, 'CONFLICT']);
    assert.equal((await one.link({ providerMsgId: 'p2' }, userMessage.id)).status, 200);
  });

  it('404 for an unknown message or session, 400 that names what is missing', async () => {
    const one = await newMessage();
    assert.equal((await one.link({ providerMsgId: 'p' }, 'nothing')).status, 404);
    const elsewhere = await call('POST', `/sessions/none/messages/${one.messageId}/link`, {
      body: { providerMsgId: 'p' },
    });
    assert.equal(elsewhere.status, 404);
    assert.equal(
      (await call('POST', '/sessions/none/messages/status', { body: { providerMsgId: 'p', status: 'sent' } }))
        .status,
      404,
    );
    assert.match((await one.link({})).body.message, /^providerMsgId is required/);
    assert.match(
      (await one.status('p', 'seen')).body.message,
      /^status must be one of sent, delivered, read, failed/,
    );
    assert.match((await one.react('p', 'like', '👍')).body.message, /^action /);
    for (const action of ['add', 'remove']) {
      for (const emoji of [undefined, null, '']) {
        const answer = await one.react('p', action, emoji);
        assert.deepEqual(
          [answer.status, answer.body.message],
          [400, 'emoji is required'],
          `${action} ${emoji}`,
        );
      }
    }
    assert.equal(await talk.count(sql`early_receipts where session_id = ${one.sessionId}`), 0);
  });

  it('status moves by the table and no other way, over any sequence', async () => {
    const one = await newMessage();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...messageStatuses), { minLength: 1, maxLength: 8 }),
        async (steps) => {
          const { userMessage } = await talk.accepted({ sessionId: one.sessionId });
          const id = unique('p');
          await one.link({ providerMsgId: id }, userMessage.id);
          let state: string = 'none';
          for (const step of steps) {
            const may = allowed[state]!.includes(step);
            if (may) state = step;
            const { status, body } = await one.status(id, step);
            assert.deepEqual([status, body.applied, body.status], [200, may, state], `${steps}`);
          }
        },
      ),
      { numRuns: runsOf(40), seed },
    );
  });

  it('setStatusToSent makes a failed message sent again, and takes nothing back', async () => {
    const one = await newMessage();
    await one.link({ providerMsgId: 'p' });
    await one.status('p', 'failed');
    assert.equal((await one.link({ providerMsgId: 'p' })).body.status, 'failed');
    assert.equal((await one.link({ providerMsgId: 'p', setStatusToSent: true })).body.status, 'sent');
    await one.status('p', 'read');
    assert.equal((await one.link({ providerMsgId: 'p', setStatusToSent: true })).body.status, 'read');
  });

  it('reactions: add and remove are idempotent, upsert clears and then adds', async () => {
    const one = await newMessage();
    await one.link({ providerMsgId: 'p' });
    const steps: [string, string | null | undefined, boolean, string[]][] = [
      ['add', '👍', true, ['👍']],
      ['add', '👍', false, ['👍']],
      ['add', '🎉', true, ['👍', '🎉']],
      ['remove', '👍', true, ['🎉']],
      ['remove', '👍', false, ['🎉']],
      ['upsert', '❤️', true, ['❤️']],
      ['upsert', '❤️', false, ['❤️']],
      ['upsert', undefined, true, []],
      ['upsert', undefined, false, []],
      ['upsert', '👍', true, ['👍']],
      ['upsert', '', true, []],
      ['upsert', '👍', true, ['👍']],
      ['upsert', null, true, []],
    ];
    for (const [action, emoji, applied, reactions] of steps) {
      const { status, body } = await one.react('p', action, emoji);
      assert.deepEqual(
        [status, body.applied, body.reactions],
        [200, applied, reactions],
        `${action} ${emoji}`,
      );
    }
    assert.deepEqual((await one.stored()).reactions, []);
  });

  it('what arrives before its link is 202, kept, and applied at the link in its order, once', async () => {
    const one = await newMessage();
    const early = await one.status('late', 'delivered');
    assert.equal(early.status, 202);
    const { message: _message, ...rest } = early.body;
    assert.deepEqual(rest, {
      messageId: null,
      providerMsgId: 'late',
      status: null,
      reactions: [],
      applied: false,
    });
    assert.equal((await one.status('late', 'sent')).status, 202);
    assert.equal((await one.react('late', 'add', '👍')).status, 202);
    assert.equal((await one.react('late', 'upsert', '🎉')).status, 202);
    const linked = (await one.link({ providerMsgId: 'late', setStatusToSent: true })).body;
    assert.deepEqual([linked.status, linked.reactions, linked.applied], ['delivered', ['🎉'], true]);
    await one.react('late', 'remove', '🎉');
    assert.deepEqual((await one.link({ providerMsgId: 'late' })).body.reactions, []);
  });

  it('early arrivals belong to their session and are forgotten after ten minutes', async () => {
    const one = await newMessage();
    const other = await newMessage();
    await other.status('p', 'read');
    assert.equal((await one.link({ providerMsgId: 'p' })).body.status, null);
    await service.context.db.transaction((tx) =>
      tx.query(
        sql`update early_receipts set created_at = created_at - 600001 where session_id = ${other.sessionId}`,
      ),
    );
    assert.equal((await other.link({ providerMsgId: 'p' })).body.status, null);
  });

  it('a status and its link at the same time: applied whichever comes first', async () => {
    for (let round = 0; round < 10; round++) {
      const one = await newMessage();
      await Promise.all([one.link({ providerMsgId: 'p' }), one.status('p', 'read')]);
      assert.equal((await one.stored()).status, 'read');
    }
  });
});
