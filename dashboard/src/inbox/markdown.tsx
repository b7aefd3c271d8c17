/**
 * The little markdown of the AI's answers, as the customer sees it in the widget: paragraphs, lists, code, emphasis,
 * links. It makes elements, never markup, so whatever an answer says stays text.
 */
import { Fragment, type ReactNode } from 'react';
import { type Inline, splitInlines } from './markdown-inlines.ts';

type Keyed = ReactNode[];
const keyed = (nodes: Keyed): ReactNode =>
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name
  nodes.map((node, index) => <Fragment key={index}>{node}</Fragment>);

const fence = /```[^`\n]*\n([\s\S]*?)(?:```|$)/;

export function Markdown({ text }: { text: string }) {
  const blocks: Keyed = [];
  let rest = text;
  for (let found = fence.exec(rest); found; found = fence.exec(rest)) {
    blocks.push(...paragraphs(rest.slice(0, found.index)));
    blocks.push(
      <pre className="overflow-x-auto rounded-control bg-sunken px-2 py-1.5 font-mono text-sm">
        <code>{found[1]}</code>
      </pre>,
    );
    rest = rest.slice(found.index + found[0].length);
  }
  blocks.push(...paragraphs(rest));
  return <div className="flex max-w-[72ch] flex-col gap-2 text-md break-words">{keyed(blocks)}</div>;
}

function paragraphs(text: string): Keyed {
  return text
    .split(/\n\s*\n/)
    .filter((part) => part.trim() !== '')
    .flatMap((part) => runs(part.replace(/^\n+|\n+$/g, '').split('\n')));
}

const markOf = /^\s*(?:([-*•])|(\d+)[.)])\s+(?=\S)/;
const kindOf = (line: string) => {
  const mark = markOf.exec(line);
  return mark === null ? 'text' : mark[1] ? 'ul' : 'ol';
};

/** Lines of one kind in a row are a paragraph or a list. */
function runs(lines: readonly string[]): Keyed {
  const made: Keyed = [];
  for (let from = 0; from < lines.length; ) {
    const kind = kindOf(lines[from]!);
    let to = from + 1;
    while (to < lines.length && kindOf(lines[to]!) === kind) to++;
    const own = lines.slice(from, to);
    from = to;
    if (kind === 'text') {
      made.push(
        <p>
          {keyed(own.flatMap((line, at) => (at === 0 ? inlines(line) : [<br key="br" />, ...inlines(line)])))}
        </p>,
      );
      continue;
    }
    const List = kind;
    const start = kind === 'ol' ? Number(markOf.exec(own[0]!)?.[2]) : undefined;
    made.push(
      <List start={start} className={kind === 'ol' ? 'list-decimal pl-5' : 'list-disc pl-5'}>
        {keyed(own.map((line) => <li key={line}>{keyed(inlines(line.replace(markOf, '')))}</li>))}
      </List>,
    );
  }
  return made;
}

const inlines = (text: string): Keyed => splitInlines(text).map(toNode);

function toNode(part: Inline): ReactNode {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'code':
      return <code className="rounded-[4px] bg-sunken px-1 font-mono text-sm">{part.text}</code>;
    case 'strong':
      return <strong className="font-semibold">{keyed(inlines(part.text))}</strong>;
    case 'emphasis':
      return <em>{keyed(inlines(part.text))}</em>;
    case 'link':
      return <WebLink to={part.to}>{part.text}</WebLink>;
  }
}

/** Only what leads to a page, a mailbox or a telephone; all else stays text. */
export function WebLink({ to, children }: { to: string; children: ReactNode }) {
  const url = URL.parse(to);
  if (!url || !/^(https?|mailto|tel):$/.test(url.protocol)) return children;
  return (
    <a
      href={url.href}
      target="_blank"
      rel="noreferrer noopener nofollow"
      className="cursor-pointer underline decoration-current/40 underline-offset-2 hover:decoration-current"
    >
      {children}
    </a>
  );
}
