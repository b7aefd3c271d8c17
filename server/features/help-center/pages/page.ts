/** The frame of every page: head, header, footer and the policy that goes with them. */
import { hash } from 'node:crypto';
import type { Site } from '../help-center.sql.ts';
import { script, styleSheet } from './assets.ts';
import { type Html, html } from './html.ts';
import { isRightToLeft, textsOf } from './texts.ts';

export interface Page {
  title: string;
  description?: string;
  /** Of the site; decides the words of the page. */
  language: string;
  body: Html;
  /** Without the origin; null: the page is not for search engines. */
  canonical: string | null;
  /** The same page in other languages. */
  alternates?: { language: string; path: string }[];
  /** What was searched for. */
  q?: string;
  /** Where the page is in another language of the site; without it, or for languages that `alternates` lack, their first page. */
  inLanguage?(language: string): string;
  kind?: 'article' | 'website';
}

/** Null: the site does not exist, so the page has no look of its own. */
export interface Look {
  site: Site | null;
  origin: string;
  /** Of the chat; null: there is none. */
  chatChannel: string | null;
}

const version = (text: string) => hash('sha256', text, 'hex').slice(0, 12);
export const assets: ReadonlyMap<string, { type: string; text: string }> = new Map([
  ['help.css', { type: 'text/css; charset=utf-8', text: styleSheet }],
  ['help.js', { type: 'text/javascript; charset=utf-8', text: script }],
]);
const stylePath = `/help/_/help.css?v=${version(styleSheet)}`;
const scriptPath = `/help/_/help.js?v=${version(script)}`;

const plainColor = '#30333d';

export function renderPage(page: Page, look: Look): { text: string; policy: string } {
  const { site, origin, chatChannel } = look;
  const { texts, mark } = textsOf(page.language);
  const { canonical, alternates = [] } = page;
  const colors = colorStyle(site?.color ?? plainColor);
  const title = !site || page.title === site.name ? page.title : `${page.title} – ${site.name}`;
  const base = site && `/help/${site.slug}`;
  const switches = (site?.languages ?? []).map((language) => ({
    language,
    path:
      alternates.find((one) => one.language === language)?.path ??
      page.inLanguage?.(language) ??
      `${base}/${language}/`,
  }));
  const document = html`<!doctype html>
<html lang="${page.language}"${isRightToLeft(page.language) && html` dir="rtl"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${page.description ? html`<meta name="description" content="${page.description}">` : null}
${
  canonical === null
    ? html`<meta name="robots" content="noindex">`
    : html`<link rel="canonical" href="${origin}${canonical}">
<meta property="og:type" content="${page.kind ?? 'website'}">
<meta property="og:title" content="${page.title}">
<meta property="og:url" content="${origin}${canonical}">
<meta property="og:locale" content="${page.language.replace('-', '_')}">
${site && html`<meta property="og:site_name" content="${site.name}">`}
${page.description ? html`<meta property="og:description" content="${page.description}">` : null}
${site?.logoFileKey ? html`<meta property="og:image" content="${origin}${base}/files/${site.logoFileKey}">` : null}`
}
${alternates.map((one) => html`<link rel="alternate" hreflang="${one.language}" href="${origin}${one.path}">\n`)}<style>${{ markup: colors }}</style>
<link rel="stylesheet" href="${stylePath}">
<script src="${scriptPath}" defer></script>
</head>
<body>
<a class="skip" href="#content"${mark}>${texts.skip}</a>
${
  site &&
  html`<header><div>
<div class="top"><a class="brand" href="${base}/${page.language}/">${site.logoFileKey ? html`<img src="${base}/files/${site.logoFileKey}" alt="">` : null}${site.name}</a>
${switches.length > 1 && html`<nav aria-label="${texts.languages}"${mark}><ul class="languages">${switches.map((one) => html`<li><a href="${one.path}" lang="${one.language}" hreflang="${one.language}"${one.language === page.language && html` aria-current="true"`}>${nameOf(one.language)}</a></li>`)}</ul></nav>`}</div>
<form role="search" action="${base}/search"${mark}><input type="search" dir="auto" name="q" value="${page.q ?? ''}" maxlength="200" aria-label="${texts.searchIn(site.name)}" placeholder="${texts.searchIn(site.name)}" autocomplete="off" aria-keyshortcuts="/ Control+K"><input type="hidden" name="language" value="${page.language}"><button>${texts.search}</button></form>
<div id="suggestions" aria-live="polite"></div>
</div></header>
`
}<main id="content">
${page.body}
</main>
<footer>${
    chatChannel &&
    html`<button id="contact" type="button"${mark} hidden>${texts.contact}</button>
<script src="/widget.js?channel=${chatChannel}" data-language="${page.language}" async></script>`
  }</footer>
</body>
</html>
`;
  return { text: document.markup, policy: policyWith(colors) };
}

/** The page needs no more than its own origin; the frame is that of the chat. */
function policyWith(style: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'sha256-${hash('sha256', style, 'base64')}'`,
    "img-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The color is `#` and six hex digits. */
const colorStyle = (color: string) => `:root{--accent:${color};--on-accent:${inkOn(color)}}`;

/** Black or white, whichever has more contrast. */
function inkOn(color: string): string {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000' : '#fff';
}

/** In the language itself. */
function nameOf(language: string): string {
  try {
    return new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language;
  } catch {
    return language;
  }
}
