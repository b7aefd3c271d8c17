/** What a run writes before it publishes, how it is put into use, and what is left afterwards (D-660). */
import type { KnowledgeDocument } from '../../../../contract/knowledge.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { NewPassage } from '../documents/knowledge.documents.sql.ts';

/** A run has thousands of pages, and no request waits for these statements. */
const long = { timeoutMs: 60_000 };

/** A page and its document. */
interface PageOfDocument {
  number: number;
  documentId: string;
}

/** The version of a document that a page becomes. */
export interface VersionOfPage extends PageOfDocument {
  version: number;
  characters: number;
  passages: readonly NewPassage[];
}

/**
 * Over what an earlier attempt, or a run that did not publish, has left, but never over a text that was in use. Within the
 * database: the texts are long, and stored as they are they need not be compressed again.
 */
export async function prepareVersions(
  tx: Tx,
  accountId: string,
  runId: string,
  versions: readonly VersionOfPage[],
  by: string,
  now: number,
): Promise<void> {
  if (versions.length === 0) return;
  const numbers = versions.map(({ number }) => number);
  const place = sql`array_position(${numbers}::int[], number)`;
  await tx.query(
    sql`
    insert into knowledge_versions as v (account_id, document_id, version, title, text, characters, created_at, created_by)
    select account_id, (${versions.map(({ documentId }) => documentId)}::uuid[])[${place}],
      (${versions.map(({ version }) => version)}::int[])[${place}], title, text,
      (${versions.map(({ characters }) => characters)}::int[])[${place}], ${now}::bigint, ${by}::text
    from knowledge_run_texts
    where account_id = ${accountId} and run_id = ${runId} and number = any(${numbers}::int[])
    on conflict (account_id, document_id, version) do update set title = excluded.title, text = excluded.text,
      characters = excluded.characters, created_at = excluded.created_at, created_by = excluded.created_by
    where exists (
      select from knowledge_documents d where d.account_id = v.account_id and d.id = v.document_id
        and (d.version < v.version or d.source_id = ${runId}))`,
    long,
  );
}

/** Beside the passages in use, which are those of another version. */
export async function preparePassages(
  tx: Tx,
  accountId: string,
  versions: readonly VersionOfPage[],
): Promise<void> {
  if (versions.length === 0) return;
  await tx.query(
    sql`
    delete from knowledge_passages p
    using unnest(${versions.map(({ documentId }) => documentId)}::uuid[], ${versions.map(({ version }) => version)}::int[])
      as n (document_id, version)
    where p.account_id = ${accountId} and p.document_id = n.document_id and p.version = n.version`,
    long,
  );
  const passages = versions.flatMap(({ documentId, version, passages: own }) =>
    own.map((passage) => ({ ...passage, documentId, version })),
  );
  await tx.query(
    sql`
    insert into knowledge_passages (account_id, document_id, number, version, heading, start_at, end_at, text)
    select ${accountId}, p."documentId", p.number, p.version, p.heading, p.start, p."end", p.excerpt
    from json_to_recordset(${JSON.stringify(passages)}::json)
      as p ("documentId" uuid, version int, number int, heading text, start int, "end" int, excerpt text)`,
    long,
  );
}

export async function nameDocumentsOfPages(
  tx: Tx,
  accountId: string,
  runId: string,
  pages: readonly PageOfDocument[],
): Promise<void> {
  if (pages.length === 0) return;
  await tx.query(
    sql`
    update knowledge_run_pages p set document_id = n.document_id
    from unnest(${pages.map(({ number }) => number)}::int[], ${pages.map(({ documentId }) => documentId)}::uuid[])
      as n (number, document_id)
    where p.account_id = ${accountId} and p.run_id = ${runId} and p.number = n.number
      and p.document_id is distinct from n.document_id`,
    long,
  );
}

/** Of this many. Until then their source is the run. */
export async function showDocuments(
  tx: Tx,
  accountId: string,
  ids: readonly string[],
  { runId, sourceId, change, now }: { runId: string; sourceId: string; change: number; now: number },
): Promise<number> {
  if (ids.length === 0) return 0;
  const rows = await tx.query(
    sql`
    update knowledge_documents set source_id = ${sourceId}, change_number = ${change}::bigint, updated_at = ${now}::bigint
    where account_id = ${accountId} and source_id = ${runId} and id = any(${ids}::uuid[]) returning 1`,
    long,
  );
  return rows.length;
}

/** A document as it was when its page was prepared, and what the page makes of it. */
export interface PreparedChange
  extends Pick<KnowledgeDocument, 'id' | 'state' | 'version' | 'publishedVersion' | 'title' | 'characters'> {
  bytes: number;
  before: Pick<KnowledgeDocument, 'state' | 'version'>;
}

/** Of this many: not of one that has changed since. Only what comes of the page is written. */
export async function switchDocuments(
  tx: Tx,
  accountId: string,
  changes: readonly PreparedChange[],
  { by, change, now }: { by: string; change: number; now: number },
): Promise<number> {
  if (changes.length === 0) return 0;
  const rows = changes.map(({ before, ...after }) => ({
    ...after,
    stateBefore: before.state,
    versionBefore: before.version,
  }));
  const switched = await tx.query(
    sql`
    update knowledge_documents d set title = n.title, state = n.state, version = n.version,
      published_version = n."publishedVersion", characters = n.characters, bytes = n.bytes, problem = null,
      updated_at = ${now}::bigint, updated_by = ${by}::text, change_number = ${change}::bigint
    from json_to_recordset(${JSON.stringify(rows)}::json) as n (id uuid, title text, state text, version int,
      "publishedVersion" int, characters int, bytes int, "stateBefore" text, "versionBefore" int)
    where d.account_id = ${accountId} and d.id = n.id and d.state = n."stateBefore" and d.version = n."versionBefore"
    returning 1`,
    long,
  );
  return switched.length;
}

export async function takeOutOfUse(
  tx: Tx,
  accountId: string,
  ids: readonly string[],
  { by, change, now }: { by: string; change: number; now: number },
): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(
    sql`
    update knowledge_documents set state = 'gone', published_version = null, updated_at = ${now}::bigint,
      updated_by = ${by}::text, change_number = ${change}::bigint
    where account_id = ${accountId} and id = any(${ids}::uuid[]) and state = 'published'`,
    long,
  );
}

/** Runs of a source that have published and whose texts are not kept for the next run yet. */
export async function selectUnfinished(db: Reader, accountId: string, sourceId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from knowledge_runs r
    where r.account_id = ${accountId} and r.source_id = ${sourceId} and r.state = 'published' and exists (
      select from knowledge_run_texts t where t.account_id = r.account_id and t.run_id = r.id)
    order by id`);
  return rows.map(({ id }) => id);
}

/**
 * Deletes texts of a run that has ended. If it has published, what the next run compares with is kept. False: there are no
 * more.
 */
export async function deleteSomeTexts(
  tx: Tx,
  accountId: string,
  runId: string,
  limit: number,
): Promise<boolean> {
  const [row] = await tx.query<{ isMore: boolean }>(
    sql`
    with gone as (
      delete from knowledge_run_texts where account_id = ${accountId} and run_id = ${runId} and number = any(array(
        select number from knowledge_run_texts where account_id = ${accountId} and run_id = ${runId}
        order by number limit ${limit}))
      returning number, hash, etag, links),
    kept as (
      insert into knowledge_web_pages (account_id, document_id, hash, etag, links)
      select d.account_id, d.id, g.hash, g.etag, g.links from gone g
      join knowledge_run_pages p on p.account_id = ${accountId} and p.run_id = ${runId} and p.number = g.number
        and p.verdict in ('added', 'changed', 'unchanged')
      join knowledge_runs r on r.account_id = p.account_id and r.id = p.run_id and r.state = 'published'
      join knowledge_documents d on d.account_id = p.account_id and d.id = p.document_id and d.source_id = r.source_id
        and d.url = p.url
      on conflict (account_id, document_id) do update set hash = excluded.hash, etag = excluded.etag,
        links = excluded.links)
    select count(*) = ${limit}::int as "isMore" from gone`,
    long,
  );
  return row!.isMore;
}

/** Of these documents: passages that are not in use, and versions that no run has put into use. */
export async function deleteUnused(tx: Tx, accountId: string, ids: readonly string[]): Promise<void> {
  await tx.query(
    sql`
    delete from knowledge_passages p using knowledge_documents d
    where p.account_id = ${accountId} and p.document_id = any(${ids}::uuid[]) and d.account_id = p.account_id and d.id = p.document_id
      and p.version is distinct from d.published_version`,
    long,
  );
  await tx.query(
    sql`
    delete from knowledge_versions v using knowledge_documents d
    where v.account_id = ${accountId} and v.document_id = any(${ids}::uuid[]) and d.account_id = v.account_id and d.id = v.document_id and v.version > d.version`,
    long,
  );
}
