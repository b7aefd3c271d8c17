/** The paragraphs of a PDF. Lines in a larger font than most are headings. */
import { getDocumentProxy } from 'unpdf';
import { checkLength, languageTag } from './extracted-text.ts';
import { ExtractionProblem } from './extraction.problem.ts';
import type { Extracted, ExtractionRequest } from './extraction.ts';

interface Line {
  text: string;
  /** Of the letters, in points. */
  size: number;
  y: number;
  page: number;
}

export async function extractPdf({ bytes }: ExtractionRequest): Promise<Extracted> {
  const pdf = await open(bytes);
  // The text may be readable without them.
  const { info } = await pdf.getMetadata().catch(() => ({ info: {} }));
  const { Title: title, Language: language } = info as { Title?: unknown; Language?: unknown };
  const lines: Line[] = [];
  let length = 0;
  for (let number = 1; number <= pdf.numPages; number++) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    for (const line of linesOf(items as Item[], number)) {
      length += line.text.length + 1;
      checkLength(length);
      lines.push(line);
    }
    page.cleanup();
  }
  if (length === 0) throw new ExtractionProblem('no_text', 'no text in it: it is probably a scan');
  return {
    title: typeof title === 'string' ? realTitle(title) : '',
    text: paragraphsOf(lines).join('\n\n'),
    language: typeof language === 'string' ? languageTag(language) : null,
    page: null,
  };
}

async function open(bytes: Uint8Array) {
  try {
    return await getDocumentProxy(bytes, { verbosity: 0, disableFontFace: true });
  } catch (error) {
    if ((error as Error).name !== 'PasswordException') throw error;
    throw new ExtractionProblem('protected', 'protected by a password');
  }
}

/** Programs write the name of the file and their own into it. */
const realTitle = (title: string): string =>
  /^(?:microsoft (?:word|powerpoint)|untitled|.*\.(?:docx?|pdf|indd|pptx?|xlsx?|tex|dvi|rtf|exe)$)/i.test(
    title.trim(),
  )
    ? ''
    : title;

interface Item {
  str: string;
  /** a, b, c, d, x, y. */
  transform: number[];
  height: number;
  hasEOL: boolean;
}

function linesOf(items: readonly Item[], page: number): Line[] {
  const lines: Line[] = [];
  let open: Line | null = null;
  const close = () => {
    const text = open?.text.replace(/\s+/g, ' ').trim();
    if (open && text) lines.push({ ...open, text });
    open = null;
  };
  for (const { str, transform, hasEOL } of items) {
    // Marks of the structure have no text.
    if (str === undefined) continue;
    const [, , c = 0, d = 0, , y = 0] = transform;
    open ??= { text: '', size: 0, y, page };
    open.text += str;
    if (str.trim() !== '') open.size = Math.max(open.size, Math.round(Math.hypot(c, d) * 2) / 2);
    if (hasEOL) close();
  }
  close();
  return lines;
}

const headingLength = 150;

function paragraphsOf(lines: readonly Line[]): string[] {
  const usual = usualSize(lines);
  const spacing = usualSpacing(lines);
  const isHeading = ({ size, text }: Line) => size >= usual * 1.2 && text.length <= headingLength;
  const paragraphs: string[] = [];
  let last: Line | null = null;
  for (const line of lines) {
    if (last && belongsTogether(last, line, spacing) && isHeading(last) === isHeading(line)) {
      paragraphs.push(joined(paragraphs.pop()!, line.text));
    } else paragraphs.push(isHeading(line) ? `## ${line.text}` : line.text);
    last = line;
  }
  return paragraphs;
}

/** A wider gap than between two lines is one between paragraphs. */
function belongsTogether(above: Line, below: Line, spacing: number): boolean {
  if (above.page !== below.page || above.size !== below.size) return false;
  const gap = (above.y - below.y) / Math.max(above.size, 1);
  return gap >= 0 && gap <= spacing * 1.3 && !/^(?:[-•*‣▪–]|\d{1,3}[.)])\s/.test(below.text);
}

/** A word that was divided at the end of a line is one again. Chinese and Japanese have no spaces. */
function joined(above: string, below: string): string {
  if (/\p{Ll}-$/u.test(above) && /^\p{Ll}/u.test(below)) return above.slice(0, -1) + below;
  const isWithoutSpaces = spaceless.test(above.at(-1)!) && spaceless.test(below[0]!);
  return isWithoutSpaces ? above + below : `${above} ${below}`;
}

const spaceless = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\u3000-\u303f\uff00-\uffef]/u;

const singleSpacing = 1.25;
const doubleSpacing = 2.2;

/** From one line to the next, as a multiple of the letters: that of most lines. */
function usualSpacing(lines: readonly Line[]): number {
  const counts = new Map<number, number>();
  for (const [index, { page, size, y }] of lines.entries()) {
    const above = lines[index - 1];
    if (above?.page !== page || above.size !== size || size === 0) continue;
    const gap = Math.round(((above.y - y) / size) * 20) / 20;
    if (gap > 0.5 && gap <= doubleSpacing) counts.set(gap, (counts.get(gap) ?? 0) + 1);
  }
  return Math.max(singleSpacing, mostFrequent(counts) ?? 0);
}

/** That of most characters. */
function usualSize(lines: readonly Line[]): number {
  const characters = new Map<number, number>();
  for (const { size, text } of lines) characters.set(size, (characters.get(size) ?? 0) + text.length);
  return mostFrequent(characters) ?? 0;
}

const mostFrequent = (counts: ReadonlyMap<number, number>): number | undefined =>
  [...counts].sort(([, m], [, n]) => n - m)[0]?.[0];
