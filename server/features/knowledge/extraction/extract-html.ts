/** The main text of a page, else the text of its whole body. */
import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { decodeText, languageTag } from './extracted-text.ts';
import { ExtractionProblem } from './extraction.problem.ts';
import type { Extracted, ExtractedPage, ExtractionRequest } from './extraction.ts';
import { type HtmlElement, markdownOf } from './markdown-of-html.ts';

interface HtmlDocument extends HtmlElement {
  documentElement: HtmlElement;
  createElement(name: string): HtmlElement;
}

export function extractHtml({ bytes, url }: ExtractionRequest): Extracted {
  const document = parse(decodeText(bytes, declaredEncoding(bytes)));
  const { documentElement } = document;
  const base = resolved(document.querySelector('base[href]')?.getAttribute('href'), url) ?? url;
  makeAbsolute(document, base);
  keepTitlesOfButtons(document);
  const page = pageOf(document);
  const language = languageTag(
    documentElement.getAttribute('lang') ?? documentElement.getAttribute('xml:lang'),
  );
  const ownTitle = textOf(document, 'title') || textOf(document, 'h1');
  const body = mainTextOf(document);
  return { title: body.title || ownTitle, text: body.text, language, page };
}

/** All of it, without looking for a main text. */
export function extractHtmlText(html: string): { title: string; text: string } {
  const document = parse(html);
  return { title: textOf(document, 'h1'), text: markdownOf(document.querySelector('body')!) };
}

const longestPrologue = 2_048;

/** `<meta charset>` near the beginning. */
function declaredEncoding(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.subarray(0, longestPrologue)).toString('latin1');
  return /<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w-]{1,40})/i.exec(start)?.[1] ?? null;
}

const longestSpace = 200;

/** Expressions of the libraries take time that grows with the square of a run of white space. */
const withoutLongSpaces = (html: string): string =>
  html.replace(/(?<!\s)\s{201,}/g, (space) => space.slice(0, longestSpace));

/** The parser does not add what a page left out, as browsers do. */
function parse(source: string): HtmlDocument {
  const html = withoutLongSpaces(source);
  const whole = /<html[\s>]/i.test(html) ? html : `<html><head></head><body>${html}</body></html>`;
  const { document } = parseHTML(whole) as { document: HtmlDocument };
  const root = document.querySelector('html')!;
  const children = [...root.childNodes];
  if (children.some(({ nodeName }) => nodeName === 'BODY')) return document;
  const body = document.createElement('body');
  for (const child of children) if (child.nodeName !== 'HEAD') body.appendChild(child);
  root.appendChild(body);
  return document;
}

function pageOf(document: HtmlDocument): ExtractedPage {
  const links = new Set<string>();
  for (const link of document.querySelectorAll('a[href], area[href]')) {
    const address = webAddress(link.getAttribute('href'));
    if (address) links.add(address);
  }
  const robots = [...document.querySelectorAll('meta[name][content]')]
    .filter((meta) => /^(?:robots|talkboard)$/i.test(meta.getAttribute('name')!.trim()))
    .flatMap((meta) =>
      meta
        .getAttribute('content')!
        .toLowerCase()
        .split(/[\s,]+/),
    );
  return {
    links: [...links],
    canonical: webAddress(document.querySelector('link[rel~="canonical"][href]')?.getAttribute('href')),
    isNoindex: robots.includes('noindex') || robots.includes('none'),
    isNofollow: robots.includes('nofollow') || robots.includes('none'),
  };
}

/** Without its fragment; null: it is not of the web. */
function webAddress(href: string | null | undefined): string | null {
  const address = resolved(href, undefined);
  if (!address) return null;
  const url = new URL(address);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  url.hash = '';
  return url.href;
}

function resolved(href: string | null | undefined, base: string | undefined): string | null {
  return href === null || href === undefined ? null : (URL.parse(href.trim(), base)?.href ?? null);
}

function makeAbsolute(document: HtmlDocument, base: string | undefined): void {
  for (const element of document.querySelectorAll('a[href], area[href], link[href]')) {
    const href = element.getAttribute('href')!;
    // A place on the same page is not a link to keep.
    if (href.trim().startsWith('#')) element.removeAttribute('href');
    else element.setAttribute('href', resolved(href, base) ?? '');
  }
}

/** Questions that open their answers are buttons in headings, and buttons are dropped. */
function keepTitlesOfButtons(document: HtmlDocument): void {
  for (const button of document.querySelectorAll(
    'h1 button, h2 button, h3 button, h4 button, h5 button, h6 button, dt button',
  ))
    button.replaceWith(...button.childNodes);
}

const textOf = (document: HtmlDocument, selector: string): string =>
  document.querySelector(selector)?.textContent ?? '';

/** Readability needs time by the third power of it. Pages of people have less than a hundred. */
const deepestArticle = 256;
/** The way to Markdown needs the second power of it, and a stack. */
const deepest = 1_000;

function mainTextOf(document: HtmlDocument): { title: string; text: string } {
  const body = document.querySelector('body')!;
  const depth = depthOf(body);
  if (depth > deepest) throw new ExtractionProblem('broken', 'its elements are nested too deeply');
  const article = depth > deepestArticle ? null : articleOf(document);
  const title = article?.title ?? '';
  const text = article?.content ? markdownOf(article.content) : '';
  return { title, text: /[\p{L}\p{N}]/u.test(text) ? text : markdownOf(body) };
}

/** Of a copy, because it changes the document. */
function articleOf(document: HtmlDocument) {
  return new Readability<HtmlElement>(document.cloneNode(true) as never, {
    serializer: (node) => node as unknown as HtmlElement,
  }).parse();
}

/** At most one more than `deepest`. */
function depthOf(element: HtmlElement): number {
  let depth = 0;
  for (let level = [element]; level.length > 0 && depth <= deepest; depth++)
    level = level.flatMap(({ children }) => [...children]);
  return depth;
}
