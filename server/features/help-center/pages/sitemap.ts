import { languageOf } from '../help-center.articles.ts';
import type { Site } from '../help-center.sql.ts';
import { escaped } from './html.ts';
import { articlePath, homePath } from './views.ts';

export function sitemap(
  origin: string,
  site: Site,
  articles: readonly { id: string; language: string; updatedAt: number }[],
): string {
  const homes = site.languages.map(
    (language) => `<url><loc>${escaped(origin + homePath(site, language))}</loc></url>`,
  );
  const pages = articles.flatMap(({ id, language, updatedAt }) => {
    const shownIn = languageOf(site, language);
    if (shownIn === null) return [];
    const changed = new Date(updatedAt).toISOString();
    return [
      `<url><loc>${escaped(origin + articlePath(site, shownIn, id))}</loc><lastmod>${changed}</lastmod></url>`,
    ];
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${[...homes, ...pages].join('\n')}
</urlset>
`;
}
