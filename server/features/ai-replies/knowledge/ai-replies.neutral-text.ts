/** A question and its answer without the person: what names the customer becomes a neutral word, which a person reads over. */
import { maskedKinds } from '../../../../contract/channels.ts';
import { detectLanguage } from '../../../platform/language.ts';
import { createMask } from '../ai-replies.mask.ts';

export interface Person {
  /** Of the contact and the conversation. Their parts are names too. */
  names: readonly string[];
  /** Found as they are only, such as the title of a card. */
  phrases: readonly string[];
  /** E-mail addresses and phone numbers. */
  addresses: readonly string[];
}

type Kind = 'name' | (typeof maskedKinds)[number];

const words: { readonly [language: string]: { readonly [kind in Kind]: string } } = {
  en: { name: '[customer]', email: '[e-mail address]', phone: '[number]', card: '[card number]' },
  es: { name: '[cliente]', email: '[correo electrónico]', phone: '[número]', card: '[número de tarjeta]' },
  pt: { name: '[cliente]', email: '[e-mail]', phone: '[número]', card: '[número do cartão]' },
};
const placeholders = new RegExp(`\\[(${maskedKinds.join('|')})-\\d+\\]`, 'g');
/** Fewer digits are no phone number. */
const leastDigits = 7;
const leastNameLength = 3;

/** Every address and number in the question is the customer's. In the answer, those of the business stay. */
export function withoutPerson(
  person: Person,
  { question, answer }: { question: string; answer: string },
): { question: string; answer: string } {
  const neutral = words[detectLanguage([question, answer]) ?? 'en']!;
  const known = new Set(person.addresses.map(addressKey));
  const hide = (text: string, isPersonal: (value: string) => boolean) => {
    const mask = createMask(maskedKinds);
    const hidden = mask.hide(text).replace(placeholders, (whole, kind: Kind) => {
      const value = mask.restore(whole);
      return isPersonal(value) ? neutral[kind] : value;
    });
    return hideNames(person, hidden, neutral.name);
  };
  const asked = hide(question, (value) => {
    known.add(addressKey(value));
    return true;
  });
  return { question: asked, answer: hide(answer, (value) => isKnown(known, value)) };
}

/** Digits of a number, lower case of an address. */
const addressKey = (value: string) =>
  value.includes('@') ? value.toLowerCase() : value.replaceAll(/\D/g, '');

/** A number may be written without the code of its country. */
function isKnown(known: ReadonlySet<string>, value: string): boolean {
  const key = addressKey(value);
  if (known.has(key)) return true;
  if (key.includes('@') || key.length < leastDigits) return false;
  return [...known].some(
    (one) => one.length >= leastDigits && !one.includes('@') && (one.endsWith(key) || key.endsWith(one)),
  );
}

function hideNames({ names, phrases }: Person, text: string, word: string): string {
  // Parts count with their capital letter: a Rose is a person, a rose is not.
  const parts = names
    .flatMap((name) => name.split(/[^\p{L}'’-]+/u))
    .filter((part) => part.length >= leastNameLength && /^\p{Lu}/u.test(part));
  const whole = [...names, ...phrases]
    .map((one) => one.trim())
    .filter((one) => one.length >= leastNameLength);
  return replaced(replaced(text, whole, 'giu', word), parts, 'gu', word);
}

function replaced(text: string, found: readonly string[], flags: string, word: string): string {
  if (found.length === 0) return text;
  const longestFirst = [...new Set(found)].sort((one, other) => other.length - one.length);
  const any = longestFirst.map((one) => one.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('|');
  return text.replace(new RegExp(`(?<![\\p{L}\\p{N}])(?:${any})(?![\\p{L}\\p{N}])`, flags), () => word);
}
