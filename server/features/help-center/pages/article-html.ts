/** An article's Markdown as HTML. Links lead to pages and mailboxes only; everything that is no Markdown is text. */
import { type ArticleBlock, parseArticle } from '../../../../contract/markdown/article.ts';
import type { MarkdownList } from '../../../../contract/markdown/markdown.ts';
import type { Inline } from '../../../../contract/markdown/markdown-inlines.ts';
import { type Html, html } from './html.ts';

/** `filesAt`: where the images are, with a slash at its end. */
export function articleHtml(text: string, filesAt: string): Html {
  let level = 1;
  const block = (one: ArticleBlock): Html => {
    switch (one.kind) {
      case 'paragraph':
        return html`<p>${inlines(one.inlines)}</p>`;
      case 'heading':
        // The title of the page is the first level, and no level is left out below it.
        level = Math.min(one.level + 1, level + 1, 6);
        return heading(level, inlines(one.inlines));
      case 'code':
        return html`<pre tabindex="0"><code>${one.text}</code></pre>`;
      case 'list':
        return list(one);
      case 'image':
        return html`<p><img src="${filesAt}${one.fileKey}" alt="${one.alt}" loading="lazy"></p>`;
      case 'table':
        return table(one);
    }
  };
  return html`${parseArticle(text).map(block)}`;
}

const headings = [
  (content: Html) => html`<h2>${content}</h2>`,
  (content: Html) => html`<h3>${content}</h3>`,
  (content: Html) => html`<h4>${content}</h4>`,
  (content: Html) => html`<h5>${content}</h5>`,
  (content: Html) => html`<h6>${content}</h6>`,
];
const heading = (level: number, content: Html): Html => headings[level - 2]!(content);

function list({ start, items }: MarkdownList): Html {
  const content = items.map((item) => html`<li>${inlines(item.inlines)}${item.lists.map(list)}</li>`);
  return start === null ? html`<ul>${content}</ul>` : html`<ol start="${start}">${content}</ol>`;
}

function table({ head, rows }: Extract<ArticleBlock, { kind: 'table' }>): Html {
  const body = rows.map((row) => html`<tr>${row.map((cell) => html`<td>${inlines(cell)}</td>`)}</tr>`);
  return html`<div class="wide" tabindex="0"><table><thead><tr>${head.map((cell) => html`<th scope="col">${inlines(cell)}</th>`)}</tr></thead><tbody>${body}</tbody></table></div>`;
}

const inlines = (parts: readonly Inline[]): Html => html`${parts.map(inline)}`;

function inline(part: Inline): Html {
  switch (part.kind) {
    case 'text':
      return withLineBreaks(part.text);
    case 'code':
      return html`<code>${part.text}</code>`;
    case 'strong':
      return html`<strong>${inlines(part.inlines)}</strong>`;
    case 'emphasis':
      return html`<em>${inlines(part.inlines)}</em>`;
    case 'link':
      return /^(?:https?|mailto):/.test(part.href)
        ? html`<a href="${part.href}" rel="noopener nofollow">${part.text}</a>`
        : html`${part.text}`;
  }
}

const withLineBreaks = (text: string): Html =>
  html`${text.split('\n').map((line, at) => html`${at > 0 && html`<br>`}${line}`)}`;
