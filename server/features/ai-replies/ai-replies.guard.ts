/**
 * Checks whether a reply repeats an internal note, or the value of a hidden field. The prompt forbids it, but a
 * prompt is only a request. Finds copied words, numbers and addresses, not paraphrases.
 */

/** Long enough that two people seldom write it by chance, short enough to find half a sentence. */
const runLength = 6;
/** A short note or sentence counts as a run, or its whole content could be disclosed. */
const shortestNote = 3;
const shortestSentence = 4;
/**
 * In letters and digits. A shorter value, such as a grade or a small number, occurs in too many replies by chance.
 */
const shortestValue = 3;
const digitsNeeded = 4;
/** From this length a part of a number is as revealing as the whole: a phone number without its country code. */
const partNeeded = 6;

/** `otherTexts`: what the customer or the agent already said, and the agent's knowledge; see knownTexts. */
export function repeatsNote(reply: string, notes: string[], otherTexts: string[]): boolean {
  if (notes.every((note) => note.trim() === '')) return false;
  return (
    repeatsRun(reply, notes, otherTexts) ||
    repeatsNumber(reply, notes, otherTexts) ||
    repeatsAddress(reply, notes, otherTexts)
  );
}

/** A field's value is short, so it counts as a whole as well. */
export function repeatsValue(reply: string, values: string[], otherTexts: string[]): boolean {
  const whole = values.map(tokensOf).filter((tokens) => [...tokens.join('')].length >= shortestValue);
  return repeatsAnyOf(whole.map(asRun), reply, otherTexts) || repeatsNote(reply, values, otherTexts);
}

function repeatsRun(reply: string, notes: string[], otherTexts: string[]): boolean {
  return repeatsAnyOf(notes.flatMap(runsOf), reply, otherTexts);
}

function repeatsAnyOf(runs: string[], reply: string, otherTexts: string[]): boolean {
  const said = asRun(tokensOf(reply));
  const repeated = runs.filter((run) => said.includes(run));
  if (repeated.length === 0) return false;
  const known = otherTexts.map((text) => asRun(tokensOf(text)));
  return repeated.some((run) => !known.some((text) => text.includes(run)));
}

/** With a space at both ends, so that a search finds whole words only. */
const asRun = (tokens: string[]): string => ` ${tokens.join(' ')} `;

function runsOf(note: string): string[] {
  const tokens = tokensOf(note);
  const runs = tokens.slice(runLength - 1).map((_, i) => tokens.slice(i, i + runLength));
  if (tokens.length >= shortestNote && tokens.length < runLength) runs.push(tokens);
  for (const sentence of note.split(/[.!?;\n]+/)) {
    const own = tokensOf(sentence);
    if (own.length >= shortestSentence && own.length < runLength) runs.push(own);
  }
  return runs.map(asRun);
}

/**
 * Words for comparison: without case, accents, punctuation and invisible characters. Scripts without spaces between
 * words count by character.
 */
function tokensOf(text: string): string[] {
  return folded(text).match(wordForm) ?? [];
}

const wordForm =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]|[\p{L}\p{N}]+/gu;

function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]+/gu, '')
    .replace(/['’]/g, '')
    .toLowerCase();
}

function repeatsNumber(reply: string, notes: string[], otherTexts: string[]): boolean {
  const said = numbersOf([reply]);
  const noted = numbersOf(notes);
  const repeated = said.filter((one) => noted.some((other) => sameNumber(one, other)));
  if (repeated.length === 0) return false;
  const known = numbersOf(otherTexts);
  return repeated.some((one) => !known.some((other) => one === other || isPart(one, other)));
}

/**
 * Digits only, so that 12,500 and 12.500,00 and 12 500 are one number. Digits with signs between them are one number
 * (a date's year alone is not: every reply with a date of that year would repeat it); with spaces between them they
 * may be one or several.
 */
function numbersOf(texts: string[]): string[] {
  const numbers = new Set<string>();
  for (const text of texts) {
    const digits = text.normalize('NFKC').replace(/\p{Cf}/gu, '');
    const joined = [/\d+(?:[.,:/-]\d+)*/g, /\d+(?:[\s.,:/()-]{1,2}\d+)*/g].flatMap(
      (form) => digits.match(form) ?? [],
    );
    for (const number of joined) {
      numbers.add(number.replace(/\D/g, ''));
      numbers.add(number.replace(/[.,]\d{2}$/, '').replace(/\D/g, ''));
    }
  }
  return [...numbers].filter((number) => number.length >= digitsNeeded);
}

function sameNumber(one: string, other: string): boolean {
  return one === other || isPart(one, other) || isPart(other, one);
}

function isPart(part: string, whole: string): boolean {
  return part.length >= partNeeded && whole.includes(part);
}

function repeatsAddress(reply: string, notes: string[], otherTexts: string[]): boolean {
  const said = addressesOf([reply]);
  const noted = addressesOf(notes);
  const repeated = said.filter((one) => noted.some((other) => leadsTo(one, other) || leadsTo(other, one)));
  if (repeated.length === 0) return false;
  const known = addressesOf(otherTexts);
  return repeated.some((one) => !known.some((other) => leadsTo(one, other)));
}

// The lengths are bounded, so that a long text without spaces does not take quadratic time.
const emailForm = /[^\s@<>()[\]"',;]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,63}/u;
const webForm =
  /(?:https?:\/\/)?(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,63}(?::\d+)?(?:[/?#][^\s<>"]{0,500})?/u;
const addressForm = new RegExp(`${emailForm.source}|${webForm.source}`, 'giu');

/** E-mail addresses and web addresses, the latter with or without a scheme. */
function addressesOf(texts: string[]): string[] {
  return texts.flatMap((text) =>
    [
      ...text
        .normalize('NFKC')
        .replace(/\p{Cf}/gu, '')
        .matchAll(addressForm),
    ].map(([address]) =>
      address
        .toLowerCase()
        .replace(/^(?:https?:\/\/|mailto:)/, '')
        .replace(/^www\./, '')
        .replace(/[.,;:!?)\]}'*_/]+$/, ''),
    ),
  );
}

/** Whether `address` is `other` or a prefix of it: its host, or a parent folder. */
function leadsTo(address: string, other: string): boolean {
  return other === address || (other.startsWith(address) && /[/?#:]/.test(other[address.length]!));
}
