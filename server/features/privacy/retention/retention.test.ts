import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../../test/support/conversations.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { filesOf } from '../../../../test/support/files.ts';
import { type Json, startTestService, type TestService } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';
import { newId } from '../../../platform/ids.ts';
import { startJobs } from '../../../platform/jobs/jobs.ts';
import { blobKey } from '../../attachments/attachments.keys.ts';
import { retentionHandler } from './retention.jobs.ts';
import { enqueueDueRetention, retentionJobKind } from './retention.ts';

describe('retention', () => {
  let service: TestService;
  let second: Awaited<ReturnType<TestService['startSecond']>>;
  let talk: Conversations;
  let call: TestService['call'];
  let files: Awaited<ReturnType<typeof filesOf>>;
  before(async () => {
    service = await startTestService();
    second = await service.startSecond();
    talk = conversationsOf(service);
    ({ call } = service);
    files = await filesOf(service);
  });
  after(async () => {
    await second.close();
    await service.close();
  });

  /** As if it had been stored in 2015. */
  const age = async (id: string) => {
    const { db } = service.context;
    const old = `0150${id.slice(4)}`;
    await db.transaction(async (tx) => {
      await tx.query(sql`update messages set id = ${old}, created_at = 1 where id = ${id}`);
      await tx.query(sql`update events set created_at = 1 where body like ${`%${id}%`}`);
    });
    return old;
  };
  const say = async (sessionId: string, content: string, body: object = {}): Promise<string> =>
    (await talk.accepted({ sessionId, content, ...body })).userMessage.id;
  const change = (body: object) => talk.expect(200, call('PATCH', '/account/retention', { body }));
  const preview = (body: object) => talk.expect(200, call('POST', '/account/retention/preview', { body }));
  const run = async () => {
    const { db, logger } = service.context;
    const handlers = { [retentionJobKind]: retentionHandler(service.context) };
    const jobs = startJobs({ db, logger, handlers });
    try {
      await eventually(
        async () => (await db.query(sql`select from jobs where kind = ${retentionJobKind}`)).length === 0,
        60_000,
      );
    } finally {
      await jobs.stop();
    }
    return talk.expect(200, call('GET', '/account/retention'));
  };
  const found = async (q: string, via = call) =>
    (await talk.expect(200, via('GET', `/messages/search?q=${q}`))).total;

  it('keeps everything but events at first, and tells what each setting would remove', async () => {
    const { lastRunAt, removed, ...settings } = await talk.expect(200, call('GET', '/account/retention'));
    assert.deepEqual([lastRunAt, removed], [null, {}]);
    assert.deepEqual(settings, {
      messageDays: null,
      fileDays: null,
      eventDays: 30,
      auditDays: null,
      replyLogDays: null,
    });
    const counts = await preview({ messageDays: 7 });
    assert.deepEqual([counts.messages, counts.conversations, counts.countedUpTo], [0, 0, 100_000]);
  });

  it('400 for fewer days than the minimum, more than the maximum, or no whole number', async () => {
    for (const body of [
      { messageDays: 6 },
      { fileDays: 3_651 },
      { auditDays: 89 },
      { eventDays: null },
      { eventDays: 0 },
      { replyLogDays: 7.5 },
      { messageDays: '30' },
    ]) {
      assert.equal((await call('PATCH', '/account/retention', { body })).status, 400, JSON.stringify(body));
      assert.equal((await call('POST', '/account/retention/preview', { body })).status, 400);
    }
  });

  it('removes old messages, their conversation with the last one, and corrects what counted them', async () => {
    const [old, mixed] = [unique('old'), unique('mixed')];
    await age(await say(old, 'pomelo alone'));
    for (const text of ['pomelo one', 'pomelo two']) await age(await say(mixed, text));
    await say(mixed, 'pomelo three');
    await talk.pause(mixed);
    await service.context.db.autocommit(sql`update sessions set unread = 3 where session_id = ${mixed}`);
    // Both processes have an index from before.
    for (const via of [call, second.call]) assert.equal(await found('pomelo', via), 4);
    const counts = await preview({ messageDays: 7 });
    assert.deepEqual([counts.messages, counts.conversations], [3, 1]);
    await change({ messageDays: 7 });
    const { removed, lastRunAt } = await run();
    assert.deepEqual([removed.messages, removed.conversations], [3, 1]);
    assert.ok(lastRunAt > 0);
    await talk.expect(404, call('GET', `/sessions/${old}`));
    assert.deepEqual(
      (await talk.messages(mixed)).map((one: Json) => one.content),
      ['pomelo three'],
    );
    assert.equal((await talk.session(mixed)).unread, 1);
    for (const via of [call, second.call]) assert.equal(await found('pomelo', via), 1);
    await change({ messageDays: null });
  });

  it('removes old files from the store and says so in the message', async () => {
    const sessionId = unique('file');
    const file = await files.upload('text/plain', Buffer.from('the text of the file'), 'hello.txt');
    const id = await say(sessionId, 'see this', { attachments: [file] });
    const recent = await files.upload('text/plain', Buffer.from('a new text'), 'new.txt');
    await say(sessionId, 'and this', { attachments: [recent] });
    const oldKey = `0150${file.fileKey.slice(4)}`;
    const place = blobKey(service.admin.accountId, oldKey);
    const { db } = service.context;
    const { accountId } = service.admin;
    const { blobs } = service.context;
    // As if it had been uploaded in 2015.
    await db.transaction(async (tx) => {
      await tx.query(sql`
        insert into attachments (account_id, file_key, file_name, content_type, size, state, created_at, used_at)
        values (${accountId}, ${oldKey}, 'hello.txt', 'text/plain', 20, 'stored', 1, 1)`);
      await tx.query(sql`
        update messages set id = ${`0150${id.slice(4)}`},
          attachments = replace(attachments::text, ${file.fileKey}, ${oldKey})::jsonb where id = ${id}`);
    });
    const draft = await blobs.drafts.receive(
      (async function* () {
        yield Buffer.from('the text of the file');
      })(),
      100,
      () => new Error('too large'),
    );
    await blobs.place(draft, place, 'text/plain');
    assert.equal((await preview({ fileDays: 30 })).files, 1);
    await change({ fileDays: 30 });
    assert.equal((await run()).removed.files, 1);
    const [first, next] = await talk.messages(sessionId);
    assert.equal(first.content, 'see this');
    assert.ok(first.attachments[0].removedAt > 0);
    assert.equal(first.attachments[0].fileName, 'hello.txt');
    assert.equal(next.attachments[0].removedAt, undefined);
    assert.equal(await blobs.open(place), null);
    assert.equal((await call('GET', `/attachments/${oldKey}`)).status, 404);
    assert.equal((await call('GET', `/attachments/${recent.fileKey}`)).status, 200);
    await change({ fileDays: null });
  });

  it('removes old entries of the audit log and of the log of replies, and old events of messages', async () => {
    const { db } = service.context;
    const { accountId } = service.admin;
    const sessionId = unique('logs');
    const messageId = await say(sessionId, 'hello');
    const old = (n: number) => `0150${newId().slice(4, -1)}${n}`;
    await db.transaction(async (tx) => {
      await tx.query(sql`
        insert into audit_log (account_id, id, at, actor_type, actor_id, actor_name, action, target_type, target_id, changes)
        values (${accountId}, ${old(1)}, 1, 'user', 'x', 'x', 'login', 'user', 'x', '{}')`);
      await tx.query(sql`
        insert into reply_log (account_id, id, session_id, message_id, outcome, created_at)
        values (${accountId}, ${old(2)}, ${sessionId}, ${messageId}, 'sent', 1)`);
      await tx.query(sql`
        insert into events (account_id, id, event, subject_id, sequence, created_at, body)
        values (${accountId}, ${old(3)}, 'message_created', ${sessionId}, 1, 1, '{}')`);
    });
    const counts = await preview({ auditDays: 90, replyLogDays: 7 });
    assert.deepEqual([counts.auditEntries, counts.replyLogs], [1, 1]);
    await change({ auditDays: 90, replyLogDays: 7, messageDays: 7 });
    const { removed } = await run();
    assert.deepEqual([removed.auditEntries, removed.replyLogs, removed.events], [1, 1, 1]);
    const { items } = await talk.expect(200, call('GET', '/audit-log'));
    assert.equal(items[0].action, 'retention.updated');
    await change({ auditDays: null, replyLogDays: null, messageDays: null });
    await run();
  });

  it('eventDays is the setting of the webhook log', async () => {
    await change({ eventDays: 12 });
    assert.equal((await talk.expect(200, call('GET', '/webhook-settings'))).logDays, 12);
    await talk.expect(200, call('PATCH', '/webhook-settings', { body: { logDays: 30 } }));
    assert.equal((await talk.expect(200, call('GET', '/account/retention'))).eventDays, 30);
    await run();
  });

  it('runs again after an hour, for accounts that remove something only', async () => {
    const { db, clock } = service.context;
    const jobs = () => db.query(sql`select from jobs where kind = ${retentionJobKind}`);
    await enqueueDueRetention(db, clock.now() + 3_700_000);
    assert.equal((await jobs()).length, 0);
    await change({ messageDays: 7 });
    await run();
    await enqueueDueRetention(db, clock.now() + 3_000_000);
    assert.equal((await jobs()).length, 0);
    await enqueueDueRetention(db, clock.now() + 3_700_000);
    assert.equal((await jobs()).length, 1);
    await change({ messageDays: null });
    await run();
  });
});
