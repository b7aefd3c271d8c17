/**
 * How a text finds people in the inbox, by the name, the identifier or the id of a conversation: its words in any order,
 * phone numbers in any notation, accents optional. The service and the dashboard's live lists use the same rule.
 */

export interface PeopleTerm {
  /** All of them must be in the text. */
  words: string[];
  /** Or these digits, in the text without separators; null: no phone number. */
  digits: string | null;
}

/** Removed from a text before digits are searched in it. */
export const phoneSeparators = ' +-()./';

const phoneWord = /^[\d+\-()./]+$/;
const fewestDigits = 3;
/** Of a longer text only the beginning counts. */
const maxLength = 256;
const maxWords = 32;

/** Words in a row that only have digits and separators are one phone number: `+49 170 555`. */
export function peopleTerms(q: string): PeopleTerm[] {
  // After normalising, which makes up to 18 characters and four words of one; without an unpaired surrogate.
  const text = q
    .normalize('NFKC')
    .toLowerCase()
    .slice(0, maxLength)
    .replace(/[\ud800-\udbff]$/, '');
  const words = text.split(/\s+/).filter(Boolean).slice(0, maxWords);
  const terms: PeopleTerm[] = [];
  let number: string[] = [];
  const endNumber = () => {
    if (number.length > 0) terms.push({ words: number, digits: digitsOf(number.join('')) });
    number = [];
  };
  for (const word of words) {
    if (phoneWord.test(word)) number.push(word);
    else {
      endNumber();
      terms.push({ words: [word], digits: null });
    }
  }
  endNumber();
  return terms;
}

/** Without the prefix of an international call and without the zero of a national one: both are found. */
function digitsOf(number: string): string | null {
  const digits = number.replace('(0)', '').replace(/\D/g, '').replace(/^0+/, '');
  return digits.length >= fewestDigits ? digits : null;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
const isAscii = /^[\x00-\x7f]*$/;

/** The text that is searched. Accents are optional because both forms are in it. */
export function peopleText(names: readonly (string | null)[]): string {
  const text = names
    .filter((name) => name !== null)
    .join('\n')
    .toLowerCase();
  // Most texts: this runs with every message.
  if (isAscii.test(text)) return text;
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '');
  return plain === text.normalize('NFD') ? text : `${text}\n${plain}`;
}

export function matchesPeople(text: string, terms: readonly PeopleTerm[]): boolean {
  const plain = [...text].filter((character) => !phoneSeparators.includes(character)).join('');
  return terms.every(
    ({ words, digits }) =>
      words.every((word) => text.includes(word)) || (digits !== null && plain.includes(digits)),
  );
}
