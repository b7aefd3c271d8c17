import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';

describe('teams', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];
  let operator: { id: string; jwt: string };
  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    ({ call } = service);
    operator = await service.createUser('operator');
  });
  after(() => service.close());

  const create = (body: object, token?: string) => call('POST', '/teams', { body, ...(token && { token }) });

  it('are created, read by operators, changed and deleted, each in the audit log', async () => {
    const team = await talk.expect(201, create({ name: '  Sales ', userIds: [operator.id] }));
    assert.equal(team.name, 'Sales');
    assert.deepEqual(team.userIds, [operator.id]);
    assert.deepEqual(
      (await talk.expect(200, call('GET', '/teams', { token: operator.jwt }))).items.map(
        (one: { id: string }) => one.id,
      ),
      [team.id],
    );
    assert.equal((await create({ name: 'Mine' }, operator.jwt)).status, 403);
    const path = `/teams/${team.id}`;
    const changed = await talk.expect(200, call('PATCH', path, { body: { name: 'Deals', userIds: [] } }));
    assert.deepEqual([changed.name, changed.userIds], ['Deals', []]);
    assert.deepEqual((await call('GET', path)).body, changed);
    await talk.expect(200, call('DELETE', path));
    assert.equal((await call('GET', path)).status, 404);
    const log = await talk.expect(
      200,
      call('GET', '/audit-log?targetType=team', { token: service.admin.jwt }),
    );
    assert.deepEqual(
      log.items.map((one: { action: string }) => one.action),
      ['team.deleted', 'team.updated', 'team.created'],
    );
  });

  it('have unique names and members of the account', async () => {
    await talk.expect(201, create({ name: 'Support' }));
    const taken = await create({ name: 'support' });
    assert.deepEqual([taken.status, taken.body.message], [409, 'name is already in use']);
    const blank = await create({ name: '  ' });
    assert.deepEqual([blank.status, blank.body.message], [400, 'name is required']);
    const other = await service.createAccount();
    const me = (await call('GET', '/auth/me', { token: other.jwt })).body.user.id;
    const stranger = await create({ name: 'Strangers', userIds: [me] });
    assert.deepEqual([stranger.status, stranger.body.message], [400, `userIds has an unknown user: ${me}`]);
  });

  it('a deleted team is gone from its conversations and channels', async () => {
    const team = await talk.expect(201, create({ name: 'Short-lived' }));
    const channel = await talk.channel({ assignment: { mode: 'least_busy', teamId: team.id } });
    const sessionId = unique('teamed');
    await talk.accepted({ sessionId });
    const assign = (teamId: string | null) => call('PATCH', `/sessions/${sessionId}`, { body: { teamId } });
    assert.equal((await assign(team.id)).body.teamId, team.id);
    const unknown = await assign(operator.id);
    assert.deepEqual(
      [unknown.status, unknown.body.message],
      [400, `teamId has an unknown team: ${operator.id}`],
    );
    assert.equal((await assign('')).status, 400);
    await talk.expect(200, call('DELETE', `/teams/${team.id}`));
    assert.equal((await talk.session(sessionId)).teamId, null);
    const after = await talk.expect(200, call('GET', `/channels/${channel.id}`));
    assert.deepEqual(after.assignment, { mode: 'least_busy', teamId: null });
    const refused = await call('PATCH', `/channels/${channel.id}`, {
      body: { assignment: { teamId: team.id } },
    });
    assert.deepEqual(
      [refused.status, refused.body.message],
      [400, `assignment.teamId has an unknown team: ${team.id}`],
    );
  });
});
