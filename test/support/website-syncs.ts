/** Websites as sources of an account, read by a worker that waits for nothing. */
import assert from 'node:assert/strict';
import { endedRunJobKind, syncJobKind } from '../../server/features/knowledge/knowledge.ts';
import { endedRunHandler } from '../../server/features/knowledge/websites/knowledge.ended-runs.jobs.ts';
import {
  type SyncOptions,
  syncHandler,
} from '../../server/features/knowledge/websites/knowledge.websites.jobs.ts';
import { sql } from '../../server/platform/db/sql.ts';
import { type Jobs, type JobsOptions, startJobs } from '../../server/platform/jobs/jobs.ts';
import { eventually } from './eventually.ts';
import { type Json, joinTestService, type TestService } from './service.ts';

export interface Syncs {
  service: TestService;
  accountId: string;
  token: string;
  call(method: string, path: string, body?: object): Promise<{ status: number; body: Json; text: string }>;
  create(settings: object): Promise<string>;
  /** Starts a run and waits until it is not running any more, and what it has left is removed. */
  sync(sourceId: string): Promise<{ run: Json; pages: Json[] }>;
  begin(sourceId: string): Promise<string>;
  ended(runId: string): Promise<{ run: Json; pages: Json[] }>;
  /** With their text. */
  documents(sourceId: string): Promise<Json[]>;
  /** `onFinished`: of a sync. */
  startWorker(options?: SyncOptions, onFinished?: JobsOptions['onFinished']): Jobs;
  /** Of the whole test file. */
  worker: Jobs;
  close(): Promise<void>;
}

export async function startSyncs(options: SyncOptions = {}): Promise<Syncs> {
  const service = await joinTestService({ env: { OUTBOUND_ALLOW: '127.0.0.0/8,[::1]/128' } });
  const { jwt, accountId } = await service.createAccount();
  const startWorker = (more: SyncOptions = {}, onFinished?: JobsOptions['onFinished']) =>
    startJobs({
      ...service.context,
      onFinished: (kind, outcome) => kind === syncJobKind && onFinished?.(kind, outcome),
      handlers: {
        [endedRunJobKind]: endedRunHandler(service.context),
        [syncJobKind]: syncHandler(service.context, { isPolite: false, retryMs: 1, ...options, ...more }),
      },
    });
  const call: Syncs['call'] = (method, path, body) =>
    service.call(method, `/knowledge${path}`, { token: jwt, ...(body && { body }) });
  const all = async (path: string): Promise<Json[]> => {
    const items: Json[] = [];
    for (let token: string | null = ''; token !== null; ) {
      const { body } = await call(
        'GET',
        `${path}${path.includes('?') ? '&' : '?'}limit=100${token && `&nextToken=${token}`}`,
      );
      items.push(...body.items);
      token = body.nextToken;
    }
    return items;
  };
  const ended = async (runId: string) => {
    // Not by the API: its rate limits are real.
    await eventually(async () => {
      const [row] = await service.context.db.query<{ isRunning: boolean }>(
        sql`
        select state = 'running' or exists (
          select from jobs where kind = ${endedRunJobKind} and dedupe_key = ${runId}::text) as "isRunning"
        from knowledge_runs where id = ${runId}`,
      );
      return row?.isRunning === false;
    }, 20_000);
    return { run: (await call('GET', `/runs/${runId}`)).body, pages: await all(`/runs/${runId}/pages`) };
  };
  const begin = async (sourceId: string) => {
    const { status, body, text } = await call('POST', `/sources/${sourceId}/sync`);
    assert.equal(status, 202, text);
    return body.runId as string;
  };
  const worker = startWorker();
  return {
    service,
    accountId,
    token: jwt,
    call,
    async create(settings) {
      const { status, body, text } = await call('POST', '/sources', {
        name: 'Site',
        kind: 'website',
        settings,
      });
      assert.equal(status, 201, text);
      return body.id;
    },
    begin,
    ended,
    sync: async (sourceId) => ended(await begin(sourceId)),
    async documents(sourceId) {
      const listed = await all(`/documents?sourceId=${sourceId}`);
      return Promise.all(listed.map(async ({ id }) => (await call('GET', `/documents/${id}`)).body));
    },
    startWorker,
    worker,
    async close() {
      await worker.stop();
      await service.close();
    },
  };
}
