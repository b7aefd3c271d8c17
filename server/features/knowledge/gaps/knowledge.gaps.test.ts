import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { limits } from '../../../../contract/limits.ts';
import { type Conversations, conversationsOf, unique } from '../../../../test/support/conversations.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { Job } from '../../../platform/jobs/jobs.ts';
import { systemActor } from '../../accounts/accounts.ts';
import { findDocument } from '../documents/knowledge.documents.sql.ts';
import {
  draftArticle,
  eraseGapsOf,
  findGapAnswer,
  knowledgeGapsHandler,
  noteUnanswered,
} from './knowledge.gaps.ts';

describe('the gaps of an account', () => {
  let service: TestService;
  let talk: Conversations;
  let accountId: string;
  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    accountId = service.admin.accountId;
  });
  after(() => service.close());

  const group = (keep: Job['keep'] = async () => {}) => {
    const wordsOf = (question: string) => ({ words: question.toLowerCase().split(' '), language: 'en' });
    const job = { accountId, wakes: 0, keep, completeUnlessWoken: async () => true };
    return knowledgeGapsHandler({ db: service.context.db, wordsOf })(job as unknown as Job);
  };
  /** As they are: nobody is named in them. */
  const neutralTexts: Parameters<typeof draftArticle>[6] = async (_tx, _accountId, _sessionId, texts) =>
    texts;
  /** A question that a person has answered. */
  const note = async (question: string): Promise<string> => {
    const { db } = service.context;
    const channel = await talk.channel();
    const sessionId = unique('gap');
    const { userMessage } = await talk.accepted({
      content: question,
      sessionId,
      fromChannelIdentifier: channel.identifier,
    });
    await talk.expect(201, talk.operatorSays(channel.id, sessionId, { content: 'Yes.' }));
    await db.transaction((tx) =>
      noteUnanswered(tx, accountId, [{ messageId: userMessage.id, sessionId, question, at: 1 }]),
    );
    return sessionId;
  };
  const gapOf = async (sessionId: string): Promise<Json> => {
    const { items } = await talk.expect(200, service.call('GET', '/knowledge/gaps'));
    return items.find(({ examples }: Json) => examples[0].sessionId === sessionId);
  };
  const draft = async (sessionId: string, title: string, text: string) => {
    const { db } = service.context;
    const { id } = await gapOf(sessionId);
    const from = (await findGapAnswer(db, accountId, null, id))!;
    return db.transaction((tx) =>
      draftArticle(tx, systemActor(accountId), Date.now(), null, id, { from, title, text }, neutralTexts),
    );
  };

  it('a draft has no NUL and is no longer than an article', async () => {
    const sessionId = await note('weld aluminium frames');
    await group();
    const title = `\0${'t'.repeat(limits.titleLength)}`;
    const { documentId } = await draft(sessionId, title, `a\0${'b'.repeat(limits.articleLength)}`);
    const { title: stored, text } = await talk.expect(
      200,
      service.call('GET', `/knowledge/documents/${documentId}`),
    );
    assert.deepEqual([stored, text.length], ['t'.repeat(limits.titleLength - 1), limits.articleLength - 1]);
    assert.ok(text.startsWith('ab'));
  });

  it('an erasure waits for a draft that is being made, and removes it', async () => {
    const { db } = service.context;
    const sessionId = await note('sharpen garden shears');
    await group();
    const { id } = await gapOf(sessionId);
    let erasing: Promise<void> | undefined;
    const made = await db.transaction(async (tx) => {
      const gap = await draftArticle(tx, systemActor(accountId), Date.now(), null, id, null, neutralTexts);
      erasing = db.transaction((other) => eraseGapsOf(other, accountId, sessionId, Date.now()));
      await eventually(async () => {
        const waiting = await db.query(sql`
          select from pg_stat_activity where wait_event_type = 'Lock' and query like '%insert into knowledge_state%'`);
        return waiting.length > 0;
      });
      return gap;
    });
    await erasing;
    assert.equal(await findDocument(db, accountId, made.documentId!), null);
  });

  it('the job takes the account’s knowledge before its own row, as an erasure does', async () => {
    const { db } = service.context;
    await note('polish marble tables');
    let isLocked = false;
    await group(async () => {
      const free = await db.query(sql`
        select from knowledge_state where account_id = ${accountId} for update skip locked`);
      isLocked = free.length === 0;
    });
    assert.ok(isLocked);
  });
});
