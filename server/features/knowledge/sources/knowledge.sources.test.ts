import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../../../test/support/eventually.ts';
import { type Json, joinTestService, type TestService } from '../../../../test/support/service.ts';
import { sql } from '../../../platform/db/sql.ts';
import { newId } from '../../../platform/ids.ts';
import { type Job, LeaseLost, startJobs } from '../../../platform/jobs/jobs.ts';
import { sourceRemovalJobKind } from '../knowledge.ts';
import { sourceRemovalHandler } from './knowledge.sources.jobs.ts';

describe('a source that is deleted', () => {
  let service: TestService;
  let account: Awaited<ReturnType<TestService['createAccount']>>;
  let articlesId: string;
  before(async () => {
    service = await joinTestService();
    account = await service.createAccount();
    articlesId = (await call(200, 'GET', '/sources')).items[0].id;
  });
  after(() => service.close());

  const call = async (status: number, method: string, path: string, body?: object): Promise<Json> => {
    const answer = await service.call(method, `/knowledge${path}`, {
      token: account.jwt,
      ...(body && { body }),
    });
    assert.equal(answer.status, status, answer.text);
    return answer.body;
  };
  const write = (sourceId: string, text: string) =>
    call(201, 'POST', '/documents', { sourceId, title: 'Sofas', text, state: 'published' });
  const found = async () => (await call(200, 'POST', '/search', { q: 'velvet' })).passages.length;
  /** As many rows as documents, versions and passages are left of a source. */
  const rowsOf = async (sourceId: string): Promise<number> => {
    const [row] = await service.context.db.query<{ count: number }>(sql`
      select count(*)::int as count from knowledge_documents d
      left join knowledge_versions v on v.account_id = d.account_id and v.document_id = d.id
      left join knowledge_passages p on p.account_id = d.account_id and p.document_id = d.id
      where d.account_id = ${account.accountId} and d.source_id = ${sourceId}`);
    return row!.count;
  };
  const counts = async () => {
    const [row] = await service.context.db.query(sql`
      select documents, bytes from knowledge_state where account_id = ${account.accountId}`);
    return row;
  };

  it('is gone for readers at once, and its documents are deleted afterwards', async () => {
    const { db } = service.context;
    const before = await counts();
    const { id: sourceId } = await call(201, 'POST', '/sources', { name: 'Sofas', kind: 'articles' });
    const document = await write(sourceId, 'The velvet sofa.');
    const answered = await call(201, 'POST', '/questions', { q: 'velvet?', documentIds: [document.id] });
    const runId = newId();
    await db.transaction((tx) =>
      tx.query(sql`
        insert into knowledge_runs (account_id, id, source_id, state, counts, started_at, started_by)
        values (${account.accountId}, ${runId}, ${sourceId}, 'review',
          '{"found":0,"added":0,"changed":0,"unchanged":0,"gone":0,"skipped":0,"failed":0}', 1, 'test')`),
    );
    const agent = await service.call('POST', '/agents', {
      token: account.jwt,
      body: { name: 'Ann', provider: 'offline', knowledgeSourceIds: [articlesId, sourceId] },
    });
    assert.deepEqual([agent.status, await found()], [201, 1]);

    await call(200, 'DELETE', `/sources/${sourceId}`);
    await call(404, 'GET', `/sources/${sourceId}`);
    await call(404, 'GET', `/documents/${document.id}`);
    await call(404, 'GET', `/documents/${document.id}/usage`);
    await call(404, 'GET', `/runs/${runId}`);
    assert.deepEqual((await call(200, 'GET', `/documents?sourceId=${sourceId}`)).items, []);
    assert.equal(await found(), 0);
    const questions = (await call(200, 'GET', '/questions')).items;
    assert.deepEqual(questions.find(({ id }: Json) => id === answered.id).documents, []);
    const shown = await service.call('GET', `/agents/${agent.body.id}`, { token: account.jwt });
    assert.deepEqual(shown.body.knowledgeSourceIds, [articlesId]);
    assert.deepEqual(await counts(), before ?? { documents: 0, bytes: 0 });
    assert.equal(await rowsOf(sourceId), 1);

    const jobs = startJobs({
      ...service.context,
      handlers: { [sourceRemovalJobKind]: sourceRemovalHandler({ db }) },
    });
    await eventually(async () => (await rowsOf(sourceId)) === 0);
    await eventually(
      async () => (await db.query(sql`select from knowledge_runs where id = ${runId}`)).length === 0,
    );
    await jobs.stop();
    assert.deepEqual(await counts(), before ?? { documents: 0, bytes: 0 });
  });

  it('leaves documents that are deleted in parts, whatever ends the job', async () => {
    const { db } = service.context;
    const sourceId = newId();
    const { id: firstId } = await write(articlesId, 'The velvet chair.');
    await db.transaction(async (tx) => {
      await tx.query(sql`
        insert into knowledge_documents
        select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'source_id', ${sourceId}::uuid,
          'state', 'draft', 'published_version', null))).*
        from knowledge_documents d, generate_series(1, 60) where d.id = ${firstId}`);
    });
    let kept = 0;
    const job = {
      accountId: account.accountId,
      payload: { sourceId },
      isStopping: () => false,
      keep: async () => {
        if (++kept === 2) throw new LeaseLost('killed');
      },
      complete: async () => {},
    };
    const run = () => sourceRemovalHandler({ db })(job as unknown as Job);
    await assert.rejects(run(), LeaseLost);
    assert.equal(await rowsOf(sourceId), 10);
    await run();
    assert.equal(await rowsOf(sourceId), 0);
    await call(200, 'GET', `/documents/${firstId}`);
  });
});
