import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';

describe('the status and the owner of a conversation', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];

  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    ({ call } = service);
  });
  after(() => service.close());

  const begin = async () => {
    const sessionId = unique('life');
    await talk.accepted({ sessionId });
    return sessionId;
  };
  const patch = (sessionId: string, body: object, token?: string) =>
    call('PATCH', `/sessions/${encodeURIComponent(sessionId)}`, { body, ...(token && { token }) });
  const idsOf = async (query: string, token?: string): Promise<string[]> =>
    (await talk.expect(200, call('GET', `/sessions?${query}`, token ? { token } : {}))).items.map(
      (one: Json) => one.sessionId,
    );
  const eventsOf = async (sessionId: string): Promise<Json[]> =>
    (
      await service.context.db.query<{ body: string }>(sql`
        select body from events where subject_id = ${sessionId} and event = 'session_updated' order by sequence`)
    ).map(({ body }) => JSON.parse(body).data);

  it('is resolved by a person, which marks it as read and handled', async () => {
    const sessionId = await begin();
    const user = await service.createUser('operator');
    const { status, body } = await patch(sessionId, { status: 'resolved' }, user.jwt);
    assert.equal(status, 200);
    assert.equal(body.status, 'resolved');
    assert.equal(body.unread, 0);
    assert.equal(body.needsAttention, false);
    assert.ok(body.statusChangedAt >= body.createdAt);
    assert.deepEqual(body.statusChangedBy.id, user.id);
    assert.deepEqual(body.statusChangedBy.type, 'user');
  });

  it('opens again when the customer writes, not by an echo', async () => {
    const sessionId = await begin();
    await patch(sessionId, { status: 'resolved' });
    await talk.send({ sessionId, isEcho: true, externalUserId: '+4917012345' });
    assert.equal((await talk.session(sessionId)).status, 'resolved');
    await talk.accepted({ sessionId });
    const session = await talk.session(sessionId);
    assert.equal(session.status, 'open');
    assert.deepEqual(session.statusChangedBy, { type: 'customer', id: null, name: null });
    const events = await eventsOf(sessionId);
    assert.deepEqual(
      events.map(({ changes, changedBy }) => [changes[0].newValue, changedBy === 'customer']),
      [
        ['resolved', false],
        ['open', true],
      ],
    );
  });

  it('opens in a batch of messages like the others', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, begin));
    await Promise.all(ids.slice(0, 4).map((id) => patch(id, { status: 'resolved' })));
    await Promise.all(ids.map((sessionId) => talk.accepted({ sessionId })));
    for (const id of ids) assert.equal((await talk.session(id)).status, 'open');
  });

  it('is snoozed until a time or until the customer writes', async () => {
    const sessionId = await begin();
    const until = Date.now() + 3_600_000;
    assert.equal(
      (await patch(sessionId, { status: 'snoozed', snoozedUntil: until })).body.snoozedUntil,
      until,
    );
    assert.equal((await patch(sessionId, { snoozedUntil: until + 1 })).body.snoozedUntil, until + 1);
    assert.equal((await patch(sessionId, { status: 'snoozed' })).body.snoozedUntil, null);
    assert.equal((await patch(sessionId, { status: 'open' })).body.status, 'open');
    const refused = [
      [{ snoozedUntil: until }, 'snoozedUntil requires status snoozed'],
      [{ status: 'open', snoozedUntil: until }, 'snoozedUntil requires status snoozed'],
      [{ status: 'snoozed', snoozedUntil: 1 }, 'snoozedUntil must be in the future'],
    ] as const;
    for (const [body, message] of refused) {
      const answer = await patch(sessionId, body);
      assert.equal(answer.status, 400);
      assert.equal(answer.body.message, message);
    }
    assert.equal((await talk.session(sessionId)).status, 'open');
  });

  it('has an owner, who is a user of the account', async () => {
    const sessionId = await begin();
    const user = await service.createUser('operator');
    assert.equal((await patch(sessionId, { assignedUserId: user.id })).body.assignedUserId, user.id);
    const unknown = await patch(sessionId, { assignedUserId: service.admin.accountId });
    assert.equal(unknown.status, 400);
    assert.match(unknown.body.message, /^assignedUserId has an unknown user/);
    assert.deepEqual(await idsOf('assignedUserId=me', user.jwt), [sessionId]);
    assert.deepEqual(await idsOf(`assignedUserId=${user.id}`), [sessionId]);
    assert.ok(!(await idsOf('assignedUserId=none&limit=100')).includes(sessionId));
    await patch(sessionId, { assignedUserId: null });
    assert.ok((await idsOf('assignedUserId=none&limit=100')).includes(sessionId));
  });

  it('is listed by status; an unknown status is an error', async () => {
    const [open, resolved, snoozed] = [await begin(), await begin(), await begin()];
    await patch(resolved, { status: 'resolved' });
    await patch(snoozed, { status: 'snoozed' });
    const ours = (ids: string[]) => ids.filter((id) => [open, resolved, snoozed].includes(id)).sort();
    assert.deepEqual(ours(await idsOf('status=open&limit=100')), [open]);
    assert.deepEqual(ours(await idsOf('status=snoozed&limit=100')), [snoozed]);
    assert.deepEqual(ours(await idsOf('status=resolved,snoozed&limit=100')), [resolved, snoozed].sort());
    const answer = await call('GET', '/sessions?status=closed');
    assert.equal(answer.status, 400);
    assert.equal(answer.body.message, 'status must be one of open, snoozed, resolved');
  });

  it('a change that changes nothing writes no event', async () => {
    const sessionId = await begin();
    await patch(sessionId, { status: 'open' });
    assert.deepEqual(await eventsOf(sessionId), []);
  });
});
