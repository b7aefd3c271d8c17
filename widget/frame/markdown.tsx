/** The Markdown of messages as elements. What it understands is the same in the dashboard: contract/markdown/markdown.ts. */
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { type Block, type MarkdownList, parseMarkdown } from '../../contract/markdown/markdown.ts';
import type { Inline } from '../../contract/markdown/markdown-inlines.ts';

export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => parseMarkdown(text), [text]);
  return <div class="text">{blocks.map(block)}</div>;
}

function block(one: Block): ComponentChildren {
  switch (one.kind) {
    case 'code':
      return (
        <pre>
          <code>{one.text}</code>
        </pre>
      );
    case 'list':
      return list(one);
    case 'heading':
      return (
        <p>
          <strong>{one.inlines.map(inline)}</strong>
        </p>
      );
    case 'paragraph':
      return <p>{one.inlines.map(inline)}</p>;
  }
}

function list({ start, items }: MarkdownList): ComponentChildren {
  const content = items.map(({ inlines, lists }, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items have no other name
    <li key={index}>
      {inlines.map(inline)}
      {lists.map(list)}
    </li>
  ));
  return start === null ? <ul>{content}</ul> : <ol start={start}>{content}</ol>;
}

function inline(part: Inline): ComponentChildren {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'code':
      return <code>{part.text}</code>;
    case 'strong':
      return <strong>{part.inlines.map(inline)}</strong>;
    case 'emphasis':
      return <em>{part.inlines.map(inline)}</em>;
    case 'link':
      return (
        <a href={part.href} target="_blank" rel="noopener noreferrer nofollow">
          {part.text}
        </a>
      );
  }
}
