import type {
  KnowledgeRun,
  KnowledgeRunPage,
  PageReason,
  PageVerdict,
  RunCounts,
} from '../../../../contract/knowledge.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';
import { hasSource } from '../knowledge.state.sql.ts';

const columns = sql`id, source_id as "sourceId", state, started_at as "startedAt", ended_at as "endedAt", reason, counts`;

/** A run reads many pages, and no request waits for these statements. */
const long = { timeoutMs: 60_000 };

/** Newest first. */
export async function selectRuns(
  db: Reader,
  accountId: string,
  sourceId: string,
  before: string | null,
  limit: number,
): Promise<KnowledgeRun[]> {
  return db.query<KnowledgeRun>(sql`
    select ${columns} from knowledge_runs
    where account_id = ${accountId} and source_id = ${sourceId} and (${before}::uuid is null or id < ${before}::uuid)
    order by id desc limit ${limit}`);
}

export async function findRun(db: Reader, accountId: string, id: string): Promise<KnowledgeRun | null> {
  const [row] = await db.query<KnowledgeRun>(sql`
    select ${columns} from knowledge_runs where account_id = ${accountId} and id = ${id} and ${hasSource(accountId)}`);
  return row ?? null;
}

/** Of several accounts at once, for live updates. */
export async function selectRunsByKeys(
  db: Reader,
  keys: readonly { accountId: string; id: string }[],
): Promise<(KnowledgeRun & { accountId: string })[]> {
  return db.query(sql`
    select account_id as "accountId", ${columns}
    from unnest(${keys.map(({ accountId }) => accountId)}::uuid[], ${keys.map(({ id }) => id)}::uuid[])
      as wanted (account, run)
    join knowledge_runs on account_id = account and id = run
    where exists (select from knowledge_sources s where s.account_id = account and s.id = source_id)`);
}

/** Null: it is not in review any more. */
export async function findReview(
  db: Reader,
  accountId: string,
  id: string,
): Promise<{ sourceId: string; name: string; reason: string } | null> {
  const [row] = await db.query<{ sourceId: string; name: string; reason: string }>(sql`
    select s.id as "sourceId", s.name, r.reason from knowledge_runs r
    join knowledge_sources s on s.account_id = r.account_id and s.id = r.source_id
    where r.account_id = ${accountId} and r.id = ${id} and r.state = 'review'`);
  return row ?? null;
}

export interface RunAtWork extends KnowledgeRun {
  startedBy: string;
  isSeeded: boolean;
}

const columnsAtWork = sql`${columns}, started_by as "startedBy", is_seeded as "isSeeded"`;

export async function findRunAtWork(db: Reader, accountId: string, id: string): Promise<RunAtWork | null> {
  const [row] = await db.query<RunAtWork>(sql`
    select ${columnsAtWork} from knowledge_runs
    where account_id = ${accountId} and id = ${id} and ${hasSource(accountId)}`);
  return row ?? null;
}

export async function lockRun(tx: Tx, accountId: string, id: string): Promise<RunAtWork | null> {
  const [row] = await tx.query<RunAtWork>(sql`
    select ${columnsAtWork} from knowledge_runs
    where account_id = ${accountId} and id = ${id} and ${hasSource(accountId)} for update`);
  return row ?? null;
}

/** Those that a new run or other settings would end. */
export async function lockOpenRuns(
  tx: Tx,
  accountId: string,
  sourceId: string,
): Promise<Pick<KnowledgeRun, 'id' | 'state'>[]> {
  return tx.query(sql`
    select id, state from knowledge_runs
    where account_id = ${accountId} and source_id = ${sourceId} and state in ('running', 'review')
    order by id for update`);
}

export async function insertRun(
  tx: Tx,
  accountId: string,
  run: Pick<KnowledgeRun, 'id' | 'sourceId' | 'startedAt' | 'counts'> & { startedBy: string },
): Promise<void> {
  await tx.query(sql`
    insert into knowledge_runs (account_id, id, source_id, state, counts, started_at, started_by)
    values (${accountId}, ${run.id}, ${run.sourceId}, 'running', ${JSON.stringify(run.counts)}, ${run.startedAt},
      ${run.startedBy})`);
}

export async function updateRun(
  tx: Tx,
  accountId: string,
  id: string,
  { state, reason, endedAt }: Pick<KnowledgeRun, 'state' | 'reason' | 'endedAt'>,
): Promise<void> {
  await tx.query(sql`
    update knowledge_runs set state = ${state}, reason = ${reason}, ended_at = ${endedAt}
    where account_id = ${accountId} and id = ${id}`);
}

/** All of a source but the newest ones. */
export async function deleteRuns(tx: Tx, accountId: string, sourceId: string, kept: number): Promise<void> {
  const old = sql`account_id = ${accountId} and run_id in (
    select r.id from knowledge_runs r where r.account_id = ${accountId} and r.source_id = ${sourceId}
    order by r.id desc offset ${kept})`;
  await tx.query(sql`delete from knowledge_run_texts where ${old}`, long);
  await tx.query(sql`delete from knowledge_run_pages where ${old}`, long);
  await tx.query(
    sql`delete from knowledge_runs where account_id = ${accountId} and id in (
      select r.id from knowledge_runs r where r.account_id = ${accountId} and r.source_id = ${sourceId}
      order by r.id desc offset ${kept})`,
    long,
  );
}

/** Of a source that is gone. */
export async function findOldestRun(tx: Tx, accountId: string, sourceId: string): Promise<string | null> {
  const [run] = await tx.query<{ id: string }>(sql`
    select id from knowledge_runs where account_id = ${accountId} and source_id = ${sourceId}
    order by id limit 1 for update`);
  return run?.id ?? null;
}

export async function deleteRun(tx: Tx, accountId: string, id: string): Promise<void> {
  const ofRun = sql`account_id = ${accountId} and run_id = ${id}`;
  await tx.query(sql`delete from knowledge_run_texts where ${ofRun}`, long);
  await tx.query(sql`delete from knowledge_run_pages where ${ofRun}`, long);
  await tx.query(sql`delete from knowledge_runs where account_id = ${accountId} and id = ${id}`);
}

export type ListedPage = Omit<KnowledgeRunPage, 'citedBy'> & { number: number };

export async function selectPages(
  db: Reader,
  accountId: string,
  runId: string,
  after: number,
  limit: number,
): Promise<ListedPage[]> {
  return db.query<ListedPage>(sql`
    select p.number, p.url, case when p.verdict <> 'added' or r.state = 'published' then p.document_id end as "documentId",
      p.verdict, p.reason_code as "reasonCode", p.reason, p.http_status as "httpStatus"
    from knowledge_runs r join knowledge_run_pages p on p.account_id = r.account_id and p.run_id = r.id
    where r.account_id = ${accountId} and r.id = ${runId} and p.number > ${after} and p.verdict is not null
    order by p.number limit ${limit}`);
}

/** An address that a run has found. */
export interface RunPage {
  number: number;
  url: string;
  depth: number;
  hops: number;
  canonical: string | null;
  ignoresCanonical: boolean;
  documentId: string | null;
  /** Null: it has still to be read. */
  verdict: PageVerdict | null;
  reasonCode: PageReason | null;
  reason: string | null;
  httpStatus: number | null;
}

/** What was read at it. */
export interface RunText {
  number: number;
  title: string;
  /** Null: the document has it. */
  text: string | null;
  bytes: number;
  hash: string;
  language: string | null;
  etag: string | null;
  links: readonly string[];
}

export type TextSummary = Pick<RunText, 'number' | 'bytes' | 'hash'>;

export async function selectRunPages(db: Reader, accountId: string, runId: string): Promise<RunPage[]> {
  return db.query<RunPage>(
    sql`
    select number, url, depth, hops, canonical, ignores_canonical as "ignoresCanonical", document_id as "documentId",
      verdict, reason_code as "reasonCode", reason, http_status as "httpStatus"
    from knowledge_run_pages where account_id = ${accountId} and run_id = ${runId} order by number`,
    long,
  );
}

export async function selectTextSummaries(
  db: Reader,
  accountId: string,
  runId: string,
): Promise<TextSummary[]> {
  return db.query<TextSummary>(
    sql`
    select number, case when text is null then 0 else bytes end as bytes, hash from knowledge_run_texts
    where account_id = ${accountId} and run_id = ${runId}`,
    long,
  );
}

/** With its text, in the order of the run. */
export interface StagedPage {
  number: number;
  url: string;
  title: string;
  text: string;
  bytes: number;
  hash: string;
  language: string | null;
}

/** The pages that have a document when the run publishes. */
export async function selectReadPages(
  db: Reader,
  accountId: string,
  runId: string,
): Promise<Pick<StagedPage, 'number' | 'url'>[]> {
  return db.query(
    sql`
    select number, url from knowledge_run_pages
    where account_id = ${accountId} and run_id = ${runId} and verdict in ('added', 'changed', 'unchanged')
    order by number`,
    long,
  );
}

/** How large each staged text is. */
export async function selectStagedSizes(
  db: Reader,
  accountId: string,
  runId: string,
): Promise<Pick<StagedPage, 'number' | 'bytes'>[]> {
  return db.query(
    sql`
    select number, bytes from knowledge_run_texts
    where account_id = ${accountId} and run_id = ${runId} and text is not null`,
    long,
  );
}

/** By their numbers, without a join: these tables have just been filled, so the planner knows nothing of their size. */
export async function selectStagedTexts(
  db: Reader,
  accountId: string,
  runId: string,
  numbers: readonly number[],
): Promise<Omit<StagedPage, 'url'>[]> {
  return db.query(
    sql`
    select number, title, text, bytes, hash, language from knowledge_run_texts
    where account_id = ${accountId} and run_id = ${runId} and number = any(${numbers}::int[]) and text is not null
    order by number`,
    long,
  );
}

/** The documents that go when the run publishes. */
export async function selectGone(db: Reader, accountId: string, runId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    sql`
    select document_id as id from knowledge_run_pages
    where account_id = ${accountId} and run_id = ${runId} and verdict = 'gone' and document_id is not null`,
    long,
  );
  return rows.map(({ id }) => id);
}

/** False: the run was cancelled or is gone. Otherwise it stays as it is until the end of the transaction. */
export async function holdRunning(tx: Tx, accountId: string, runId: string): Promise<boolean> {
  const rows = await tx.query(sql`
    select from knowledge_runs
    where account_id = ${accountId} and id = ${runId} and state = 'running' and ${hasSource(accountId)} for share`);
  return rows.length > 0;
}

export async function savePages(
  tx: Tx,
  accountId: string,
  runId: string,
  pages: readonly RunPage[],
): Promise<void> {
  if (pages.length === 0) return;
  await tx.query(
    sql`
    insert into knowledge_run_pages (account_id, run_id, number, url, depth, hops, canonical, ignores_canonical,
      document_id, verdict, reason_code, reason, http_status)
    select ${accountId}, ${runId}, p.number, p.url, p.depth, p.hops, p.canonical, p."ignoresCanonical", p."documentId",
      p.verdict, p."reasonCode", p.reason, p."httpStatus"
    from json_to_recordset(${JSON.stringify(pages)}::json) as p (number int, url text, depth int, hops int,
      canonical text, "ignoresCanonical" boolean, "documentId" uuid, verdict text, "reasonCode" text, reason text,
      "httpStatus" int)
    on conflict (account_id, run_id, number) do update set canonical = excluded.canonical,
      ignores_canonical = excluded.ignores_canonical, document_id = excluded.document_id, verdict = excluded.verdict,
      reason_code = excluded.reason_code, reason = excluded.reason, http_status = excluded.http_status`,
    long,
  );
}

export async function saveTexts(
  tx: Tx,
  accountId: string,
  runId: string,
  texts: readonly RunText[],
): Promise<void> {
  if (texts.length === 0) return;
  await tx.query(
    sql`
    insert into knowledge_run_texts (account_id, run_id, number, title, text, bytes, hash, language, etag, links)
    select ${accountId}, ${runId}, t.number, t.title, t.text, t.bytes, t.hash, t.language, t.etag, t.links
    from json_to_recordset(${JSON.stringify(texts)}::json) as t (number int, title text, text text, bytes int, hash text,
      language text, etag text, links jsonb)
    on conflict (account_id, run_id, number) do update set title = excluded.title, text = excluded.text,
      bytes = excluded.bytes, hash = excluded.hash, language = excluded.language, etag = excluded.etag,
      links = excluded.links`,
    long,
  );
}

/** As far as it came. */
export async function countPages(tx: Tx, accountId: string, runId: string): Promise<void> {
  await tx.query(
    sql`
    update knowledge_runs r set counts = r.counts || (
      select jsonb_build_object('found', count(*), 'added', count(*) filter (where verdict = 'added'),
        'changed', count(*) filter (where verdict = 'changed'),
        'unchanged', count(*) filter (where verdict = 'unchanged'),
        'gone', count(*) filter (where verdict = 'gone'), 'skipped', count(*) filter (where verdict = 'skipped'),
        'failed', count(*) filter (where verdict = 'failed'))
      from knowledge_run_pages p where p.account_id = r.account_id and p.run_id = r.id)
    where r.account_id = ${accountId} and r.id = ${runId}`,
    long,
  );
}

export async function saveProgress(
  tx: Tx,
  accountId: string,
  runId: string,
  counts: RunCounts,
  isSeeded: boolean,
): Promise<void> {
  await tx.query(sql`
    update knowledge_runs set counts = ${JSON.stringify(counts)}, is_seeded = ${isSeeded}
    where account_id = ${accountId} and id = ${runId}`);
}

/** What is known of the newest version of a document on a website. */
export interface KnownPage {
  id: string;
  url: string;
  title: string;
  state: 'draft' | 'published' | 'failed' | 'gone';
  hash: string | null;
  etag: string | null;
}

export async function selectKnownPages(
  db: Reader,
  accountId: string,
  sourceId: string,
): Promise<KnownPage[]> {
  return db.query<KnownPage>(
    sql`
    select d.id, d.url, d.title, d.state, w.hash, w.etag from knowledge_documents d
    left join knowledge_web_pages w on w.account_id = d.account_id and w.document_id = d.id
    where d.account_id = ${accountId} and d.source_id = ${sourceId} and d.url is not null`,
    long,
  );
}

/** As its newest version had them. */
export async function findLinks(db: Reader, accountId: string, documentId: string): Promise<string[]> {
  const [row] = await db.query<{ links: string[] }>(sql`
    select links from knowledge_web_pages where account_id = ${accountId} and document_id = ${documentId}`);
  return row?.links ?? [];
}
