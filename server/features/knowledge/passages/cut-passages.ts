/**
 * Cuts Markdown into passages, at headings. Every character that is not white space is in exactly one passage, and a
 * passage is the text from its start to its end. Rows of tables and items of lists stay whole.
 */
export interface Cut {
  /** UTF-16 positions. */
  start: number;
  end: number;
  /** The headings above it, joined by ` > `; null: there are none. */
  heading: string | null;
}

export const passageLength = 1_500;
/** A longer row or item is no row that a person wrote. It is cut as plain text, so that a passage has a bound. */
const longestRow = 10_000;
const headingLength = 200;

type Kind = 'heading' | 'row' | 'text' | 'code';
interface Unit {
  kind: Kind;
  start: number;
  end: number;
  /** Of a heading: 1 to 6. */
  level: number;
  /** Of a heading. */
  title: string;
}

export function cutPassages(text: string): Cut[] {
  const cuts: Cut[] = [];
  let path: { level: number; title: string }[] = [];
  let open: Unit[] = [];
  const flush = () => {
    const [first] = open;
    if (first) cuts.push({ start: first.start, end: open.at(-1)!.end, heading: pathOf(path) });
    open = [];
  };
  for (const unit of unitsOf(text)) {
    if (unit.kind === 'heading') {
      const last = open.at(-1);
      // A heading without a text of its own goes with the first part below it.
      if (last?.kind !== 'heading' || last.level >= unit.level) flush();
      path = [...path.filter(({ level }) => level < unit.level), { level: unit.level, title: unit.title }];
    }
    for (const piece of piecesOf(text, unit, roomIn(open))) {
      const isFull = open.length > 0 && piece.end - open[0]!.start > passageLength;
      if (isFull && !open.every(({ kind }) => kind === 'heading')) flush();
      open.push(piece);
    }
  }
  flush();
  return cuts;
}

const roomIn = (open: readonly Unit[]): number =>
  open.length > 0 && open.every(({ kind }) => kind === 'heading')
    ? Math.max(passageLength / 2, passageLength - (open.at(-1)!.end - open[0]!.start))
    : passageLength;

const pathOf = (path: readonly { title: string }[]): string | null =>
  path
    .map(({ title }) => title)
    .filter((title) => title !== '')
    .join(' > ') || null;

/** A unit that is longer than a passage, in several: only rows stay whole. The first one has at most `room`. */
function piecesOf(text: string, unit: Unit, room: number): Unit[] {
  const longest = unit.kind === 'row' ? longestRow : room;
  if (unit.end - unit.start <= longest) return [unit];
  const pieces: Unit[] = [];
  for (let start = unit.start, left = room; start < unit.end; left = passageLength) {
    const end = unit.end - start <= left ? unit.end : cutPlace(text, start, start + left);
    const to = endWithoutSpace(text, start, end);
    if (to > start) pieces.push({ ...unit, start, end: to });
    start = startWithoutSpace(text, end, unit.end);
  }
  return pieces;
}

/** After the last sentence that fits, else after the last word, else anywhere but inside of a character. */
function cutPlace(text: string, start: number, end: number): number {
  const part = text.slice(start, end + 1);
  const half = (end - start) / 2;
  const sentence = Math.max(
    ...['. ', '! ', '? ', '.\n', '!\n', '?\n', '。'].map((mark) => part.lastIndexOf(mark)),
  );
  if (sentence >= half) return start + sentence + 1;
  for (let at = part.length - 1; at >= half; at--) if (/\s/.test(part[at]!)) return start + at;
  const unit = text.charCodeAt(end);
  return unit >= 0xdc00 && unit < 0xe000 ? end - 1 : end;
}

function startWithoutSpace(text: string, from: number, to: number): number {
  let start = from;
  while (start < to && /\s/.test(text[start]!)) start++;
  return start;
}

function endWithoutSpace(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && /\s/.test(text[end - 1]!)) end--;
  return end;
}

interface Line {
  start: number;
  /** Without the line break. */
  end: number;
  text: string;
}

const atxHeading = /^ {0,3}(#{1,6})(?:[ \t]|$)/;
const fence = /^ {0,3}(`{3,}|~{3,})/;
const listItem = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+\S/;
const indented = /^(?: {2,}|\t)\S/;
const tableRow = /^[ \t]*\|/;
const underline = /^ {0,3}(=+|-+)[ \t]*$/;

/** Headings, paragraphs, each row of a table, each item of a list, each block of code. */
function unitsOf(text: string): Unit[] {
  const lines = linesOf(text);
  const units: Unit[] = [];
  const add = (kind: Kind, first: Line, last: Line, level = 0, title = '') => {
    const start = startWithoutSpace(text, first.start, last.end);
    const end = endWithoutSpace(text, start, last.end);
    if (end > start) units.push({ kind, start, end, level, title });
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (line.text.trim() === '') continue;
    const heading = atxHeading.exec(line.text);
    const opening = fence.exec(line.text)?.[1];
    if (heading)
      add(
        'heading',
        line,
        line,
        heading[1]!.length,
        plainTitle(withoutClosing(line.text.slice(heading[0].length))),
      );
    else if (opening) {
      const last = endOfFence(lines, at, opening);
      add('code', line, lines[last]!);
      at = last;
    } else if (tableRow.test(line.text)) add('row', line, line);
    else if (listItem.test(line.text)) {
      const last = endOfItem(lines, at);
      add('row', line, lines[last]!);
      at = last;
    } else {
      const last = endOfParagraph(lines, at);
      const under = underline.exec(lines[last + 1]?.text ?? '')?.[1];
      if (under && last === at) {
        add('heading', line, lines[last + 1]!, under[0] === '=' ? 1 : 2, plainTitle(line.text));
        at = last + 1;
      } else {
        add('text', line, lines[last]!);
        at = last;
      }
    }
  }
  return units;
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start <= text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    lines.push({ start, end, text: text.slice(start, end).replace(/\r$/, '') });
    start = end + 1;
  }
  return lines;
}

/** Without a closing fence: to the end of the text. */
function endOfFence(lines: readonly Line[], first: number, opening: string): number {
  for (let at = first + 1; at < lines.length; at++) {
    const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(lines[at]!.text)?.[1];
    if (closing && closing[0] === opening[0] && closing.length >= opening.length) return at;
  }
  return lines.length - 1;
}

/** With the lines that continue it. */
function endOfItem(lines: readonly Line[], first: number): number {
  let last = first;
  for (let at = first + 1; at < lines.length; at++) {
    const { text } = lines[at]!;
    if (text.trim() === '' || beginsBlock(text) || !indented.test(text)) break;
    last = at;
  }
  return last;
}

function endOfParagraph(lines: readonly Line[], first: number): number {
  let last = first;
  for (let at = first + 1; at < lines.length; at++) {
    const { text } = lines[at]!;
    if (text.trim() === '' || beginsBlock(text) || underline.test(text)) break;
    last = at;
  }
  return last;
}

const beginsBlock = (text: string): boolean =>
  atxHeading.test(text) || fence.test(text) || tableRow.test(text) || listItem.test(text);

/** A heading may end with number signs. */
function withoutClosing(title: string): string {
  const trimmed = title.trimEnd();
  let end = trimmed.length;
  while (end > 0 && trimmed[end - 1] === '#') end--;
  return end === 0 || /\s/.test(trimmed[end - 1]!) ? trimmed.slice(0, end) : trimmed;
}

/** Without marks for links, code and emphasis. */
function plainTitle(markdown: string): string {
  return markdown
    .slice(0, headingLength * 5)
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*`]|(?<!\w)_|_(?!\w)/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, headingLength)
    .replace(/[\ud800-\udbff]$/, '');
}
