import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { notificationTopics } from '../../../contract/notifications.ts';
import type { NotificationSettings } from '../../../contract/realtime.ts';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { connectLive, listen } from '../../../test/support/live.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { isQuiet, waysFor } from './realtime.settings.ts';

const at = (text: string) => Date.parse(`2026-07-01T${text}:00Z`);
const hours = (from: string, to: string, timeZone = 'UTC') => ({ enabled: true, from, to, timeZone });

describe('quiet hours', () => {
  it('hold from their first minute to before their last, over midnight too', () => {
    const day = hours('12:00', '13:30');
    assert.deepEqual(
      ['11:59', '12:00', '13:29', '13:30'].map((time) => isQuiet(day, at(time))),
      [false, true, true, false],
    );
    const night = hours('20:00', '08:00');
    assert.deepEqual(
      ['19:59', '20:00', '00:00', '07:59', '08:00'].map((time) => isQuiet(night, at(time))),
      [false, true, true, true, false],
    );
    assert.ok(isQuiet(hours('09:00', '09:00'), at('03:00')), 'both the same: all day');
    assert.ok(!isQuiet({ ...night, enabled: false }, at('23:00')));
  });

  it('are those of the person’s time zone', () => {
    // In July São Paulo is three hours behind.
    assert.ok(isQuiet(hours('20:00', '08:00', 'America/Sao_Paulo'), at('23:30')));
    assert.ok(!isQuiet(hours('20:00', '08:00', 'America/Sao_Paulo'), at('22:30')));
  });

  it('silence push and sound, and leave the list', () => {
    const stored = { quietHours: hours('20:00', '08:00') };
    assert.deepEqual(waysFor(stored, 'mention', at('21:00')), { page: true, push: false, sound: false });
    assert.deepEqual(waysFor(stored, 'mention', at('12:00')), { page: true, push: true, sound: true });
  });
});

describe('notification settings', () => {
  let service: TestService;
  let talk: Conversations;
  let url: string;
  before(async () => {
    service = await joinTestService({ worker: true });
    talk = conversationsOf(service);
    url = await listen(service.app);
  });
  after(() => service.close());

  const settings = (jwt: string): Promise<NotificationSettings> =>
    talk.expect(200, service.call('GET', '/notifications/settings', { token: jwt })) as never;
  const change = (jwt: string, body: object) =>
    service.call('PATCH', '/notifications/settings', { token: jwt, body });
  const of = async (jwt: string, sessionId: string): Promise<Json[]> =>
    (await talk.expect(200, service.call('GET', '/notifications?limit=100', { token: jwt }))).items.filter(
      (one: Json) => one.sessionId === sessionId,
    );
  const considered = () =>
    eventually(async () => {
      const [row] = await service.context.db.query<{ done: boolean }>(sql`
        select not exists (select from live_changes) and s.position = n.position as done
        from live_state s, live_notified n`);
      return row?.done === true;
    });
  /** A conversation that waits for a person. */
  const waiting = async () => {
    const sessionId = unique('settings');
    await talk.accepted({ sessionId, sessionName: 'Ada' });
    await talk.settled(sessionId);
    await talk.pause(sessionId);
    await considered();
    return sessionId;
  };

  it('begin with defaults, are changed by parts, and are each person’s own', async () => {
    const [one, other] = [await service.createUser('operator'), await service.createUser('operator')];
    const before = await settings(one.jwt);
    assert.deepEqual(Object.keys(before.topics).sort(), [...notificationTopics].sort());
    const answer = await change(one.jwt, {
      topics: { mention: { push: false } },
      quietHours: { enabled: true, timeZone: 'Europe/Lisbon' },
    });
    assert.equal(answer.status, 200, answer.text);
    const after = await settings(one.jwt);
    assert.deepEqual(after, answer.body);
    assert.deepEqual(after.topics.mention, { ...before.topics.mention, push: false });
    assert.deepEqual(after.topics.handover, before.topics.handover);
    assert.deepEqual(after.quietHours, { ...before.quietHours, enabled: true, timeZone: 'Europe/Lisbon' });
    assert.deepEqual(await settings(other.jwt), before);
  });

  it('changes of different parts at the same time all stay', async () => {
    const { jwt } = await service.createUser('operator');
    const before = await settings(jwt);
    const answers = await Promise.all(
      notificationTopics.map((topic) =>
        change(jwt, { topics: { [topic]: { sound: !before.topics[topic].sound } } }),
      ),
    );
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    const after = await settings(jwt);
    for (const topic of notificationTopics) {
      assert.equal(after.topics[topic].sound, !before.topics[topic].sound, topic);
    }
  });

  it('400 for a time or a time zone that there is not', async () => {
    const { jwt } = await service.createUser('operator');
    for (const quietHours of [{ from: '25:00' }, { to: '8:00' }, { timeZone: 'Mars/Olympus' }]) {
      assert.equal((await change(jwt, { quietHours })).status, 400, JSON.stringify(quietHours));
    }
  });

  it('what is wanted neither in the page nor by push is not made; what is wanted by push alone is not listed', async () => {
    const [none, pushed, usual] = await Promise.all([1, 2, 3].map(() => service.createUser('operator')));
    await change(none!.jwt, { topics: { message_waiting: { page: false, push: false } } });
    await change(pushed!.jwt, { topics: { message_waiting: { page: false, push: true } } });
    const sessionId = await waiting();
    await talk.accepted({ sessionId });
    await considered();
    assert.equal((await of(usual!.jwt, sessionId)).length, 1);
    assert.equal((await of(none!.jwt, sessionId)).length, 0);
    assert.equal((await of(pushed!.jwt, sessionId)).length, 0);
    const list = await talk.expect(200, service.call('GET', '/notifications', { token: pushed!.jwt }));
    assert.equal(list.unread, 0);
    const rows = await service.context.db.query<{ user_id: string }>(
      sql`select user_id from notifications where subject_id = ${sessionId}`,
    );
    const told = rows.map((row) => row.user_id);
    assert.ok(told.includes(pushed!.id) && !told.includes(none!.id));
  });

  it('users who want every message are also notified of those that the AI answers', async () => {
    const [curious, usual] = [await service.createUser('operator'), await service.createUser('operator')];
    await change(curious.jwt, { topics: { message_any: { page: true } } });
    const sessionId = unique('any');
    await talk.accepted({ sessionId, content: 'Just looking' });
    await talk.settled(sessionId);
    await considered();
    assert.equal((await of(curious.jwt, sessionId))[0]?.body, 'Just looking');
    assert.deepEqual(await of(usual.jwt, sessionId), []);
    await change(curious.jwt, { topics: { message_any: { page: false } } });
    const next = unique('any');
    await talk.accepted({ sessionId: next });
    await considered();
    assert.deepEqual(await of(curious.jwt, next), []);
  });

  it('a mention reaches its person once, live, and nobody else', async () => {
    const [ana, rui] = [await service.createUser('operator'), await service.createUser('operator')];
    const sessionId = await waiting();
    const { channelId } = await talk.session(sessionId);
    const client = await connectLive(url, service.call, ana.jwt);
    try {
      const path = `/channels/${channelId}/sessions/${sessionId}`;
      const note = await talk.expect(
        201,
        service.call('POST', `${path}/agent-messages`, {
          token: rui.jwt,
          body: { content: 'Can you look at this?', isNote: true, mentionedUserIds: [ana.id, rui.id] },
        }),
      );
      const { notification } = await client.next('notification.updated');
      assert.equal(notification.kind, 'mention');
      assert.equal(notification.sessionId, sessionId);
      assert.equal(notification.body, 'Can you look at this?');
      assert.match(notification.title, /Ada$/);
      assert.equal(notification.sound, true);
      // Sent again: users who have been notified are not notified again.
      await talk.expect(
        200,
        service.call('PATCH', `${path}/notes/${note.messageId}`, {
          token: rui.jwt,
          body: { content: 'Please look', mentionedUserIds: [ana.id, service.admin.userId] },
        }),
      );
      await considered();
      assert.equal((await of(ana.jwt, sessionId)).find((one) => one.kind === 'mention')?.count, 1);
      assert.deepEqual(await of(rui.jwt, sessionId), [], 'who names themselves needs no word of it');
      assert.deepEqual(
        (await of(service.admin.jwt, sessionId)).map(({ kind, body }) => ({ kind, body })),
        [{ kind: 'mention', body: 'Please look' }],
      );
    } finally {
      await client.end();
    }
  });

  it('a mention that is added to another person’s note is told in the name of who added it', async () => {
    const [author, editor] = [await service.createUser('operator'), await service.createUser('operator')];
    const named = await service.createUser('operator');
    const sessionId = await waiting();
    const { channelId } = await talk.session(sessionId);
    const path = `/channels/${channelId}/sessions/${sessionId}`;
    const note = await talk.expect(
      201,
      service.call('POST', `${path}/agent-messages`, {
        token: author.jwt,
        body: { content: 'Wants two', isNote: true },
      }),
    );
    const edit = (token: string, mentionedUserIds: string[]) =>
      talk.expect(
        200,
        service.call('PATCH', `${path}/notes/${note.messageId}`, { token, body: { mentionedUserIds } }),
      );
    const { user } = await talk.expect(200, service.call('GET', '/auth/me', { token: editor.jwt }));
    const addedBy = { id: editor.id, name: user.name };
    const edited = await edit(editor.jwt, [named.id, author.id, editor.id]);
    assert.deepEqual(
      edited.mentions.map((one: { addedBy?: unknown }) => one.addedBy),
      [addedBy, addedBy, addedBy],
    );
    assert.equal(edited.operator.id, author.id);
    // The author's next edit does not repeat mentions of others.
    assert.deepEqual((await edit(author.jwt, [named.id, author.id])).mentions[0].addedBy, addedBy);
    await considered();
    const titles = async (jwt: string) =>
      (await of(jwt, sessionId)).filter(({ kind }) => kind === 'mention').map(({ title }) => title);
    assert.deepEqual(await titles(named.jwt), [`${addedBy.name} · Ada`]);
    assert.deepEqual(await titles(author.jwt), [`${addedBy.name} · Ada`], 'the author is told like anyone');
    assert.deepEqual(await titles(editor.jwt), []);
  });

  it('everyone is notified that someone was blocked or unblocked, but not who', async () => {
    const { jwt } = await service.createUser('operator');
    const client = await connectLive(url, service.call, jwt);
    try {
      await talk.expect(201, service.call('POST', '/blocked-contacts/+351910000001', { body: {} }));
      assert.deepEqual(await client.next('contacts.updated'), { blocked: null });
      await talk.expect(200, service.call('DELETE', '/blocked-contacts/+351910000001'));
      await eventually(() => client.of('contacts.updated').length === 2);
    } finally {
      await client.end();
    }
  });
});
