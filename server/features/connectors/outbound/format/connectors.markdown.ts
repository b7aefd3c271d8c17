/**
 * Reads the Markdown of a message as runs of text with styles: bold, italic, struck out, code, links, lists, quotes.
 * Text stays text: nothing in it becomes markup. It takes time in proportion to the text.
 */
export interface Run {
  text: string;
  bold?: true;
  italic?: true;
  strike?: true;
  /** In a line. */
  code?: true;
  /** A block of code. */
  pre?: true;
  quote?: true;
  href?: string;
}

type Style = Omit<Run, 'text'>;

const fence = /^[ \t]*```[^`]*$/;
const heading = /^#{1,6}[ \t]+(\S.*)$/;
const bullet = /^([ \t]*)[-*+•][ \t]+(\S.*)$/;
const quote = /^>[ \t]?(.*)$/;

/** Each scan ends at the next sign of its kind or at the end of the line, so none reads the text twice. */
const marked = new RegExp(
  [
    '`([^`\\n]+)`',
    '\\*\\*\\*(?!\\s)([^*\\n]+)(?<!\\s)\\*\\*\\*',
    '\\*\\*(?!\\s)([^*\\n]+)(?<!\\s)\\*\\*',
    '(?<![\\w_])__(?!\\s)([^_\\n]+)(?<!\\s)__(?![\\w_])',
    '(?<![\\w*])\\*(?!\\s)([^*\\n]+)(?<!\\s)\\*(?![\\w*])',
    '(?<![\\w_])_(?!\\s)([^_\\n]+)(?<!\\s)_(?![\\w_])',
    '~~(?!\\s)([^~\\n]+)(?<!\\s)~~',
    '\\[([^[\\]\\n]+)\\]\\(([^()\\s]+)\\)',
    '(https?:\\/\\/[^\\s<>"\'`{}|\\\\^]+)',
  ].join('|'),
  'gi',
);

export function parseRuns(markdown: string): Run[] {
  const runs: Run[] = [];
  const lines = markdown.replace(/\r\n?/g, '\n').split('\n');
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (at > 0) runs.push({ text: '\n' });
    if (fence.test(line)) {
      const end = lines.findIndex((one, index) => index > at && /^[ \t]*```[ \t]*$/.test(one));
      if (end > at + 1) {
        runs.push({ text: lines.slice(at + 1, end).join('\n'), pre: true });
        at = end;
        continue;
      }
    }
    pushLine(runs, line);
  }
  return joined(runs);
}

function pushLine(runs: Run[], line: string): void {
  const title = heading.exec(line);
  const quoted = quote.exec(line);
  const item = bullet.exec(line);
  if (title) pushInlines(runs, title[1]!, { bold: true });
  else if (quoted) pushInlines(runs, quoted[1]!, { quote: true });
  else if (item) {
    runs.push({ text: `${item[1]}• ` });
    pushInlines(runs, item[2]!, {});
  } else pushInlines(runs, line, {});
}

function pushInlines(runs: Run[], text: string, style: Style): void {
  let end = 0;
  for (;;) {
    // Set each time: the expression is shared with the texts inside this one.
    marked.lastIndex = end;
    const found = marked.exec(text);
    if (!found) break;
    runs.push({ text: text.slice(end, found.index), ...style });
    const [whole, code, both, strong, strongLow, star, low, struck, label, target, plain] = found;
    end = found.index + whole.length;
    const bold = strong ?? strongLow;
    const italic = star ?? low;
    if (code !== undefined) runs.push({ text: code, ...style, code: true });
    else if (both !== undefined) pushInlines(runs, both, { ...style, bold: true, italic: true });
    else if (bold !== undefined) pushInlines(runs, bold, { ...style, bold: true });
    else if (italic !== undefined) pushInlines(runs, italic, { ...style, italic: true });
    else if (struck !== undefined) pushInlines(runs, struck, { ...style, strike: true });
    else if (label !== undefined) runs.push({ text: label, ...style, ...linkTo(target!) });
    else {
      const address = withoutSentenceEnd(plain!);
      end = found.index + address.length;
      runs.push({ text: address, ...style });
    }
  }
  runs.push({ text: text.slice(end), ...style });
}

/** A label whose address leads elsewhere than to a page, a mailbox or a telephone stays text. */
function linkTo(address: string): { href?: string } {
  const url = URL.parse(address);
  return url && /^(?:https?|mailto|tel):$/.test(url.protocol) ? { href: url.href } : {};
}

/** A full stop or a bracket after an address belongs to the sentence. */
function withoutSentenceEnd(address: string): string {
  let end = address.length;
  while (end > 0 && '.,;:!?)]*_'.includes(address[end - 1]!)) end--;
  return address.slice(0, end);
}

/** Runs of one style are one run; empty ones are none. */
function joined(runs: readonly Run[]): Run[] {
  const kept: Run[] = [];
  for (const run of runs) {
    if (run.text === '') continue;
    const last = kept.at(-1);
    if (last && sameStyle(last, run)) last.text += run.text;
    else kept.push({ ...run });
  }
  return kept;
}

function sameStyle(a: Run, b: Run): boolean {
  return (
    a.bold === b.bold &&
    a.italic === b.italic &&
    a.strike === b.strike &&
    a.code === b.code &&
    a.pre === b.pre &&
    a.quote === b.quote &&
    a.href === b.href
  );
}
