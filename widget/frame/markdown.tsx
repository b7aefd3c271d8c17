/**
 * The little markdown that answers have: paragraphs, lists, code, emphasis, links. It makes elements, never markup, so
 * whatever a message says stays text; an address becomes a link only if it leads to a page, a mailbox or a telephone.
 */
import type { ComponentChildren } from 'preact';

const block = /```[^`\n]*\n([\s\S]*?)(?:```|$)/;
const inline =
  /`([^`\n]+)`|\*\*([^*\n]+)\*\*|(?<![\w*])\*([^*\n]+)\*(?![\w*])|(?<!\w)_([^_\n]+)_(?!\w)|\[([^[\]\n]+)\]\(([^()\s]+)\)|(https?:\/\/[^\s<>"']+)/;

export function Markdown({ text }: { text: string }) {
  const parts: ComponentChildren[] = [];
  let rest = text;
  for (let found = block.exec(rest); found; found = block.exec(rest)) {
    parts.push(...paragraphs(rest.slice(0, found.index)));
    parts.push(
      <pre>
        <code>{found[1]}</code>
      </pre>,
    );
    rest = rest.slice(found.index + found[0].length);
  }
  parts.push(...paragraphs(rest));
  return <div class="text">{parts}</div>;
}

function paragraphs(text: string): ComponentChildren[] {
  return text
    .split(/\n{2,}/)
    .filter((part) => part.trim())
    .flatMap((part) => groups(part.replace(/^\n+|\n+$/g, '').split('\n')));
}

/** Lines that begin like items of a list stand in one. */
function groups(lines: string[]): ComponentChildren[] {
  const made: ComponentChildren[] = [];
  for (let index = 0; index < lines.length; ) {
    const kind = kindOf(lines[index]!);
    const end = lines.findIndex((line, at) => at > index && kindOf(line) !== kind);
    const own = lines.slice(index, end < 0 ? undefined : end);
    index += own.length;
    if (kind === 'text') {
      made.push(
        <p>
          {own.flatMap((line, at) => (at === 0 ? inlines(line) : [<br key={line} />, ...inlines(line)]))}
        </p>,
      );
      continue;
    }
    const items = own.map((line) => (
      <li key={line}>{inlines(line.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, ''))}</li>
    ));
    made.push(kind === 'ol' ? <ol>{items}</ol> : <ul>{items}</ul>);
  }
  return made;
}

function kindOf(line: string): 'ul' | 'ol' | 'text' {
  if (/^\s*[-*•]\s+\S/.test(line)) return 'ul';
  return /^\s*\d+[.)]\s+\S/.test(line) ? 'ol' : 'text';
}

/** One after the other, not one in the other: an answer may have thousands. */
function inlines(text: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let rest = text;
  for (let found = inline.exec(rest); found; found = inline.exec(rest)) {
    const [whole, code, strong, star, underscore, label, target, plain] = found;
    const address = plain && withoutSentenceEnd(plain);
    const emphasis = star ?? underscore;
    parts.push(
      rest.slice(0, found.index),
      code !== undefined ? (
        <code>{code}</code>
      ) : strong !== undefined ? (
        <strong>{inlines(strong)}</strong>
      ) : emphasis !== undefined ? (
        <em>{inlines(emphasis)}</em>
      ) : (
        <Link to={target ?? address ?? ''}>{label ?? address}</Link>
      ),
    );
    rest = rest.slice(found.index + (address ?? whole).length);
  }
  parts.push(rest);
  return parts;
}

/** A full stop after an address belongs to the sentence. */
function withoutSentenceEnd(address: string): string {
  let end = address.length;
  while ('.,;:!?)]'.includes(address[end - 1]!)) end--;
  return address.slice(0, end);
}

function Link({ to, children }: { to: string; children: ComponentChildren }) {
  const url = URL.parse(to);
  if (!url || !/^(https?|mailto|tel):$/.test(url.protocol)) return <>{children}</>;
  return (
    <a href={url.href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}
