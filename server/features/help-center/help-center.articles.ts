/** Which articles a site shows where. */
import type { KnowledgeCollection } from '../../../contract/knowledge-collections.ts';
import { toPlainText } from '../../../contract/markdown/markdown.ts';
import type { Reader } from '../../platform/db/db.ts';
import { isId } from '../../platform/ids.ts';
import { type KnowledgeSearch, listCollections } from '../knowledge/knowledge.ts';
import {
  type Article,
  type ArticleTitle,
  countArticles,
  findArticle,
  selectArticleSources,
  selectArticles,
  selectArticlesById,
  selectLanguages,
} from './help-center.articles.sql.ts';
import type { Site } from './help-center.sql.ts';

/** So that a list is a page of at most 30 KB, however long the titles are. */
const pageLength = 25;
const excerptLength = 160;
const maxQueryLength = 200;

export interface Listing {
  collections: { id: string; name: string; count: number }[];
  articles: ArticleTitle[];
  hasNext: boolean;
}

/** Of a collection, in a language of the site. */
export const nameIn = ({ name, names }: KnowledgeCollection, language: string): string =>
  names[language] ?? name;

/** From the top down to the collection. */
export function pathTo(all: readonly KnowledgeCollection[], id: string | null): KnowledgeCollection[] {
  const found = all.find((one) => one.id === id);
  return found ? [...pathTo(all, found.parent), found] : [];
}

/** Collections that hold articles, then articles. `page` begins with 1. */
export async function listPlace(
  db: Reader,
  site: Site,
  language: string,
  collectionId: string | null,
  page: number,
): Promise<Listing> {
  const all = await listCollections(db, site.accountId);
  const counts = await countArticles(db, site, language);
  const countIn = (id: string): number =>
    all
      .filter(({ parent }) => parent === id)
      .reduce((sum, inside) => sum + countIn(inside.id), counts.get(id) ?? 0);
  const collections = all
    .filter(({ parent }) => parent === collectionId)
    .map((one) => ({ id: one.id, name: nameIn(one, language), count: countIn(one.id) }))
    .filter(({ count }) => count > 0);
  const from = (page - 1) * pageLength;
  const shown = collections.slice(from, from + pageLength);
  const articles = await selectArticles(db, site, language, collectionId, {
    offset: Math.max(0, from - collections.length),
    limit: pageLength - shown.length + 1,
  });
  const hasNext =
    collections.length > from + pageLength || articles.length > Math.max(0, pageLength - shown.length);
  return { collections: shown, articles: articles.slice(0, pageLength - shown.length), hasNext };
}

/** Those of the site in which the collection, or one inside it, holds articles. */
export async function languagesOfCollection(
  db: Reader,
  site: Site,
  all: readonly KnowledgeCollection[],
  id: string,
): Promise<string[]> {
  const inside = all.filter((one) => pathTo(all, one.id).some((step) => step.id === id));
  const found = await selectLanguages(
    db,
    site.accountId,
    inside.map((one) => one.id),
  );
  const shownIn = new Set(found.map((language) => languageOf(site, language)));
  return site.languages.filter((language) => shownIn.has(language));
}

/** The language of the site under which an article is; null: under none. */
export function languageOf({ languages }: Site, language: string): string | null {
  if (languages.includes(language)) return language;
  const [base] = language.split('-', 1);
  return languages.includes(base!) ? base! : null;
}

/** Null unless everyone may read it. */
export async function findPublicArticle(
  db: Reader,
  site: Site,
  id: string,
): Promise<(Article & { shownIn: string }) | null> {
  const article = isId(id) ? await findArticle(db, site.accountId, id) : null;
  const shownIn = article && languageOf(site, article.language);
  return article && shownIn !== null ? { ...article, shownIn } : null;
}

export interface FoundArticle extends ArticleTitle {
  excerpt: string;
}

export async function searchArticles(
  { db, knowledgeSearch }: { db: Reader; knowledgeSearch: KnowledgeSearch },
  site: Site,
  language: string,
  text: string,
  limit: number,
): Promise<FoundArticle[]> {
  const q = text.trim().slice(0, maxQueryLength).toWellFormed();
  if (q === '') return [];
  const sourceIds = await selectArticleSources(db, site.accountId);
  const otherLanguages = site.languages.filter((one) => one !== language);
  const filter = { sourceIds, audience: 'public', language, otherLanguages };
  const passages = await knowledgeSearch.searchDocuments(site.accountId, q, filter);
  const ids = passages.map(({ documentId }) => documentId);
  // The index may be a moment behind.
  const shown = new Map((await selectArticlesById(db, site, language, ids)).map((one) => [one.id, one]));
  return passages
    .filter(({ documentId }) => shown.has(documentId))
    .slice(0, limit)
    .map(({ documentId, excerpt }) => ({
      ...shown.get(documentId)!,
      excerpt: clipped(toPlainText(excerpt), excerptLength),
    }));
}

/** Never ends in the middle of a character. */
export function clipped(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text
    .slice(0, length)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()}…`;
}
