/**
 * The Markdown of messages: paragraphs, headings, lists, code, emphasis, links. It returns data, never markup, so text
 * stays text wherever it is rendered; a link leads to a page, a mailbox or a telephone and nowhere else. It takes time in
 * proportion to the text, for any text: see markdown.test.ts before you change an expression.
 */
import { type Inline, type InlineOptions, parseInlines } from './markdown-inlines.ts';

export interface MarkdownList {
  kind: 'list';
  /** The first number of a numbered list; null: bullets. */
  start: number | null;
  items: MarkdownItem[];
}

export interface MarkdownItem {
  /** Line breaks are part of the text. */
  inlines: Inline[];
  lists: MarkdownList[];
}

export type Block =
  | { kind: 'paragraph'; inlines: Inline[] }
  /** `level`: from 1 to 6. */
  | { kind: 'heading'; level: number; inlines: Inline[] }
  | { kind: 'code'; text: string }
  | MarkdownList;

export const fenceStart = /^[ \t]*```[^`]*$/;
const heading = /^(#{1,6})[ \t]+(\S.*)$/;
const listItem = /^([ \t]*)(?:[-*+•]|(\d{1,9})[.)])[ \t]+(\S.*)$/;
const indented = /^(?: {2}|\t)\s*\S/;
/** Deeper ones are shown at this level. */
const deepestLevel = 3;

interface OpenList {
  indent: number;
  list: MarkdownList;
}

export function parseMarkdown(text: string, options: InlineOptions = {}): Block[] {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const blocks: Block[] = [];
  /** Of the list that is being read, by level; empty outside of one. */
  let open: OpenList[] = [];
  /** Lines of the paragraph or of the list item that is being read. */
  let gathered: string[] = [];
  let place: { inlines: Inline[] } | null = null;

  const flush = () => {
    if (place) place.inlines = parseInlines(gathered.join('\n'), options);
    gathered = [];
    place = null;
  };
  const gather = (into: { inlines: Inline[] }, line: string) => {
    flush();
    place = into;
    gathered = [line];
  };

  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (line.trim() === '') {
      // The list goes on if another item follows the empty lines.
      flush();
      continue;
    }
    if (fenceStart.test(line)) {
      flush();
      open = [];
      const code: string[] = [];
      for (at++; at < lines.length; at++) {
        const end = lines[at]!.indexOf('```');
        if (end < 0) {
          code.push(lines[at]!);
          continue;
        }
        if (lines[at]!.slice(0, end).trim() !== '') code.push(lines[at]!.slice(0, end));
        break;
      }
      blocks.push({ kind: 'code', text: code.join('\n') });
      continue;
    }
    const title = heading.exec(line);
    if (title) {
      const block: Block = { kind: 'heading', level: title[1]!.length, inlines: [] };
      blocks.push(block);
      open = [];
      gather(block, title[2]!);
      flush();
      continue;
    }
    const item = listItem.exec(line);
    if (item) {
      const made: MarkdownItem = { inlines: [], lists: [] };
      addItem(blocks, open, widthOf(item[1]!), item[2] === undefined ? null : Number(item[2]), made);
      gather(made, item[3]!);
      continue;
    }
    if (place && (open.length === 0 || indented.test(line))) {
      gathered.push(open.length === 0 ? line : line.trim());
      continue;
    }
    const block: Block = { kind: 'paragraph', inlines: [] };
    blocks.push(block);
    open = [];
    gather(block, line);
  }
  flush();
  return blocks;
}

/** `open` is changed in place: the lists that the next item may belong to. */
function addItem(
  blocks: Block[],
  open: OpenList[],
  indent: number,
  number: number | null,
  item: MarkdownItem,
): void {
  while (open.length > 1 && indent < open.at(-1)!.indent) open.pop();
  const last = open.at(-1);
  const isDeeper = last !== undefined && indent >= last.indent + 2 && open.length <= deepestLevel;
  if (last && !isDeeper && (last.list.start === null) === (number === null)) {
    last.list.items.push(item);
    return;
  }
  const list: MarkdownList = { kind: 'list', start: number, items: [item] };
  if (last && !isDeeper) open.pop();
  const parent = open.at(-1);
  if (parent) parent.list.items.at(-1)!.lists.push(list);
  else blocks.push(list);
  open.push({ indent, list });
}

const widthOf = (space: string) => space.replaceAll('\t', '    ').length;

/** In one line and without its signs, for previews. A text that was cut off may have an opening sign too many. */
export function toPlainText(text: string): string {
  return parseMarkdown(text)
    .map(plainBlock)
    .join(' ')
    .replace(/(?<!\S)(?:\*\*|__|`+)(?=\S)/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function plainBlock(block: Block): string {
  if (block.kind === 'code') return block.text;
  if (block.kind !== 'list') return plainInlines(block.inlines);
  const { start, items } = block;
  return items
    .map(({ inlines, lists }, index) => {
      const mark = start === null ? '•' : `${start + index}.`;
      return [mark, plainInlines(inlines), ...lists.map(plainBlock)].join(' ');
    })
    .join(' ');
}

const plainInlines = (inlines: readonly Inline[]): string =>
  inlines.map((one) => ('inlines' in one ? plainInlines(one.inlines) : one.text)).join('');
