/** Deleting one message: its text and files go everywhere, its place stays. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Connected, startConnected } from '../../../../test/support/connectors.ts';
import { conversationsOf } from '../../../../test/support/conversations.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { filesOf } from '../../../../test/support/files.ts';
import { tablesWith } from '../../../../test/support/planted-person.ts';
import { messageOf } from '../../../../test/support/providers/scripted-provider.ts';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';
import { startJobs } from '../../../platform/jobs/jobs.ts';
import { blobKey } from '../../attachments/attachments.keys.ts';
import { messageDeletionHandler } from './erasures.message.jobs.ts';
import { messageDeletionJobKind } from './erasures.message.ts';

const marker = 'secretpapaya';

describe('deleting a message', () => {
  let service: TestService;
  let talk: ReturnType<typeof conversationsOf>;
  let call: TestService['call'];
  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    ({ call } = service);
  });
  after(() => service.close());

  const finish = async () => {
    const { db, logger } = service.context;
    const handlers = { [messageDeletionJobKind]: messageDeletionHandler(service.context) };
    const jobs = startJobs({ db, logger, handlers });
    try {
      await eventually(
        async () =>
          (await db.query(sql`select from jobs where kind = ${messageDeletionJobKind}`)).length === 0,
        30_000,
      );
    } finally {
      await jobs.stop();
    }
  };

  it('leaves its place, and its text in no table, file, index, event or stored answer', async () => {
    const { db, blobs } = service.context;
    const files = await filesOf(service);
    const channel = await talk.channel({
      webhookUrl: 'https://example.com/hook',
      forwardIncoming: true,
      settings: { forwardUpdates: true },
    });
    const sessionId = 'deleted-message';
    const file = await files.upload('text/plain', Buffer.from(marker), `${marker}.txt`);
    const from = { sessionId, fromChannelIdentifier: channel.identifier };
    await talk.expect(
      202,
      talk.send(
        { ...from, content: `${marker} one`, attachments: [file] },
        { headers: { 'idempotency-key': 'once' } },
      ),
    );
    await talk.accepted({ ...from, content: 'another' });
    const [message] = await talk.messages(sessionId);
    await talk.accepted({ ...from, content: 'quoting', replyToMessageId: message.id });
    const hits = async () => (await talk.expect(200, call('GET', `/messages/search?q=${marker}`))).total;
    assert.equal(await hits(), 1);
    const held = Object.keys(await tablesWith(service.context, marker));
    assert.ok(held.includes('events') && held.includes('messages'), held.join());

    const path = `/sessions/${sessionId}/messages/${message.id}?erase=true`;
    assert.equal((await talk.expect(200, call('DELETE', path))).message, 'message deleted');
    // What a colleague has on the screen may ask again.
    await talk.expect(200, call('DELETE', path));
    const [gone, ...others] = await talk.messages(sessionId);
    assert.deepEqual([gone.id, gone.content, gone.attachments, gone.data], [message.id, '', [], null]);
    assert.ok(gone.deletedAt > 0);
    assert.deepEqual(
      others.map((one: Json) => [one.content, one.replyToMessageId]),
      [
        ['another', null],
        ['quoting', message.id],
      ],
    );
    assert.equal(await hits(), 0);
    await finish();
    assert.deepEqual(await tablesWith(service.context, marker), {});
    assert.equal(await blobs.open(blobKey(service.admin.accountId, file.fileKey)), null);
    // The channel's webhook is told; the earlier event is gone.
    const told = (await talk.events(sessionId)).filter((one) => one.data.message?.id === message.id);
    assert.deepEqual(
      told.map((one) => [one.event, one.data.message.content, one.data.message.deletedAt]),
      [['message_updated', '', gone.deletedAt]],
    );
    const answers = await db.query(sql`select from idempotency_keys where key = 'once'`);
    assert.equal(answers.length, 0);
    const { items } = await talk.expect(200, call('GET', '/audit-log'));
    assert.deepEqual(
      [items[0].action, items[0].target, JSON.stringify(items).includes(marker)],
      ['message.deleted', { type: 'message', id: message.id }, false],
    );
  });

  it('403 for an operator, 404 for an absent one, 409 without erase=true', async () => {
    const sessionId = 'refused';
    await talk.accepted({ sessionId });
    const [message] = await talk.messages(sessionId);
    const plain = `/sessions/${sessionId}/messages/${message.id}`;
    const path = `${plain}?erase=true`;
    const operator = await service.createUser('operator');
    assert.equal((await call('DELETE', path, { token: operator.jwt })).status, 403);
    const { token } = await service.createToken(service.admin.jwt, {
      name: 'writes',
      scopes: ['messages:write'],
    });
    assert.equal((await call('DELETE', path, { token })).status, 403);
    assert.equal((await call('DELETE', plain)).status, 409);
    assert.equal((await call('DELETE', `/sessions/${sessionId}/messages/x?erase=true`)).status, 404);
    const other = await service.createAccount();
    assert.equal((await call('DELETE', path, { token: other.token })).status, 404);
    assert.equal((await talk.messages(sessionId))[0].content, 'Hello');
  });
});

describe('a provider', () => {
  let connected: Connected;
  before(async () => {
    connected = await startConnected();
  });
  after(() => connected.service.close());

  it('does not bring the text of a deleted message back by an edit', async () => {
    const { service, deliver, channel, settled, messages } = connected;
    const id = await channel();
    await deliver(id, [messageOf('88', 1, { text: marker })]);
    await settled(id);
    const sessionId = 'telegram:88';
    const [message] = await messages(sessionId);
    const path = `/sessions/${encodeURIComponent(sessionId)}/messages/${message.id}?erase=true`;
    assert.equal((await service.call('DELETE', path)).status, 200);
    const { type: _type, text: _text, ...place } = messageOf('88', 1) as Json;
    await deliver(id, [{ ...place, type: 'edited', key: 'edit-1', text: `${marker} again`, at: Date.now() }]);
    await settled(id);
    assert.equal((await messages(sessionId))[0].content, '');
  });

  it('does not bring an erased person back by delivering again', async () => {
    const { service, deliver, channel, settled } = connected;
    const id = await channel();
    const first = messageOf('99', 1, { text: 'hello' });
    await deliver(id, [first]);
    await settled(id);
    const { contactId } = (await service.call('GET', '/sessions/telegram%3A99')).body;
    const { erasureId } = (await service.call('DELETE', `/contacts/${contactId}`)).body;
    await eventually(
      async () => (await service.call('GET', `/erasures/${erasureId}`)).body.state === 'done',
      30_000,
    );
    await deliver(id, [first]);
    await settled(id);
    assert.equal((await service.call('GET', '/sessions/telegram%3A99')).status, 404);
    // Something new is theirs to send.
    await deliver(id, [messageOf('99', 2, { text: 'again' })]);
    await settled(id);
    assert.equal((await service.call('GET', '/sessions/telegram%3A99')).status, 200);
  });
});
