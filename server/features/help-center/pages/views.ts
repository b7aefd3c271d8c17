/** What each page shows. */
import type { KnowledgeCollection } from '../../../../contract/knowledge-collections.ts';
import { toPlainText } from '../../../../contract/markdown/markdown.ts';
import type { Article } from '../help-center.articles.sql.ts';
import { clipped, type FoundArticle, type Listing, nameIn } from '../help-center.articles.ts';
import type { Site } from '../help-center.sql.ts';
import { articleHtml } from './article-html.ts';
import { type Html, html } from './html.ts';
import type { Page } from './page.ts';
import { textsOf, type Words } from './texts.ts';

/** Of titles in lists. */
const titleLength = 80;
const descriptionLength = 160;
/** Enough of a text for its description. */
const beginning = 1_000;

export const homePath = (site: Site, language: string) => `/help/${site.slug}/${language}/`;
export const articlePath = (site: Site, language: string, id: string) =>
  `${homePath(site, language)}articles/${id}`;
const collectionPath = (site: Site, language: string, id: string) =>
  `${homePath(site, language)}collections/${id}`;
const filesAt = (site: Site) => `/help/${site.slug}/files/`;

const homes = (site: Site) =>
  site.languages.map((language) => ({ language, path: homePath(site, language) }));

interface Place {
  site: Site;
  language: string;
  listing: Listing;
  page: number;
}

export function homeView({ site, language, listing, page }: Place): Page {
  const words = textsOf(language);
  const path = homePath(site, language);
  const homeText = site.homeTexts[language] ?? site.homeText;
  const text = page === 1 ? homeText : '';
  return {
    title: site.name,
    description: descriptionOf(homeText),
    language,
    canonical: page === 1 ? path : null,
    alternates: homes(site),
    body: html`<h1>${site.name}</h1>
${text !== '' && articleHtml(text, filesAt(site))}
${listed(site, language, listing, words)}
${pages(path, page, listing.hasNext, words)}`,
  };
}

export function collectionView(
  { site, language, listing, page }: Place,
  path: readonly KnowledgeCollection[],
  languages: readonly string[],
): Page {
  const words = textsOf(language);
  const collection = path.at(-1)!;
  const name = nameIn(collection, language);
  const own = collectionPath(site, language, collection.id);
  return {
    title: clipped(name, titleLength),
    language,
    canonical: page === 1 ? own : null,
    alternates: languages.map((one) => ({
      language: one,
      path: collectionPath(site, one, collection.id),
    })),
    body: html`${pathView(site, language, path.slice(0, -1), words)}
<h1>${name}</h1>
${listed(site, language, listing, words)}
${pages(own, page, listing.hasNext, words)}`,
  };
}

export interface ArticleParts {
  site: Site;
  article: Article & { shownIn: string };
  path: readonly KnowledgeCollection[];
  /** Of the site, with the articles in them; without the article's own. */
  translations: readonly { language: string; id: string }[];
  isThanked: boolean;
}

export function articleView({ site, article, path, translations, isThanked }: ArticleParts): Page {
  const { id, shownIn: language, title, text, updatedAt } = article;
  const words = textsOf(language);
  const own = articlePath(site, language, id);
  const date = new Date(updatedAt).toISOString().slice(0, 10);
  const shownDate = new Intl.DateTimeFormat(words.language, { dateStyle: 'long', timeZone: 'UTC' }).format(
    updatedAt,
  );
  const alternates = [
    { language, path: own },
    ...translations.map((one) => ({ language: one.language, path: articlePath(site, one.language, one.id) })),
  ];
  return {
    title,
    description: descriptionOf(text),
    language,
    kind: 'article',
    canonical: own,
    alternates,
    body: html`${pathView(site, language, path, words)}
<article><h1>${title}</h1>
${articleHtml(text, filesAt(site))}
<p class="meta"${words.mark}>${words.texts.updated} <time datetime="${date}">${shownDate}</time></p></article>
${feedback(site, id, words, isThanked)}`,
  };
}

export function searchView(site: Site, language: string, q: string, found: readonly FoundArticle[]): Page {
  const { texts, mark } = textsOf(language);
  const results = found.map(
    ({ id, title, excerpt }) =>
      html`<li><a href="${articlePath(site, language, id)}">${clipped(title, titleLength)}</a>${excerpt !== '' && html`<p>${excerpt}</p>`}</li>\n`,
  );
  const isEmpty = q === '';
  return {
    title: isEmpty ? texts.search : texts.results(q),
    language,
    canonical: null,
    q,
    inLanguage: (one) => `/help/${site.slug}/search?${new URLSearchParams({ q, language: one })}`,
    body: html`<h1${mark}>${isEmpty ? texts.search : texts.results(q)}</h1>
${found.length > 0 ? html`<ul class="list">${results}</ul>` : html`<p${mark}>${isEmpty ? texts.tooShort : texts.nothingFound(q)}</p>`}`,
  };
}

export function messageView(language: string, kind: 'notFound' | 'tooMany'): Page {
  const { texts, mark } = textsOf(language);
  return {
    title: texts[kind],
    language,
    canonical: null,
    body: html`<div${mark}><h1>${texts[kind]}</h1>\n<p>${texts[`${kind}Text`]}</p></div>`,
  };
}

function listed(
  site: Site,
  language: string,
  { collections, articles }: Listing,
  { texts, mark }: Words,
): Html {
  if (collections.length + articles.length === 0) return html`<p${mark}>${texts.empty}</p>`;
  const inside = collections.map(
    ({ id, name, count }) =>
      html`<li><a href="${collectionPath(site, language, id)}">${clipped(name, titleLength)}</a><span${mark}>${texts.articles(count)}</span></li>\n`,
  );
  const own = articles.map(
    ({ id, title }) =>
      html`<li><a href="${articlePath(site, language, id)}">${clipped(title, titleLength)}</a></li>\n`,
  );
  return html`${inside.length > 0 && html`<ul class="tiles">${inside}</ul>`}${own.length > 0 && html`<ul class="list">${own}</ul>`}`;
}

function pathView(
  site: Site,
  language: string,
  path: readonly KnowledgeCollection[],
  { texts, mark }: Words,
): Html {
  const steps = path.map(
    (one) =>
      html`<li><a href="${collectionPath(site, language, one.id)}">${clipped(nameIn(one, language), titleLength)}</a></li>`,
  );
  return html`<nav class="path" aria-label="${texts.path}"><ol><li><a href="${homePath(site, language)}"${mark}>${texts.home}</a></li>${steps}</ol></nav>`;
}

function pages(path: string, page: number, hasNext: boolean, { texts, mark }: Words): Html | false {
  if (page === 1 && !hasNext) return false;
  return html`<p class="pages"${mark}>${page > 1 && html`<a href="${path}?page=${page - 1}" rel="prev">${texts.previous}</a>`}${hasNext && html`<a href="${path}?page=${page + 1}" rel="next">${texts.next}</a>`}</p>`;
}

function feedback(site: Site, id: string, { texts, mark }: Words, isThanked: boolean): Html {
  if (isThanked) return html`<div class="feedback"${mark}><p role="status">${texts.thanks}</p></div>`;
  return html`<form class="feedback"${mark} aria-label="${texts.helpful}" method="post" action="/help/${site.slug}/articles/${id}/feedback" data-thanks="${texts.thanks}"><span>${texts.helpful}</span><button name="helpful" value="true">${texts.yes}</button><button name="helpful" value="false">${texts.no}</button></form>`;
}

const descriptionOf = (text: string): string => {
  const whole = text.slice(0, beginning).replace(/^[ \t]*(?:[|!]).*$/gm, '');
  return clipped(toPlainText(whole), descriptionLength);
};
