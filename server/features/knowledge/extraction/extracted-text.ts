/** What the readers of all formats share. */
import { limits } from '../../../../contract/limits.ts';
import { ExtractionProblem } from './extraction.problem.ts';

/** While a document is read: one of gigabytes is not read to its end. */
export function checkLength(characters: number): void {
  if (characters <= limits.knowledgeExtractedLength) return;
  throw new ExtractionProblem('too_large', `more than ${limits.knowledgeExtractedLength} characters of text`);
}

/** What the database can store. */
export function cleanText(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

export function cleanTitle(text: string): string {
  return cleanText(text)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, limits.titleLength)
    .replace(/[\ud800-\udbff]$/, '')
    .trim();
}

export function nameWithoutEnding(fileName = ''): string {
  return fileName.replace(/\.[A-Za-z0-9]{1,8}$/, '') || fileName;
}

/** In the form that documents have (`pt-BR`); null: it is none. */
export function languageTag(text: string | null | undefined): string | null {
  const found = /^([a-z]{2,3})(?:[-_]([a-z0-9]{2,8}))?(?:[-_]|$)/i.exec(text?.trim() ?? '');
  if (!found) return null;
  const [, language = '', region] = found;
  return region === undefined ? language.toLowerCase() : `${language.toLowerCase()}-${region}`;
}

/**
 * By the byte order mark, else as UTF-8 if it is that, else in the given encoding, else as Windows-1252. Pages that name
 * another encoding and are in UTF-8 are not rare; the opposite is almost impossible.
 */
export function decodeText(bytes: Uint8Array, declared: string | null = null): string {
  const marked = encodingOfMark(bytes);
  if (marked) return new TextDecoder(marked).decode(bytes);
  if (isBinary(bytes)) throw new ExtractionProblem('broken', 'it is not text');
  // ISO-2022 consists of characters that UTF-8 has too.
  const first = declared?.toLowerCase().startsWith('iso-2022') ? declared : 'utf-8';
  return (
    decodeAs(bytes, first) ?? decodeAs(bytes, declared, false) ?? decodeAs(bytes, 'windows-1252', false)!
  );
}

/** Null: it is not in this encoding, or nobody knows it. */
function decodeAs(bytes: Uint8Array, encoding: string | null, fatal = true): string | null {
  if (encoding === null) return null;
  try {
    return new TextDecoder(encoding, { fatal }).decode(bytes);
  } catch {
    return null;
  }
}

/** A NUL is in hardly any text, but in every second byte of UTF-16 and all over other files. */
function isBinary(bytes: Uint8Array): boolean {
  const start = bytes.subarray(0, 100_000);
  let count = 0;
  for (const byte of start) if (byte === 0) count++;
  return count * 1_000 > start.length;
}

function encodingOfMark([first, second, third]: Uint8Array): string | null {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : null;
}
