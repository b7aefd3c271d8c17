/**
 * Splits a text that is over the provider's limit into numbered parts, at the end of a sentence or of a line; a stretch
 * without one is cut at a space, or else anywhere, but never inside of a character that a person sees as one.
 */
import { parseRuns, type Run } from './connectors.markdown.ts';
import { measure, render, spellOut, type TextFormat } from './connectors.render.ts';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Longer than any character that people write. */
const longestGrapheme = 64;
const sentenceEnd = /[.!?…。！？؟।]["'”’)\]]*(?=\s)|\n/gu;

/** The texts to send, in the provider's format. None for a text of spaces. */
export function formatText(
  markdown: string,
  format: TextFormat,
  limit: number,
  countsBytes = false,
): string[] {
  const runs = spellOut(parseRuns(markdown.trim()), format);
  if (runs.length === 0) return [];
  if (measure(runs, format, countsBytes) <= limit) return [render(runs, format)];
  const text = runs.map((run) => run.text).join('');
  for (let digits = 1; ; digits++) {
    const parts = split(text, runs, format, limit - prefixLength(digits), countsBytes);
    if (String(parts.length).length > digits) continue;
    return parts.map((part, index) => `(${index + 1}/${parts.length}) ${render(part, format)}`);
  }
}

/** `(1/3) ` with numbers of this many digits. */
const prefixLength = (digits: number) => 2 * digits + 4;

function split(
  text: string,
  runs: readonly Run[],
  format: TextFormat,
  limit: number,
  countsBytes: boolean,
): Run[][] {
  const parts: Run[][] = [];
  let start = 0;
  while (start < text.length) {
    const end = endOf(text, start, longestFit(text, runs, format, start, limit, countsBytes));
    const part = slice(runs, start, start + text.slice(start, end).trimEnd().length);
    if (part.length > 0) parts.push(part);
    start = end + /^(?:[ \t]*\n+|[ \t]+)?/.exec(text.slice(end, end + longestGap))![0].length;
  }
  return parts;
}

const longestGap = 1_000;

/** How far a part from `start` may reach. */
function longestFit(
  text: string,
  runs: readonly Run[],
  format: TextFormat,
  start: number,
  limit: number,
  countsBytes: boolean,
): number {
  let end = Math.min(text.length, start + limit);
  for (;;) {
    const over = measure(slice(runs, start, end), format, countsBytes) - limit;
    if (over <= 0 || end <= start + 1) return end;
    // One of the text's units has at most three bytes.
    end = Math.max(start + 1, end - (countsBytes ? Math.ceil(over / 3) : over));
  }
}

/** The best place to end a part that may reach `limit`. */
function endOf(text: string, start: number, limit: number): number {
  if (limit === text.length) return limit;
  // One more: the space that follows a sentence may be just behind the limit.
  const window = text.slice(start, limit + 1);
  let best = 0;
  for (const { index, 0: sign } of window.matchAll(sentenceEnd)) {
    const end = sign === '\n' ? index : index + sign.length;
    if (end <= limit - start && window.slice(0, end).trim() !== '') best = end;
  }
  if (best > 0) return start + best;
  const space = window.search(/\s\S*$/);
  if (space > 0 && window.slice(0, space).trim() !== '') return start + space;
  return start + wholeCharacters(text.slice(start, limit + longestGrapheme), limit - start);
}

/** At most `limit`, and at least one code point. */
function wholeCharacters(text: string, limit: number): number {
  const at = graphemes.segment(text).containing(limit)?.index ?? limit;
  // One that is longer than the whole part is cut, but not inside of a code point.
  if (at > 0) return at;
  const isInside =
    limit > 1 && /^[\udc00-\udfff]$/.test(text[limit] ?? '') && /[\ud800-\udbff]/.test(text[limit - 1]!);
  return isInside ? limit - 1 : limit;
}

function slice(runs: readonly Run[], start: number, end: number): Run[] {
  const part: Run[] = [];
  let at = 0;
  for (const run of runs) {
    const from = Math.max(start - at, 0);
    const to = Math.min(end - at, run.text.length);
    if (from < to) part.push({ ...run, text: run.text.slice(from, to) });
    at += run.text.length;
    if (at >= end) break;
  }
  return part;
}
