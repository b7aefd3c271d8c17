import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

const channelTypes = ['api', 'chatapp_byot', 'chatapp_no', 'chatapp', 'web', 'chatbot', 'sms'];

describe('POST /messages', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];
  let send: Conversations['send'];
  let defaultKanban: Json;

  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    ({ call } = service);
    ({ send } = talk);
    defaultKanban = (await call('GET', '/kanbans')).body.items.find((one: Json) => one.isDefault);
  });
  after(() => service.close());

  const refused = async (body: object, status: number, code: string, message?: string | RegExp) => {
    const answer = await send(body);
    assert.deepEqual([answer.status, answer.body.code], [status, code], answer.text);
    if (message instanceof RegExp) assert.match(answer.body.message, message);
    else if (message) assert.equal(answer.body.message, message);
  };
  const recordOf = async (sessionId: string) => {
    const { recordId } = await talk.session(sessionId);
    return talk.expect(200, call('GET', `/crm/records/${recordId}`));
  };

  it('202 with exactly the session, whether it is new, the message and a word', async () => {
    const answer = await send({ sessionId: 'shape', content: ' Hi there ' });
    assert.equal(answer.status, 202);
    const { userMessage, message, ...rest } = answer.body;
    assert.deepEqual(rest, { sessionId: 'shape', isNewSession: true });
    assert.deepEqual(Object.keys(userMessage).sort(), ['content', 'id', 'role', 'timestamp']);
    assert.equal(userMessage.role, 'user');
    assert.equal(userMessage.content, ' Hi there ');
    assert.match(userMessage.id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.ok(Math.abs(Date.now() - userMessage.timestamp) < 60_000);
    assert.equal(typeof message, 'string');
    assert.equal((await send({ sessionId: 'shape' })).body.isNewSession, false);
  });

  it('a session id is made when none is given, another each time', async () => {
    const [one, two] = [await talk.accepted(), await talk.accepted()];
    assert.ok(one.sessionId && two.sessionId && one.sessionId !== two.sessionId);
    assert.equal(one.isNewSession, true);
  });

  it('echo: 200, stored as the customer’s and marked, no reply asked for', async () => {
    const sessionId = unique('echo');
    const answer = await send({ sessionId, isEcho: true, externalUserId: '+5511988887777' });
    assert.equal(answer.status, 200);
    assert.deepEqual(Object.keys(answer.body).sort(), [
      'isNewSession',
      'message',
      'sessionId',
      'userMessage',
    ]);
    const [message] = await talk.messages(sessionId);
    assert.deepEqual([message.role, message.isEcho], ['user', true]);
    assert.equal(await talk.count(sql`pending_replies where session_id = ${sessionId}`), 0);
    assert.equal((await talk.session(sessionId)).unread, 0);
    await refused({ isEcho: true }, 400, 'VALIDATION_FAILED', 'externalUserId is required');
  });

  it('400 content or attachments required: neither, empty, blank, no attachments', async () => {
    for (const body of [
      { content: undefined },
      { content: '' },
      { content: ' \n\t\u00a0 ' },
      { content: '', attachments: [] },
    ]) {
      await refused(body, 400, 'VALIDATION_FAILED', 'content or attachments required');
    }
  });

  it('400 that names the field, before anything is looked up', async () => {
    const wrong: [object, RegExp][] = [
      [{ fromChannelIdentifier: undefined }, /^fromChannelIdentifier is required/],
      [{ content: 7 }, /^content /],
      [{ content: 'a\0b' }, /^content /],
      [{ channelType: 'fax' }, /^channelType must be one of api, chatapp_byot/],
      [{ sessionId: '' }, /^sessionId /],
      [{ sessionId: 'x'.repeat(256) }, /^sessionId /],
      [{ externalUserId: '' }, /^externalUserId /],
      [{ externalUserId: 'x'.repeat(256) }, /^externalUserId /],
      [{ sessionName: '' }, /^sessionName /],
      [{ sessionName: 'x'.repeat(256) }, /^sessionName /],
      [{ isEcho: 'yes' }, /^isEcho /],
      [{ agentId: 5 }, /^agentId /],
      [
        { attachments: Array(11).fill({ fileKey: 'k', fileName: 'n', contentType: 'image/png', size: 1 }) },
        /^attachments /,
      ],
      [{ attachments: [{ fileKey: 'k' }] }, /^attachments/],
    ];
    for (const [body, message] of wrong) {
      await refused({ fromChannelIdentifier: 'nowhere', ...body }, 400, 'VALIDATION_FAILED', message);
    }
  });

  it('lengths are code points: 65,536 and 255 of them pass, one more is refused', async () => {
    const sessionId = '🦜'.repeat(255);
    const content = '🦜'.repeat(65_536);
    const accepted = await talk.accepted({
      sessionId,
      content,
      externalUserId: sessionId,
      sessionName: sessionId,
    });
    assert.equal(accepted.userMessage.content, content);
    assert.equal((await talk.session(sessionId)).sessionName, sessionId);
    await refused({ content: `${content}a` }, 400, 'VALIDATION_FAILED', /^content /);
    await refused({ sessionId: `${sessionId}a` }, 400, 'VALIDATION_FAILED', /^sessionId /);
  });

  it('the channel is found by identifier and type together; api when no type is given', async () => {
    for (const type of channelTypes) {
      const { identifier, id } = await talk.channel({ type });
      const { sessionId } = await talk.accepted({ fromChannelIdentifier: identifier, channelType: type });
      const { channelId, channelType } = await talk.session(sessionId);
      assert.deepEqual([channelId, channelType], [id, type]);
      for (const other of channelTypes.filter((one) => one !== type).slice(0, 2)) {
        const body = { fromChannelIdentifier: identifier, channelType: other };
        await refused(body, 404, 'NOT_FOUND', 'channel not found');
      }
      if (type !== 'api')
        await refused({ fromChannelIdentifier: identifier }, 404, 'NOT_FOUND', 'channel not found');
    }
    const other = await service.createAccount();
    const { identifier } = await talk.channel();
    const elsewhere = await send({ fromChannelIdentifier: identifier }, { token: other.token });
    assert.equal(elsewhere.status, 404, 'another account’s channel');
  });

  it('errors come in their order: form, channel, block, agent and kanban, allowed, other channel', async () => {
    const stranger = await talk.agent();
    const there = await talk.channel();
    const sessionId = unique('elsewhere');
    await talk.accepted({ sessionId, fromChannelIdentifier: there.identifier });
    await call('POST', '/blocked-contacts/blocked-one');
    const everything = {
      content: '',
      fromChannelIdentifier: 'nowhere',
      externalUserId: 'blocked-one',
      agentId: 'no-agent',
      kanbanId: 'no-kanban',
      sessionId,
    };
    await refused(everything, 400, 'VALIDATION_FAILED', 'content or attachments required');
    const formed = { ...everything, content: 'Hi' };
    await refused(formed, 404, 'NOT_FOUND', 'channel not found');
    const routed = { ...formed, fromChannelIdentifier: 'api' };
    const blocked = await send(routed);
    assert.equal(blocked.status, 403);
    assert.equal(blocked.body.error.code, 'CONTACT_BLOCKED');
    const free = { ...routed, externalUserId: 'free-one' };
    await refused(free, 404, 'NOT_FOUND', 'agent not found');
    const known = { ...free, agentId: stranger.id };
    await refused(known, 404, 'NOT_FOUND', 'kanban not found');
    const placed = { ...known, kanbanId: defaultKanban.id };
    await refused(placed, 400, 'AGENT_NOT_ALLOWED');
    await refused({ ...placed, agentId: undefined }, 409, 'CONFLICT');
    assert.equal((await talk.messages(sessionId)).length, 1, 'nothing was stored');
  });

  it('the record is titled by name, else customer, else session, and carries the channel’s id', async () => {
    const { items: channels } = (await call('GET', '/channels')).body;
    const api = channels.find((one: Json) => one.identifier === 'api');
    const named = await talk.accepted({ sessionName: '  Ada  ', externalUserId: 'ada@example.com' });
    const known = await talk.accepted({ externalUserId: 'ada@example.com' });
    const bare = await talk.accepted({ sessionId: unique('bare') });
    const [first, second, third] = await Promise.all(
      [named, known, bare].map((one) => recordOf(one.sessionId)),
    );
    assert.deepEqual([first.title, second.title, third.title], ['Ada', 'ada@example.com', bare.sessionId]);
    assert.equal(first.kanbanId, defaultKanban.id);
    assert.equal(first.status, defaultKanban.statuses[0].value);
    const found = await call('GET', `/crm/search?q=${encodeURIComponent(bare.sessionId)}`);
    assert.equal(found.body.items[0].channelId, api.id, 'found as soon as the 202 is answered');
    const [created] = await talk.events(first.recordId);
    assert.deepEqual([created.event, created.data.record.recordId], ['crm_record_created', first.recordId]);
  });

  it('bound fields get the customer’s identifier, by the channel’s type or name; what cannot hold it stays empty', async () => {
    const channel = await talk.channel({ type: 'sms', name: 'Text line' });
    const field = async (body: object) =>
      (
        await talk.expect(
          201,
          call('POST', '/crm/fields', { body: { boundToChannels: ['Text line'], ...body } }),
        )
      ).fieldId;
    const text = await field({ name: 'Caller', type: 'text' });
    const number = await field({ name: 'Number', type: 'number' });
    const { fields } = (await call('GET', '/crm/fields')).body;
    const phone = fields.find((one: Json) => one.name === 'Phone').fieldId;
    const email = fields.find((one: Json) => one.name === 'E-mail').fieldId;
    const base = { fromChannelIdentifier: channel.identifier, channelType: 'sms' };
    const caller = await recordOf(
      (await talk.accepted({ ...base, externalUserId: '+55 11 98888-7777' })).sessionId,
    );
    assert.deepEqual(caller.customFields, { [phone]: '+55 11 98888-7777', [text]: '+55 11 98888-7777' });
    const nobody = await recordOf((await talk.accepted(base)).sessionId);
    assert.deepEqual(nobody.customFields, {});
    const worded = await recordOf((await talk.accepted({ ...base, externalUserId: 'no phone' })).sessionId);
    assert.deepEqual(worded.customFields, { [text]: 'no phone' });
    assert.ok(number && email);
    for (const type of ['chatapp', 'chatapp_byot', 'chatapp_no', 'web']) {
      const other = await talk.channel({ type });
      const body = {
        fromChannelIdentifier: other.identifier,
        channelType: type,
        externalUserId: '+5511977776666',
      };
      const record = await recordOf((await talk.accepted(body)).sessionId);
      assert.equal(record.customFields[phone], type === 'web' ? undefined : '+5511977776666', type);
    }
  });

  it('a later name renames the session and not its record; the first customer stays', async () => {
    const sessionId = unique('rename');
    await talk.accepted({ sessionId, sessionName: 'Before', externalUserId: 'first' });
    await talk.accepted({ sessionId, sessionName: 'After', externalUserId: 'second' });
    const session = await talk.session(sessionId);
    assert.deepEqual([session.sessionName, session.externalUserId], ['After', 'first']);
    assert.equal((await recordOf(sessionId)).title, 'Before');
  });

  it('the same Idempotency-Key sends once, also at the same time', async () => {
    const sessionId = unique('once');
    const headers = { 'idempotency-key': sessionId };
    const answers = await Promise.all(Array.from({ length: 5 }, () => send({ sessionId }, { headers })));
    assert.deepEqual(new Set(answers.map((one) => `${one.status} ${one.text}`)).size, 1);
    assert.equal(answers.filter((one) => one.headers['idempotency-replayed'] === 'true').length, 4);
    assert.equal((await talk.messages(sessionId)).length, 1);
    assert.equal((await send({ sessionId, content: 'Other' }, { headers })).status, 422);
  });

  it('a board that is closed to an operator: neither named nor written into', async () => {
    const closed = await talk.kanban();
    const insider = await service.createUser('operator');
    const outsider = await service.createUser('operator');
    await talk.expect(200, call('PUT', `/kanbans/${closed.id}/members`, { body: { userIds: [insider.id] } }));
    const sessionId = unique('closed');
    await talk.accepted({ sessionId, kanbanId: closed.id });
    assert.equal((await send({ sessionId }, { token: insider.jwt })).status, 202);
    assert.equal((await send({ sessionId }, { token: outsider.jwt })).status, 404);
    assert.equal((await send({ kanbanId: closed.id }, { token: outsider.jwt })).status, 404);
    assert.equal((await talk.messages(sessionId)).length, 2);
  });

  it('follows what another process has changed since: with, without and in spite of what this one knew', async () => {
    const second = await service.startSecond();
    const sessionId = unique('stale');
    const sendThere = (body: object, headers: Record<string, string> = {}) =>
      second.call('POST', '/messages', {
        body: { content: 'Hello', fromChannelIdentifier: 'api', sessionId, ...body },
        headers,
      });
    const changeHere = (name: string) =>
      talk.expect(200, call('PATCH', `/kanbans/${defaultKanban.id}`, { body: { name } }));
    try {
      assert.equal((await sendThere({})).status, 202);
      // Refused by what it knows, and right by what is true.
      const { id } = await talk.expect(
        201,
        call('POST', '/kanbans', { body: { name: unique('New board') } }),
      );
      assert.equal((await sendThere({ kanbanId: id })).status, 202);
      assert.equal((await talk.session(sessionId)).kanbanId, id);
      // Nothing to refuse: the last statement finds out, and all of it is done again.
      await changeHere(unique('Renamed'));
      assert.equal((await sendThere({})).status, 202);
      await changeHere(unique('Renamed'));
      const key = { 'idempotency-key': unique('key') };
      const first = await sendThere({ content: 'Once' }, key);
      assert.equal(first.status, 202, first.text);
      assert.equal((await sendThere({ content: 'Once' }, key)).text, first.text);
      await changeHere(defaultKanban.name);
      const absent = '01890000-0000-7000-8000-000000000000';
      assert.equal((await sendThere({ kanbanId: absent })).status, 404);
      const said = (await talk.messages(sessionId)).filter((one) => one.role === 'user');
      assert.deepEqual(said.map((one) => one.content).sort(), ['Hello', 'Hello', 'Hello', 'Once']);
      assert.equal(await talk.count(sql`jobs where payload->>'sessionId' = ${sessionId}`), 1);
    } finally {
      await second.close();
    }
  });

  it('200 first messages at once: one session, one record, one new, 200 messages in one order', async () => {
    const sessionId = unique('flood');
    const second = await service.startSecond();
    try {
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, n) =>
          (n % 2 ? second.call : call)('POST', '/messages', {
            body: { content: `m${n}`, fromChannelIdentifier: 'api', sessionId },
          }),
        ),
      );
      assert.deepEqual([...new Set(answers.map((one) => (one.status === 202 ? 202 : one.text)))], [202]);
      assert.equal(answers.filter((one) => one.body.isNewSession).length, 1);
      const messages = await talk.messages(sessionId);
      assert.equal(new Set(messages.map((one) => one.content)).size, 200);
      assert.equal(messages.length, 200);
      assert.ok(
        messages.every((one, n) => n === 0 || messages[n - 1].timestamp <= one.timestamp),
        'times follow the order',
      );
      assert.equal(await talk.count(sql`sessions where session_id = ${sessionId}`), 1);
      assert.equal(await talk.count(sql`records where title = ${sessionId}`), 1);
      assert.equal(await talk.count(sql`pending_replies where session_id = ${sessionId}`), 200);
      assert.equal(await talk.count(sql`jobs where payload->>'sessionId' = ${sessionId}`), 1);
      assert.equal((await talk.session(sessionId)).unread, 200);
    } finally {
      await second.close();
    }
  });
});
