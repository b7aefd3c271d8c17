/**
 * Splits a line into plain text and what is marked in it. It takes time in proportion to the text, whatever that says:
 * no sign makes it read on to the end and begin anew (a `[` ends at the next one), and elements in a row do not nest.
 */
export type Inline =
  | { kind: 'text' | 'code' | 'strong' | 'emphasis'; text: string }
  | { kind: 'link'; text: string; to: string };

const inline =
  /`([^`\n]+)`|\*\*([^*\n]+)\*\*|(?<![\w*])\*([^*\n]+)\*(?![\w*])|(?<!\w)_([^_\n]+)_(?!\w)|\[([^[\]\n]+)\]\(([^()\s]+)\)|(https?:\/\/[^\s<>"'`{}|\\^]+)/g;

export function splitInlines(text: string): Inline[] {
  const parts: Inline[] = [];
  let end = 0;
  const pattern = new RegExp(inline);
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    if (found.index > end) parts.push({ kind: 'text', text: text.slice(end, found.index) });
    const [whole, code, strong, star, underscore, label, target, plain] = found;
    end = found.index + whole.length;
    const emphasis = star ?? underscore;
    if (code !== undefined) parts.push({ kind: 'code', text: code });
    else if (strong !== undefined) parts.push({ kind: 'strong', text: strong });
    else if (emphasis !== undefined) parts.push({ kind: 'emphasis', text: emphasis });
    else if (plain === undefined) parts.push({ kind: 'link', text: label!, to: target! });
    else {
      const address = withoutSentenceEnd(plain);
      end = found.index + address.length;
      parts.push({ kind: 'link', text: address, to: address });
    }
    pattern.lastIndex = end;
  }
  if (end < text.length || parts.length === 0) parts.push({ kind: 'text', text: text.slice(end) });
  return parts;
}

/** A full stop after an address belongs to the sentence. */
function withoutSentenceEnd(address: string): string {
  let end = address.length;
  while ('.,;:!?)]'.includes(address[end - 1]!)) end--;
  return address.slice(0, end);
}

/** In one line, without its signs: for lists. */
export const withoutMarkdown = (text: string) =>
  text.replace(
    /\*\*([^*\n]+)\*\*|`([^`\n]+)`|\[([^[\]\n]+)\]\([^()\s]+\)/g,
    (_, strong, code, label) => strong ?? code ?? label,
  );
