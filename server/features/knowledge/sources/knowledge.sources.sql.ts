import type { KnowledgeSource, WebsiteSettings } from '../../../../contract/knowledge.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';

export type NewSource = Pick<
  KnowledgeSource,
  'id' | 'name' | 'kind' | 'language' | 'settings' | 'nextSyncAt' | 'createdAt' | 'updatedAt'
> & {
  /** Sealed. */
  headers: string | null;
};

/** What is derived from the runs of a source is that of its newest one. */
const columns = sql`s.id, s.name, s.kind, s.language, s.settings, s.next_sync_at as "nextSyncAt",
  s.created_at as "createdAt", s.updated_at as "updatedAt", r.id as "lastRunId",
  case r.state when 'running' then 'syncing' when 'failed' then 'problem' else 'idle' end as state,
  case r.state when 'failed' then r.reason end as problem,
  (select json_build_object(
      'published', count(*) filter (where d.state = 'published'), 'draft', count(*) filter (where d.state = 'draft'),
      'failed', count(*) filter (where d.state = 'failed'), 'gone', count(*) filter (where d.state = 'gone'))
    from knowledge_documents d where d.account_id = s.account_id and d.source_id = s.id) as counts`;

async function select(db: Reader, rest: Sql): Promise<KnowledgeSource[]> {
  return db.query<KnowledgeSource>(sql`
    select ${columns} from knowledge_sources s
    left join lateral (
      select id, state, reason from knowledge_runs r
      where r.account_id = s.account_id and r.source_id = s.id order by r.id desc limit 1) r on true
    ${rest}`);
}

export async function selectSources(
  db: Reader,
  accountId: string,
  after: string | null,
  limit: number,
): Promise<KnowledgeSource[]> {
  return select(
    db,
    sql`where s.account_id = ${accountId} and (${after}::uuid is null or s.id > ${after}::uuid) order by s.id limit ${limit}`,
  );
}

export async function findSource(db: Reader, accountId: string, id: string): Promise<KnowledgeSource | null> {
  return (await select(db, sql`where s.account_id = ${accountId} and s.id = ${id}`))[0] ?? null;
}

export async function selectFirstSource(
  db: Reader,
  accountId: string,
  kind: KnowledgeSource['kind'],
): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(sql`
    select id from knowledge_sources where account_id = ${accountId} and kind = ${kind}
    order by created_at, id limit 1`);
  return row?.id ?? null;
}

export async function selectKnownSources(
  db: Reader,
  accountId: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(sql`
    select id from knowledge_sources where account_id = ${accountId} and id = any(${ids}::uuid[])`);
  return new Set(rows.map(({ id }) => id));
}

export async function findSourceKind(
  db: Reader,
  accountId: string,
  id: string,
): Promise<KnowledgeSource['kind'] | null> {
  const [row] = await db.query<{ kind: KnowledgeSource['kind'] }>(sql`
    select kind from knowledge_sources where account_id = ${accountId} and id = ${id}`);
  return row?.kind ?? null;
}

export interface Website {
  id: string;
  language: string | null;
  settings: WebsiteSettings;
  /** Sealed. */
  headers: string | null;
  nextSyncAt: number | null;
}

const websiteColumns = sql`id, language, settings, headers, next_sync_at as "nextSyncAt"`;

export async function findWebsite(db: Reader, accountId: string, id: string): Promise<Website | null> {
  const [row] = await db.query<Website>(sql`
    select ${websiteColumns} from knowledge_sources
    where account_id = ${accountId} and id = ${id} and kind = 'website'`);
  return row ?? null;
}

/** Those who start runs of the source wait for each other. */
export async function lockWebsite(tx: Tx, accountId: string, id: string): Promise<Website | null> {
  const [row] = await tx.query<Website>(sql`
    select ${websiteColumns} from knowledge_sources
    where account_id = ${accountId} and id = ${id} and kind = 'website' for no key update`);
  return row ?? null;
}

export async function setNextSync(tx: Tx, accountId: string, id: string, at: number): Promise<void> {
  await tx.query(sql`
    update knowledge_sources set next_sync_at = ${at} where account_id = ${accountId} and id = ${id}`);
}

/** By kind. */
export async function countSources(
  db: Reader,
  accountId: string,
  kind: KnowledgeSource['kind'] | null,
): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from knowledge_sources
    where account_id = ${accountId} and (${kind}::text is null or kind = ${kind})`);
  return row!.count;
}

export async function insertSource(tx: Tx, accountId: string, source: NewSource): Promise<void> {
  await tx.query(sql`
    insert into knowledge_sources (account_id, id, name, kind, language, settings, headers, next_sync_at, created_at,
      updated_at)
    values (${accountId}, ${source.id}, ${source.name}, ${source.kind}, ${source.language},
      ${JSON.stringify(source.settings)}, ${source.headers}, ${source.nextSyncAt}, ${source.createdAt},
      ${source.updatedAt})`);
}

export async function updateSource(tx: Tx, accountId: string, source: NewSource): Promise<void> {
  await tx.query(sql`
    update knowledge_sources set name = ${source.name}, language = ${source.language},
      settings = ${JSON.stringify(source.settings)}, headers = ${source.headers}, next_sync_at = ${source.nextSyncAt},
      updated_at = ${source.updatedAt}
    where account_id = ${accountId} and id = ${source.id}`);
}

export async function deleteSource(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(sql`delete from knowledge_sources where account_id = ${accountId} and id = ${id}`);
}
