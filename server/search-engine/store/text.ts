// How text is read for search: folding, terms, tokens, words, phone digits. Pure; nothing depends on the database's
// locale, so an embedded and an external PostgreSQL give the same results.

const BEYOND_ASCII = /[\u0080-\uffff]/;
const COMBINING_MARKS = /[\u0300-\u036f]/g;
const LETTERS_WITHOUT_DECOMPOSITION = /[ßæœøđłıς]/g;
const REPLACEMENTS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ł: 'l',
  ı: 'i',
  ς: 'σ',
};

export function foldText(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(COMBINING_MARKS, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(LETTERS_WITHOUT_DECOMPOSITION, (letter) => REPLACEMENTS[letter] ?? letter);
}

/** Splits text that is already folded: folding can itself produce white space (U+00A0, U+3000, U+00B4). */
export function splitOnWhiteSpace(folded: string): string[] {
  return folded.split(/\s+/).filter((part) => part !== '');
}

/** The same white space as `\s`, one UTF-16 unit at a time. */
export function isWhiteSpace(unit: number): boolean {
  if (unit < 0x80) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  if (unit < 0x1680) return unit === 0xa0;
  if (unit >= 0x2000 && unit <= 0x200a) return true;
  return (
    unit === 0x1680 ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x202f ||
    unit === 0x205f ||
    unit === 0x3000 ||
    unit === 0xfeff
  );
}

/** Of a longer query only the beginning counts. */
export const MAX_QUERY_LENGTH = 256;
export const MAX_TERMS = 32;

/** Bounded after folding, which makes up to 18 characters and four words of one. */
export function termsOf(q: string): string[] {
  return splitOnWhiteSpace(beginningOf(foldText(q), MAX_QUERY_LENGTH)).slice(0, MAX_TERMS);
}

/** Without an unpaired surrogate at its end. */
export function beginningOf(text: string, length: number): string {
  if (text.length <= length) return text;
  const isPair = (text.charCodeAt(length - 1) & 0xfc00) === 0xd800;
  return text.slice(0, isPair ? length - 1 : length);
}

/** Exact lookup is case-insensitive, but diacritics count. A final sigma equals a sigma. */
export function lookupForm(value: string): string {
  return value.toLowerCase().replaceAll('ς', 'σ');
}

export type AllowedTypos = (termLength: number) => 0 | 1 | 2;

/** In records, whose values are short. */
export const allowedTypos: AllowedTypos = (termLength) => {
  if (termLength < 3) return 0;
  return termLength < 6 ? 1 : 2;
};

/** In messages: a short word is near too many words of what people write. */
export const allowedInMessages: AllowedTypos = (termLength) => {
  if (termLength < 5) return 0;
  return termLength < 8 ? 1 : 2;
};

/** Shorter terms match with typos only at word starts, longer ones anywhere in a token. */
export const ANYWHERE_FROM_LENGTH = 6;

export function phoneDigits(folded: string): string {
  return folded.replace(/[^0-9]/g, '');
}

/** The digits of a term that could be part of a phone number, or null. */
export function digitsOfPhoneTerm(term: string): string | null {
  if (!/^[0-9+\-().]+$/.test(term)) return null;
  const digits = phoneDigits(term);
  return digits.length >= 3 ? digits : null;
}

const WORD_CHARACTER = /^[\p{L}\p{N}]$/u;
const wordCharacters = new Uint8Array(0x10000);
for (let unit = 0; unit < 0x10000; unit++) {
  wordCharacters[unit] = WORD_CHARACTER.test(String.fromCharCode(unit)) ? 1 : 0;
}

export function isWordCharacter(codePoint: number): boolean {
  if (codePoint < 0x10000) return wordCharacters[codePoint] === 1;
  return WORD_CHARACTER.test(String.fromCodePoint(codePoint));
}
