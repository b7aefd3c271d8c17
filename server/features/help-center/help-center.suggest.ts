/** Articles for somebody who is about to write. */
import type { Reader } from '../../platform/db/db.ts';
import type { KnowledgeSearch } from '../knowledge/knowledge.ts';
import { type FoundArticle, searchArticles } from './help-center.articles.ts';
import { findSiteOfAccount } from './help-center.sql.ts';
import { articlePath } from './pages/views.ts';

const suggested = 3;

/** None while the site is off. `path`: of the article's page. */
export async function suggestArticles(
  deps: { db: Reader; knowledgeSearch: KnowledgeSearch },
  accountId: string,
  { q, language }: { q: string; language: string },
): Promise<(FoundArticle & { path: string })[]> {
  const site = await findSiteOfAccount(deps.db, accountId);
  if (!site) return [];
  const base = (one: string) => one.split('-', 1)[0];
  const chosen =
    site.languages.find((one) => one === language) ??
    site.languages.find((one) => base(one) === base(language)) ??
    site.languages[0]!;
  const found = await searchArticles(deps, site, chosen, q, suggested);
  return found.map((article) => ({ ...article, path: articlePath(site, chosen, article.id) }));
}
