import { type Block, type MarkdownList, parseMarkdown } from '../../../../../contract/markdown/markdown.ts';
import type { Inline } from '../../../../../contract/markdown/markdown-inlines.ts';

/** What a reader sees of a message's Markdown, in one line. */
export const plainText = (markdown: string): string =>
  parseMarkdown(markdown, { labels: true }).map(blockText).join(' ').trim().replace(/\s+/g, ' ');

const blockText = (block: Block): string =>
  block.kind === 'list' ? listText(block) : block.kind === 'code' ? block.text : inlinesText(block.inlines);

const listText = ({ items }: MarkdownList): string =>
  items.map(({ inlines, lists }) => [inlinesText(inlines), ...lists.map(listText)].join(' ')).join(' ');

const inlinesText = (inlines: readonly Inline[]): string =>
  inlines.map((one) => ('inlines' in one ? inlinesText(one.inlines) : one.text)).join('');
