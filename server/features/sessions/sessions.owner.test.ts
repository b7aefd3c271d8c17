import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';

describe('the owner of a conversation', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];
  let ana: { id: string; jwt: string };
  before(async () => {
    service = await joinTestService({ worker: true });
    talk = conversationsOf(service);
    ({ call } = service);
    ana = await service.createUser('operator');
  });
  after(() => service.close());

  const begin = async (body: object = {}) => {
    const sessionId = unique('owned');
    await talk.accepted({ sessionId, sessionName: 'Ada', ...body });
    await talk.settled(sessionId);
    return sessionId;
  };
  const assign = (sessionId: string, assignedUserId: string | null, token = service.admin.jwt) =>
    call('PATCH', `/sessions/${sessionId}`, { body: { assignedUserId }, token });
  const ownerOf = async (sessionId: string) => (await talk.session(sessionId)).assignedUserId;
  const historyOf = async (sessionId: string): Promise<Json[]> =>
    (await talk.events(sessionId))
      .filter((one) => one.event === 'session_updated')
      .map(({ data }) => [data.changes[0].newValue, data.changedBy]);
  const closedBoard = async () => {
    const board = await talk.kanban();
    const body = { userIds: [service.admin.userId] };
    await talk.expect(200, call('PUT', `/kanbans/${board.id}/members`, { body }));
    return board.id as string;
  };

  it('may see its board; a 400 says so otherwise', async () => {
    const sessionId = await begin({ kanbanId: await closedBoard() });
    const refused = await assign(sessionId, ana.id);
    assert.equal(refused.status, 400);
    assert.equal(refused.body.message, `assignedUserId has someone who cannot see this board: ${ana.id}`);
    assert.equal((await assign(sessionId, service.admin.userId)).status, 200);
  });

  it('loses it with a move to a board that is closed to them', async () => {
    const sessionId = await begin();
    await assign(sessionId, ana.id);
    const transfer = (kanbanId: string) =>
      talk.expect(200, call('POST', `/sessions/${sessionId}/transfer`, { body: { kanbanId } }));
    await transfer((await talk.kanban()).id);
    assert.equal(await ownerOf(sessionId), ana.id);
    await transfer(await closedBoard());
    assert.equal(await ownerOf(sessionId), null);
    assert.deepEqual((await historyOf(sessionId)).at(-1)?.[0], null);
  });

  it('loses it when the board is closed to them later', async () => {
    const board = await talk.kanban();
    const sessionId = await begin({ kanbanId: board.id });
    await assign(sessionId, ana.id);
    const body = { userIds: [service.admin.userId] };
    await talk.expect(200, call('PUT', `/kanbans/${board.id}/members`, { body }));
    await eventually(async () => (await ownerOf(sessionId)) === null);
    assert.deepEqual((await historyOf(sessionId)).at(-1), [null, 'system']);
  });

  it('a removed user owns nothing, with an entry in the history', async () => {
    const user = await service.createUser('operator');
    const [open, resolved] = [await begin(), await begin()];
    for (const id of [open, resolved]) await assign(id, user.id);
    await call('PATCH', `/sessions/${resolved}`, { body: { status: 'resolved' } });
    await talk.expect(200, call('DELETE', `/users/${user.id}`, { token: service.admin.jwt }));
    assert.equal(await ownerOf(open), null);
    assert.equal(await ownerOf(resolved), null);
    assert.deepEqual((await historyOf(open)).at(-1), [null, service.admin.userId]);
  });

  it('whoever takes over owns it from then on, unless somebody does already', async () => {
    const bob = await service.createUser('operator');
    const [paused, replied, owned] = [await begin(), await begin(), await begin()];
    const pause = (sessionId: string, aiPaused: boolean, token: string) =>
      talk.expect(200, call('PATCH', `/sessions/${sessionId}/ai-paused`, { body: { aiPaused }, token }));
    await pause(paused, true, ana.jwt);
    assert.equal(await ownerOf(paused), ana.id);
    await pause(paused, false, bob.jwt);
    assert.equal(await ownerOf(paused), ana.id);
    const { channelId } = await talk.session(replied);
    const path = `/channels/${channelId}/sessions/${replied}/agent-messages`;
    await talk.expect(201, call('POST', path, { body: { content: 'One moment' }, token: ana.jwt }));
    assert.equal(await ownerOf(replied), null);
    await talk.expect(
      201,
      call('POST', path, { body: { content: 'It is me', pauseAi: true }, token: ana.jwt }),
    );
    assert.equal(await ownerOf(replied), ana.id);
    await assign(owned, bob.id);
    await pause(owned, true, ana.jwt);
    assert.equal(await ownerOf(owned), bob.id);
    // A token is not a person.
    const byToken = await begin();
    await talk.pause(byToken);
    assert.equal(await ownerOf(byToken), null);
    await pause(byToken, true, ana.jwt);
    assert.equal(await ownerOf(byToken), ana.id);
  });

  it('hears of it, unless they assigned it to themselves', async () => {
    const about = async (sessionId: string): Promise<Json[]> =>
      (await call('GET', '/notifications?limit=100', { token: ana.jwt })).body.items.filter(
        (one: Json) => one.kind === 'assigned' && one.sessionId === sessionId,
      );
    const [own, given] = [await begin(), await begin()];
    await assign(own, ana.id, ana.jwt);
    await assign(given, ana.id);
    await eventually(async () => (await about(given)).length > 0);
    const [{ title, body }] = (await about(given)) as [Json];
    const name = (await call('GET', '/auth/me', { token: service.admin.jwt })).body.user.name;
    assert.deepEqual({ title, body }, { title: `${name} · Ada`, body: 'Assigned this conversation to you.' });
    assert.deepEqual(await about(own), []);
  });

  it('counts: all, mine, unassigned and by team, of what the caller may see', async () => {
    const other = await service.createAccount();
    const counts = (token: string) => talk.expect(200, call('GET', '/sessions/counts', { token }));
    assert.deepEqual(await counts(other.token), { all: 0, mine: 0, unassigned: 0, snoozed: 0, teams: [] });
    const bob = await service.createUser('operator');
    const before = await counts(bob.jwt);
    const team = await talk.expect(201, call('POST', '/teams', { body: { name: 'Counted' } }));
    const [mine, teamed, snoozed] = [await begin(), await begin(), await begin()];
    await begin({ kanbanId: await closedBoard() });
    await assign(mine, bob.id);
    await call('PATCH', `/sessions/${teamed}`, { body: { teamId: team.id } });
    await call('PATCH', `/sessions/${snoozed}`, { body: { status: 'snoozed' } });
    assert.deepEqual(await counts(bob.jwt), {
      all: before.all + 2,
      mine: 1,
      unassigned: before.unassigned + 1,
      snoozed: before.snoozed + 1,
      teams: [{ teamId: team.id, count: 1 }],
    });
    const admins = await counts(service.admin.jwt);
    assert.ok(admins.all > before.all + 2);
  });
});
