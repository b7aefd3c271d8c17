/** The Markdown of messages as elements. What it understands is the same in the chat widget: contract/markdown/markdown.ts. */
import { Fragment, type ReactNode, useMemo } from 'react';
import { type Block, type MarkdownList, parseMarkdown } from '../../../../contract/markdown/markdown.ts';
import type { Inline } from '../../../../contract/markdown/markdown-inlines.ts';

export interface MarkdownProps {
  text: string;
  /** False for texts of strangers: `[label](address)` is shown as it was written. */
  labels?: boolean;
  /** For other parts of plain text, such as mentions. */
  renderText?(text: string): ReactNode;
}

export function Markdown({ text, labels = true, renderText }: MarkdownProps) {
  const blocks = useMemo(() => parseMarkdown(text, { labels }), [text, labels]);
  return <MarkdownBlocks blocks={blocks} renderText={renderText} />;
}

type RenderText = MarkdownProps['renderText'];

export const MarkdownBlocks = ({
  blocks,
  renderText,
}: {
  blocks: readonly Block[];
  renderText?: RenderText;
}) => (
  <div className="flex max-w-[72ch] min-w-0 flex-col gap-2 text-md break-words whitespace-pre-wrap">
    {each(blocks, (one) => block(one, renderText))}
  </div>
);

export const MarkdownInlines = ({ inlines: parts }: { inlines: readonly Inline[] }) => inlines(parts);

function block(one: Block, renderText: RenderText): ReactNode {
  switch (one.kind) {
    case 'code':
      return (
        <pre className="overflow-x-auto rounded-control bg-current/8 px-2 py-1.5 font-mono text-sm in-data-[from=team]:bg-black/20">
          <code>{one.text}</code>
        </pre>
      );
    case 'list':
      return list(one, renderText);
    case 'heading':
      return <p className="font-semibold">{inlines(one.inlines, renderText)}</p>;
    case 'paragraph':
      return <p>{inlines(one.inlines, renderText)}</p>;
  }
}

function list({ start, items }: MarkdownList, renderText: RenderText): ReactNode {
  const content = each(items, (item) => (
    <li>
      {inlines(item.inlines, renderText)}
      {each(item.lists, (inner) => list(inner, renderText))}
    </li>
  ));
  return start === null ? (
    <ul className="list-disc pl-5">{content}</ul>
  ) : (
    <ol start={start} className={start > 99 ? 'list-decimal pl-8' : 'list-decimal pl-5'}>
      {content}
    </ol>
  );
}

const inlines = (parts: readonly Inline[], renderText?: RenderText): ReactNode =>
  each(parts, (part) => inline(part, renderText));

function inline(part: Inline, renderText: RenderText): ReactNode {
  switch (part.kind) {
    case 'text':
      return renderText ? renderText(part.text) : part.text;
    case 'code':
      return (
        <code className="rounded-[4px] bg-current/10 px-1 font-mono text-sm in-data-[from=team]:bg-black/20">
          {part.text}
        </code>
      );
    case 'strong':
      return <strong className="font-semibold">{inlines(part.inlines, renderText)}</strong>;
    case 'emphasis':
      return <em>{inlines(part.inlines, renderText)}</em>;
    case 'link':
      return (
        <a
          href={part.href}
          title={part.href}
          target="_blank"
          rel="noreferrer noopener nofollow"
          className="cursor-pointer underline decoration-current/40 underline-offset-2 hover:decoration-current"
        >
          {part.text}
        </a>
      );
  }
}

function each<T>(parts: readonly T[], render: (part: T) => ReactNode): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name
  return parts.map((part, index) => <Fragment key={index}>{render(part)}</Fragment>);
}
