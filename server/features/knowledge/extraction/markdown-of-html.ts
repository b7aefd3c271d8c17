/** HTML as Markdown: headings, lists, tables and links are kept; pictures and scripts are not. */
import Turndown, { type HtmlElement } from 'turndown';

export type { HtmlElement };

const dropped = [
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'iframe',
  'object',
  'canvas',
  'audio',
  'video',
];
const dropsToo = [
  'head',
  'title',
  'meta',
  'link',
  'img',
  'picture',
  'input',
  'select',
  'textarea',
  'button',
  'nav',
  '[hidden]',
];

export function markdownOf(element: HtmlElement): string {
  for (const one of element.querySelectorAll([...dropped, ...dropsToo].join(','))) one.remove();
  return (
    converter()
      .turndown(element)
      // The look-behind keeps it linear: a page may have 100,000 spaces before a letter.
      .replace(/(?<![ \t])[ \t]+$/gm, '')
      .replace(/\n{3,}/g, '\n\n')
      .trim()
  );
}

function converter(): Turndown {
  const isLayout = remembered((table) => isLayoutTable(table));
  const isInLayout = (node: HtmlElement) => {
    const table = closest(node, 'TABLE');
    return table === null || isLayout(table);
  };
  const countItems = remembered((list) => ({ next: Number(list.getAttribute('start')) || 1 }));
  const turndown = new Turndown({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
    hr: '---',
  });
  turndown.escape = escapeLineStarts;
  turndown.addRule('link', {
    filter: (node) => node.nodeName === 'A',
    replacement: (content, node) => linkOf(content, node.getAttribute('href')),
  });
  turndown.addRule('summary', {
    filter: ['summary'],
    replacement: (content) => `\n\n**${oneLine(content)}**\n\n`,
  });
  turndown.addRule('details', { filter: ['details'], replacement: (content) => `\n\n${content}\n\n` });
  turndown.addRule('item', {
    filter: ['li'],
    replacement: (content, node) => {
      const mark = node.parentNode?.nodeName === 'OL' ? `${countItems(node.parentNode).next++}. ` : '- ';
      const text = content.trim().replace(/(?<!\n)\n{2,}(?=[ \t]*(?:- |\d+\. ))/g, '\n');
      return text === '' ? '' : `${mark}${text.replace(/\n(?=.)/g, `\n${' '.repeat(mark.length)}`)}\n`;
    },
  });
  turndown.addRule('heading', {
    filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
    replacement: (content, { nodeName }) => {
      const title = oneLine(content);
      return title === '' ? '' : `\n\n${'#'.repeat(Number(nodeName[1]))} ${title}\n\n`;
    },
  });
  turndown.addRule('table', {
    filter: ['table'],
    replacement: (content, node) => (isLayout(node) ? content : tableOf(content)),
  });
  // The text between two rows is white space.
  turndown.addRule('row', {
    filter: ['tr'],
    replacement: (content, node) => (isInLayout(node) ? `\n\n${content}\n\n` : `${rowMark}${content}`),
  });
  turndown.addRule('cell', {
    filter: ['td', 'th'],
    replacement: (content, node) => {
      if (isInLayout(node)) return `\n\n${content}\n\n`;
      const span = Math.min(Number(node.getAttribute('colspan')) || 1, 50);
      return `${cellMark}${oneLine(content).replaceAll('|', '\\|')}${cellMark.repeat(span - 1)}`;
    },
  });
  return turndown;
}

/** What would be read as structure at the beginning of a line. Anywhere else the signs do no harm. */
const escapeLineStarts = (text: string): string =>
  text.replace(/^(\s*)(#{1,6}\s|[-+*>]\s|```|~~~|\|)/, '$1\\$2').replace(/^(\s*\d{1,9})([.)]\s)/, '$1\\$2');

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Only to the web and to people. A link around blocks is left out: Markdown has none. */
function linkOf(content: string, href: string | null): string {
  const text = content.trim();
  if (/^[#¶§]?$/.test(text)) return '';
  if (text.includes('\n') || !/^(?:https?:|mailto:|tel:)/i.test(href ?? '')) return content;
  const address = href!.replace(
    /[\s()<>]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  return content.replace(text, () => `[${text}](${address})`);
}

// Private characters of Unicode: no page has them where rows and cells begin.
const rowMark = '\ue0f0';
const cellMark = '\ue0f1';

function tableOf(content: string): string {
  const rows = content
    .split(rowMark)
    .slice(1)
    .map((row) => row.split(cellMark).slice(1).map(oneLine))
    .filter((cells) => cells.some((cell) => cell !== ''));
  const width = Math.max(0, ...rows.map(({ length }) => length));
  if (width === 0) return '';
  const lines = rows.map((cells) => `| ${[...cells, ...Array(width - cells.length).fill('')].join(' | ')} |`);
  lines.splice(1, 0, `|${' --- |'.repeat(width)}`);
  const caption = oneLine(content.split(rowMark)[0]!);
  return `\n\n${caption === '' ? '' : `${caption}\n\n`}${lines.join('\n')}\n\n`;
}

/** A table that places parts of a page holds another one, or has no row with two cells. */
function isLayoutTable(table: HtmlElement): boolean {
  if (table.querySelector('table')) return true;
  return !table.querySelector('td ~ td, th ~ td, th ~ th, td ~ th');
}

/** Each table is looked at once, not again for each of its cells. */
function remembered<T>(find: (node: HtmlElement) => T): (node: HtmlElement) => T {
  const found = new WeakMap<HtmlElement, T>();
  return (node) => {
    const known = found.get(node) ?? find(node);
    found.set(node, known);
    return known;
  };
}

function closest(node: HtmlElement, name: string): HtmlElement | null {
  for (let one = node.parentNode; one; one = one.parentNode) if (one.nodeName === name) return one;
  return null;
}
