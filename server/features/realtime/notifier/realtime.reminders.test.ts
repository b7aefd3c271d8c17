import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createKanban, createRecord } from '../../../../test/support/crm.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';
import { startWorker, type Worker } from '../../../worker.ts';

describe('notifications of tasks and comments', () => {
  let service: TestService;
  let call: TestService['call'];
  let otherWorker: Worker;
  let kanbanId: string;
  let ana: { id: string; jwt: string };
  before(async () => {
    service = await joinTestService({ worker: true });
    // Two workers on one database: everything must be made once.
    otherWorker = await startWorker({ ...service.context, db: { ...service.context.db } });
    ({ call } = service);
    kanbanId = (await createKanban(service)).id;
    ana = await service.createUser('operator');
  });
  after(async () => {
    await otherWorker?.stop();
    await service?.close();
  });

  const add = async (body: object, token = service.admin.jwt): Promise<Json> => {
    const { recordId } = await createRecord(service, kanbanId);
    const answer = await call('POST', `/crm/records/${recordId}/tasks`, {
      token,
      body: { title: 'Call', ...body },
    });
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const of = async (jwt: string, recordId: string): Promise<Json[]> =>
    (await call('GET', '/notifications?limit=100', { token: jwt })).body.items.filter(
      (one: Json) => one.recordId === recordId,
    );
  /** `claimed`: as a worker leaves it that died after its claim. */
  const makeDue = async (taskId: string, claimed = false) => {
    const token = claimed ? crypto.randomUUID() : null;
    await service.context.db.transaction((tx) =>
      tx.query(sql`update jobs set run_at = now(), attempts = ${claimed ? 1 : 0}, lease_token = ${token}::uuid,
        lease_until = now() where kind = 'task-reminder' and payload ->> 'taskId' = ${taskId}`),
    );
  };
  const jobsLeft = async () => {
    const [row] = await service.context.db.query<{ count: number }>(
      sql`select count(*)::int as count from jobs where kind = 'task-reminder'
        and (run_at < now() + interval '1 minute' or lease_token is not null)`,
    );
    return row!.count;
  };
  const considered = () =>
    eventually(async () => {
      const [row] = await service.context.db.query<{ done: boolean }>(sql`
        select not exists (select from live_changes) and s.position = n.position as done
        from live_state s, live_notified n`);
      return row?.done === true;
    });

  it('reminds the assigned user once, also after a worker died with the job', async () => {
    const remindAt = Date.now() + 3_600_000;
    const tasks = await Promise.all(
      [false, true].map((claimed) =>
        add({ remindAt, assignedUserId: ana.id }, ana.jwt).then(async (task) => {
          await makeDue(task.taskId, claimed);
          return task;
        }),
      ),
    );
    await eventually(async () => (await jobsLeft()) === 0);
    for (const { recordId } of tasks) {
      const found = await of(ana.jwt, recordId);
      assert.deepEqual(
        found.map(({ kind, title, body, count, sessionId }) => ({ kind, title, body, count, sessionId })),
        [{ kind: 'task_reminder', title: 'Call', body: 'Ada', count: 1, sessionId: null }],
      );
      assert.deepEqual(await of(service.admin.jwt, recordId), []);
    }
  });

  it('reminds the creator without an assignee, and the owners of the record if a token created it', async () => {
    const remindAt = Date.now() + 3_600_000;
    const own = await add({ remindAt }, ana.jwt);
    const ofToken = await add({ remindAt }, service.token);
    await call('PUT', `/crm/records/${ofToken.recordId}`, { body: { assignedUserIds: [ana.id] } });
    await makeDue(own.taskId);
    await makeDue(ofToken.taskId);
    await eventually(async () => (await jobsLeft()) === 0);
    for (const { recordId } of [own, ofToken]) assert.equal((await of(ana.jwt, recordId)).length, 1);
  });

  it('does not remind by a job that was running when the reminder moved', async () => {
    const task = await add({ remindAt: Date.now() + 3_600_000 }, ana.jwt);
    // A change leaves a running job alone, so the job of the earlier time remains.
    await service.context.db.transaction((tx) =>
      tx.query(sql`update tasks set remind_at = remind_at + 1 where id = ${task.taskId}`),
    );
    await makeDue(task.taskId);
    await eventually(async () => (await jobsLeft()) === 0);
    assert.deepEqual(await of(ana.jwt, task.recordId), []);
  });

  it('tells a user who assigned a task to them, not those who assign one to themselves', async () => {
    const task = await add({ assignedUserId: ana.id });
    const own = await add({ assignedUserId: ana.id }, ana.jwt);
    await eventually(async () => (await of(ana.jwt, task.recordId)).length > 0);
    const [{ kind, title, body }] = (await of(ana.jwt, task.recordId)) as [Json];
    assert.deepEqual([kind, title], ['task_assigned', 'Call']);
    assert.match(body, / · Ada$/);
    await considered();
    assert.deepEqual(await of(ana.jwt, own.recordId), []);
  });

  it('a mention in a comment notifies once, by the settings of mentions; reading the record marks it', async () => {
    const { recordId } = await createRecord(service, kanbanId);
    const comment = (
      await call('POST', `/crm/records/${recordId}/comments`, {
        token: service.admin.jwt,
        body: { content: 'Look,  please', mentionedUserIds: [ana.id, service.admin.userId] },
      })
    ).body;
    await eventually(async () => (await of(ana.jwt, recordId)).length > 0);
    await call('PATCH', `/comments/${comment.commentId}`, {
      token: service.admin.jwt,
      body: { content: 'Look again' },
    });
    await considered();
    const [one, ...more] = await of(ana.jwt, recordId);
    assert.deepEqual([one.kind, one.body, one.count, more.length], ['comment_mention', 'Look, please', 1, 0]);
    assert.deepEqual(await of(service.admin.jwt, recordId), []);
    await call('POST', '/notifications/read', { token: ana.jwt, body: { recordId } });
    assert.notEqual((await of(ana.jwt, recordId))[0].readAt, null);
    const off = { page: false, push: false, sound: false };
    await call('PATCH', '/notifications/settings', { token: ana.jwt, body: { topics: { mention: off } } });
    const quiet = await createRecord(service, kanbanId);
    await call('POST', `/crm/records/${quiet.recordId}/comments`, {
      body: { content: 'x', mentionedUserIds: [ana.id] },
    });
    await considered();
    assert.deepEqual(await of(ana.jwt, quiet.recordId), []);
  });
});
