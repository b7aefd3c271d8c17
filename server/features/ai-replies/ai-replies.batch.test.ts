import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf } from '../../../test/support/conversations.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { type Job, startJobs } from '../../platform/jobs/jobs.ts';
import { replyJobKind } from '../messages/messages.ts';
import { selectPendingReplies } from '../pending-replies/pending-replies.ts';
import { openSession } from '../sessions/sessions.ts';
import { createCommitShared } from './ai-replies.batch.ts';
import { readConversation } from './ai-replies.history.ts';
import { createReplyQuota } from './ai-replies.quota.ts';

describe('replies that are ready at the same time', () => {
  let service: TestService;
  let talk: Conversations;

  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
  });
  after(() => service.close());

  /** Conversations with one message each, and the running job that answers it. */
  async function claimed(count: number) {
    const { context } = service;
    const sent = [];
    for (let n = 0; n < count; n++) sent.push(await talk.accepted({ content: 'What is Talkboard?' }));
    const running = new Map<string, Job>();
    const [all, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const jobs = startJobs({
      ...{ db: context.db, logger: context.logger, concurrency: count },
      handlers: {
        [replyJobKind]: (job) => {
          running.set(String(job.payload.sessionId), job);
          if (running.size === count) all.resolve();
          return done.promise;
        },
      },
    });
    await all.promise;
    const stop = async () => {
      done.resolve();
      await jobs.stop();
    };
    const { accountId } = service.admin;
    const works = [];
    for (const { sessionId } of sent) {
      const pending = await selectPendingReplies(context.db, accountId, sessionId);
      const { directory } = await context.accountConfig.fresh(accountId, context.db);
      const agent = directory.agents.get(pending[0]!.agentId)!;
      works.push({ job: running.get(sessionId)!, accountId, sessionId, pending, agent });
    }
    return { works, stop };
  }
  const usage = { inputTokens: 1, outputTokens: 2 };
  const reply = {
    text: 'Good day',
    handover: false,
    steps: 1,
    toolCalls: [],
    cost: null,
    retrieved: [],
    citations: [],
    usage,
    latencyMs: 3,
    refusal: null,
    unanswered: null,
  };
  const jobsOf = (sessionId: string) => talk.count(sql`jobs where payload ->> 'sessionId' = ${sessionId}`);

  it('share a transaction; what somebody holds, and what may not be answered any more, is left out', async () => {
    const { context } = service;
    const { works, stop } = await claimed(5);
    const [one, two, last, revoked, locked] = works.map(({ sessionId }) => sessionId);
    const release = Promise.withResolvers<void>();
    const isLocked = Promise.withResolvers<void>();
    const holding = context.db.transaction(async (tx) => {
      await openSession(tx, service.admin.accountId, locked!);
      isLocked.resolve();
      await release.promise;
    });
    await isLocked.promise;
    await context.db.transaction((tx) =>
      tx.query(sql`delete from pending_replies where session_id = ${revoked}`),
    );
    const conversations = await Promise.all(
      works.map((work) => readConversation(context, { ...work, position: 1 })),
    );
    const commit = createCommitShared(context);
    try {
      const ended = await Promise.all(works.map((work, n) => commit(work, conversations[n]!, reply)));
      assert.deepEqual(ended, [true, true, true, false, null]);
    } finally {
      release.resolve();
      await holding;
    }
    const rows = await context.db.query<{ session_id: string; xmin: string }>(
      sql`select session_id, xmin::text from messages
        where account_id = ${service.admin.accountId} and role = 'assistant' and content = 'Good day'`,
    );
    assert.deepEqual(rows.map((row) => row.session_id).sort(), [one, two, last].sort());
    assert.equal(new Set(rows.map((row) => row.xmin)).size, 1, 'one transaction');
    for (const { sessionId, pending, agent } of works.slice(0, 3)) {
      const messages = await talk.messages(sessionId);
      assert.deepEqual(
        messages.map(({ role, inReplyTo }) => [role, inReplyTo ?? null]),
        [
          ['user', null],
          ['assistant', pending[0]!.messageId],
        ],
      );
      const [entry] = await talk.replyLog(sessionId);
      assert.deepEqual(
        [entry.outcome, entry.replyId, entry.agentId, entry.latencyMs],
        ['sent', messages[1].id, agent.id, 3],
      );
      const { lastMessageAt, unread } = await talk.session(sessionId);
      assert.deepEqual([lastMessageAt, unread], [messages[1].timestamp, 1]);
      assert.equal(await jobsOf(sessionId), 0);
      assert.equal(await talk.count(sql`pending_replies where session_id = ${sessionId}`), 0);
    }
    assert.equal(await jobsOf(revoked!), 1, 'its job looks again');
    assert.equal(await talk.count(sql`pending_replies where session_id = ${locked}`), 1);
    await stop();
  });

  it('a held reply, a handover and several answered messages go alone', async () => {
    const { works, stop } = await claimed(1);
    const [work] = works;
    const conversation = await readConversation(service.context, { ...work!, position: 1 });
    const commit = createCommitShared(service.context);
    assert.equal(await commit(work!, conversation, { ...reply, handover: true }), null);
    const pending = [work!.pending[0]!, work!.pending[0]!];
    assert.equal(await commit({ ...work!, pending }, conversation, reply), null);
    const notes = [{ content: reply.text.repeat(5), operatorName: '' }];
    assert.equal(
      await commit(work!, { ...conversation, notes }, { ...reply, text: notes[0]!.content }),
      null,
    );
    assert.equal(await talk.count(sql`pending_replies where session_id = ${work!.sessionId}`), 1);
    await stop();
  });

  it('are counted together, each against the limit of the account', async () => {
    const { context } = service;
    const { works, stop } = await claimed(4);
    const { accountId } = service.admin;
    await context.db.transaction(async (tx) => {
      await tx.query(sql`delete from ai_reply_usage where account_id = ${accountId}`);
      await tx.query(sql`update accounts set ai_replies_per_day = 3 where id = ${accountId}`);
    });
    const countReply = createReplyQuota(context);
    const refusals = await Promise.all(works.map((work) => countReply(work)));
    assert.deepEqual(refusals.slice(0, 3), [null, null, null]);
    assert.match(refusals[3]!.reason, /limit of 3 AI replies a day/);
    assert.equal(await talk.count(sql`ai_reply_usage where account_id = ${accountId} and replies = 3`), 1);
    await stop();
  });
});
