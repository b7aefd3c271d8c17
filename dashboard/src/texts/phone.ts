/** One form of phone number for every view: `+1 202 555 0167`. What is stored stays as it was typed. */

const oneDigit = /^[17]/;
const twoDigits = /^(2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;
const international = /^(?:\+|00)([\d\s()./-]+)$/;
const chatApp = /^(\d+)@c\.us$/;

/** Of a text that may be something else: only a number with its country code is one. */
export function shownPhone(text: string): string {
  const given = text.trim();
  const found = international.exec(given)?.[1] ?? chatApp.exec(given)?.[1];
  return (found && grouped(found.replaceAll(/\D/g, ''))) ?? text;
}

/** Of the digits of a number that is known to be international. A short code stays as it is. */
export const phoneDigits = (digits: string): string =>
  (digits.length >= 10 ? grouped(digits) : null) ?? digits;

function grouped(digits: string): string | null {
  if (!/^[1-9]\d{7,14}$/.test(digits)) return null;
  const length = oneDigit.test(digits) ? 1 : twoDigits.test(digits) ? 2 : 3;
  const rest = digits.slice(length);
  // Threes, and what is left over with the last one.
  const groups = rest.match(/\d{3}(?=\d{3})|\d+/g) ?? [];
  return `+${[digits.slice(0, length), ...groups].join(' ')}`;
}
