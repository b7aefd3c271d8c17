/** The Markdown of articles: that of messages, and tables and images on lines of their own. */
import { type Block, fenceStart, parseMarkdown } from './markdown.ts';
import { type Inline, parseInlines } from './markdown-inlines.ts';

export type ArticleBlock =
  | Block
  | { kind: 'table'; head: Inline[][]; rows: Inline[][][] }
  /** A file that was uploaded, by its key: `![A plug](file:0199…)`. */
  | { kind: 'image'; alt: string; fileKey: string };

const image = /^[ \t]*!\[([^\]\n]*)\]\(file:([0-9a-f-]{36})\)[ \t]*$/;
const tableRow = /^[ \t]*\|(.*)\|[ \t]*$/;
const tableRule = /^[ \t|:-]+$/;

export function parseArticle(text: string): ArticleBlock[] {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const blocks: ArticleBlock[] = [];
  /** Lines for the parser of messages. */
  let plain: string[] = [];
  const add = (block: ArticleBlock) => {
    if (plain.length > 0) blocks.push(...parseMarkdown(plain.join('\n')));
    plain = [];
    blocks.push(block);
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    const picture = image.exec(line);
    if (fenceStart.test(line)) {
      plain.push(line);
      while (++at < lines.length) {
        plain.push(lines[at]!);
        if (lines[at]!.includes('```')) break;
      }
    } else if (picture) {
      add({ kind: 'image', alt: picture[1]!, fileKey: picture[2]! });
    } else if (isTable(line, lines[at + 1])) {
      const head = cellsOf(line);
      const rows: Inline[][][] = [];
      for (at += 2; at < lines.length && tableRow.test(lines[at]!); at++) {
        // A short row stays short: filled up, a wide head would multiply them.
        rows.push(cellsOf(lines[at]!).slice(0, head.length));
      }
      at--;
      add({ kind: 'table', head, rows });
    } else plain.push(line);
  }
  if (plain.length > 0) blocks.push(...parseMarkdown(plain.join('\n')));
  return blocks;
}

/** The keys of the images of an article, each once. */
export function imagesOf(text: string): string[] {
  // Most articles have none.
  if (!text.includes('](file:')) return [];
  const keys = parseArticle(text).flatMap((block) => (block.kind === 'image' ? [block.fileKey] : []));
  return [...new Set(keys)];
}

const isTable = (line: string, next: string | undefined): boolean =>
  tableRow.test(line) &&
  next !== undefined &&
  tableRow.test(next) &&
  tableRule.test(next) &&
  next.includes('-');

function cellsOf(line: string): Inline[][] {
  const inner = tableRow.exec(line)![1]!;
  return inner.split(/(?<!\\)\|/).map((cell) => parseInlines(cell.trim().replaceAll('\\|', '|')));
}
