/** What is marked inside a paragraph: code, emphasis and links. */
export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'strong' | 'emphasis'; inlines: Inline[] }
  | { kind: 'link'; text: string; href: string };

export interface InlineOptions {
  /**
   * False: `[label](address)` stays as it is written, with only the address a link. For texts of strangers: a label can
   * say another address than the one it leads to.
   */
  labels?: boolean;
}

/**
 * No sign makes it read to the end and begin anew: each scan ends at the next sign of its kind or at the end of the
 * line. Emphasis holds no sign of its own kind, so it nests a few levels at most.
 */
const marked = new RegExp(
  [
    '`([^`\\n]+)`',
    '\\*\\*\\*(?!\\s)([^*\\n]+)(?<!\\s)\\*\\*\\*',
    '\\*\\*(?!\\s)([^*\\n]+)(?<!\\s)\\*\\*',
    '(?<![\\w_])__(?!\\s)([^_\\n]+)(?<!\\s)__(?![\\w_])',
    '(?<![\\w*])\\*(?!\\s)([^*\\n]+)(?<!\\s)\\*(?![\\w*])',
    '(?<![\\w_])_(?!\\s)([^_\\n]+)(?<!\\s)_(?![\\w_])',
    '\\[([^[\\]\\n]+)\\]\\(([^()\\s]+)\\)',
    '(https?:\\/\\/[^\\s<>"\'`{}|\\\\^]+)',
  ].join('|'),
  'gi',
);

export function parseInlines(text: string, options: InlineOptions = {}): Inline[] {
  const parts: Inline[] = [];
  let end = 0;
  for (;;) {
    // Set anew each time: the expression is shared with the texts inside this one.
    marked.lastIndex = end;
    const found = marked.exec(text);
    if (!found) break;
    if (found.index > end) parts.push({ kind: 'text', text: text.slice(end, found.index) });
    const [whole, code, both, strong, strongLow, star, low, label, target, plain] = found;
    const bold = strong ?? strongLow;
    const emphasis = star ?? low;
    end = found.index + whole.length;
    if (code !== undefined) parts.push({ kind: 'code', text: code });
    else if (both !== undefined) {
      parts.push({ kind: 'strong', inlines: [{ kind: 'emphasis', inlines: parseInlines(both, options) }] });
    } else if (bold !== undefined) parts.push({ kind: 'strong', inlines: parseInlines(bold, options) });
    else if (emphasis !== undefined)
      parts.push({ kind: 'emphasis', inlines: parseInlines(emphasis, options) });
    else if (label !== undefined) parts.push(...linkParts(label, target!, options));
    else {
      const address = withoutSentenceEnd(plain!);
      end = found.index + address.length;
      parts.push(linkTo(address, address));
    }
  }
  if (end < text.length) parts.push({ kind: 'text', text: text.slice(end) });
  return parts;
}

function linkParts(label: string, target: string, { labels = true }: InlineOptions): Inline[] {
  if (labels) return [linkTo(label, target)];
  return [{ kind: 'text', text: `[${label}](` }, linkTo(target, target), { kind: 'text', text: ')' }];
}

/** An address that leads elsewhere than to a page, a mailbox or a telephone stays text. */
function linkTo(text: string, address: string): Inline {
  const url = URL.parse(address);
  const isSafe = url !== null && /^(?:https?|mailto|tel):$/.test(url.protocol);
  return isSafe ? { kind: 'link', text, href: url.href } : { kind: 'text', text };
}

/** A full stop or a bracket after an address belongs to the sentence. */
function withoutSentenceEnd(address: string): string {
  let end = address.length;
  while ('.,;:!?)]*_'.includes(address[end - 1]!)) end--;
  return address.slice(0, end);
}
