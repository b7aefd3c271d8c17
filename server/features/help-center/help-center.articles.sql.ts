/** What everyone may read: published public articles in a language of the site. */
import type { Reader } from '../../platform/db/db.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { Site } from './help-center.sql.ts';

/** The sources as an array, not as a join: so the planner reads lists in the order of knowledge_documents_shown. */
const isPublic = (accountId: string): Sql => sql`
  d.account_id = ${accountId} and d.state = 'published' and d.audience = 'public' and d.source_id = any(array(
    select s.id from knowledge_sources s where s.account_id = ${accountId} and s.kind = 'articles'))`;

/** `pt` also has what is in `pt-BR`, unless that is a language of the site too. */
const isIn = ({ languages }: Site, language: string): Sql => sql`
  (d.language = ${language}
    or (starts_with(d.language, ${`${language}-`}) and d.language <> all(${languages}::text[])))`;

export interface ArticleTitle {
  id: string;
  title: string;
}

/** By title; `collectionId` null: those in no collection. */
export async function selectArticles(
  db: Reader,
  site: Site,
  language: string,
  collectionId: string | null,
  { offset, limit }: { offset: number; limit: number },
): Promise<ArticleTitle[]> {
  return db.query<ArticleTitle>(sql`
    select d.id, d.title from knowledge_documents d
    where ${isPublic(site.accountId)} and ${isIn(site, language)}
      and ${collectionId === null ? sql`d.collection_id is null` : sql`d.collection_id = ${collectionId}`}
    order by d.collection_id, left(lower(d.title), 200), d.id limit ${limit} offset ${offset}`);
}

/** Those of the ids that everyone may read. */
export async function selectArticlesById(
  db: Reader,
  site: Site,
  language: string,
  ids: readonly string[],
): Promise<ArticleTitle[]> {
  return db.query<ArticleTitle>(sql`
    select d.id, d.title from knowledge_documents d
    where ${isPublic(site.accountId)} and ${isIn(site, language)} and d.id = any(${ids}::uuid[])`);
}

/** By collection; those in none are left out. */
export async function countArticles(
  db: Reader,
  site: Site,
  language: string,
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ id: string; count: number }>(sql`
    select d.collection_id as id, count(*)::int as count from knowledge_documents d
    where ${isPublic(site.accountId)} and ${isIn(site, language)} and d.collection_id is not null
    group by d.collection_id`);
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** Of articles in the collections. */
export async function selectLanguages(
  db: Reader,
  accountId: string,
  collectionIds: readonly string[],
): Promise<string[]> {
  const rows = await db.query<{ language: string }>(sql`
    select distinct d.language from knowledge_documents d
    where ${isPublic(accountId)} and d.collection_id = any(${collectionIds}::uuid[])`);
  return rows.map(({ language }) => language);
}

export interface Article extends ArticleTitle {
  language: string;
  collectionId: string | null;
  translationOf: string | null;
  version: number;
  text: string;
  updatedAt: number;
}

export async function findArticle(db: Reader, accountId: string, id: string): Promise<Article | null> {
  const [row] = await db.query<Article>(sql`
    select d.id, v.title, d.language, d.collection_id as "collectionId", d.translation_of as "translationOf",
      v.version, v.text, v.created_at as "updatedAt"
    from knowledge_documents d
    join knowledge_versions v
      on v.account_id = d.account_id and v.document_id = d.id and v.version = d.published_version
    where ${isPublic(accountId)} and d.id = ${id}`);
  return row ?? null;
}

/** The original and its translations, the oldest first, without the article itself. */
export async function selectTranslations(
  db: Reader,
  accountId: string,
  { id, translationOf }: Pick<Article, 'id' | 'translationOf'>,
): Promise<{ id: string; language: string }[]> {
  const original = translationOf ?? id;
  return db.query(sql`
    select d.id, d.language from knowledge_documents d
    where ${isPublic(accountId)} and (d.id = ${original} or d.translation_of = ${original}) and d.id <> ${id}
    order by d.id`);
}

/** Another one after each change of a document or of the site. */
export async function selectSitemapVersion(db: Reader, accountId: string): Promise<string> {
  const [row] = await db.query<{ version: string }>(sql`
    select h.updated_at || ' ' || coalesce(s.changes, 0) as version
    from help_centers h left join knowledge_state s on s.account_id = h.account_id
    where h.account_id = ${accountId}`);
  return row?.version ?? '';
}

export async function selectForSitemap(
  db: Reader,
  accountId: string,
  limit: number,
): Promise<{ id: string; language: string; updatedAt: number }[]> {
  return db.query(sql`
    select d.id, d.language, v.created_at as "updatedAt" from knowledge_documents d
    join knowledge_versions v
      on v.account_id = d.account_id and v.document_id = d.id and v.version = d.published_version
    where ${isPublic(accountId)} order by d.id limit ${limit}`);
}

/** Whether the published text of an article shows the image. */
export async function isImageOfArticle(db: Reader, accountId: string, fileKey: string): Promise<boolean> {
  const rows = await db.query(sql`
    select from knowledge_images i
    join knowledge_documents d on d.account_id = i.account_id and d.id = i.document_id
    join knowledge_versions v
      on v.account_id = d.account_id and v.document_id = d.id and v.version = d.published_version
    where i.account_id = ${accountId} and i.file_key = ${fileKey} and ${isPublic(accountId)}
      and position(${fileKey} in v.text) > 0
    limit 1`);
  return rows.length > 0;
}

export async function selectArticleSources(db: Reader, accountId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from knowledge_sources where account_id = ${accountId} and kind = 'articles'`);
  return rows.map(({ id }) => id);
}

/** The chosen channel for websites, else the oldest one: its chat is the way to the account. Null: there is none. */
export async function findChatChannel(
  db: Reader,
  { accountId, contactChannelId }: Pick<Site, 'accountId' | 'contactChannelId'>,
): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(sql`
    select id from channels where account_id = ${accountId} and type = 'web' and enabled
      and (${contactChannelId}::uuid is null or id = ${contactChannelId}::uuid)
    order by created_at, id limit 1`);
  return row?.id ?? null;
}

export async function isWebChannel(db: Reader, accountId: string, id: string): Promise<boolean> {
  const rows = await db.query(sql`
    select from channels where account_id = ${accountId} and id = ${id} and type = 'web'`);
  return rows.length > 0;
}
