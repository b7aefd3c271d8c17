/** Detects the type of a column's values, and the format of its dates and numbers. */
import type {
  ImportDateForm,
  ImportLook,
  ImportNumberForm,
  ImportSeparator,
} from '../../../contract/crm/imports.ts';

/** Longer than any address or number: no pattern is tried on it. */
const longestLooked = 320;

// No two adjacent repetitions match the same character: cells are untrusted, and each pattern is linear.
const email = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/;
const url = /^(?:https?:\/\/|www\.)\S+$/i;
const isoDate = /^\d{4}-\d{1,2}-\d{1,2}$/;
export const localDate = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})$/;
const time = /[T ]\d{1,2}:\d{2}/;
const number =
  /^[-+(]?\s*(?:(?:[A-Z]{0,3}\p{Sc}|[A-Z]{3})\s*)?[-+]?\d[\d.,' \u00a0\u202f]*(?:\p{Sc}|[A-Z]{3}|%)?\)?$/u;
const phone = /^\+?[\d \u00a0()./-]+$/;
const booleans = /^(?:true|false|yes|no|sim|n[ãa]o|s[íi]|verdadeiro|falso|verdadero)$/i;

function lookOf(value: string): ImportLook {
  const text = value.trim();
  if (text === '') return 'empty';
  if (text.length > longestLooked) return 'text';
  if (email.test(text)) return 'email';
  if (url.test(text)) return 'url';
  if (booleans.test(text)) return 'boolean';
  const [day] = text.split(/[T ]/);
  if (isoDate.test(day!) || localDate.test(day!)) return time.test(text) ? 'datetime' : 'date';
  const digits = text.replace(/\D/g, '').length;
  const hasSigns = /^\+|[()]|\d[ \u00a0-]\d/.test(text);
  if (phone.test(text) && digits >= 7 && digits <= 15 && (hasSigns || (digits >= 10 && !/[.,]/.test(text)))) {
    return 'phone';
  }
  return number.test(text) ? 'number' : 'text';
}

const enough = 0.8;

export function looksOf(values: readonly string[]): ImportLook {
  const counts = new Map<ImportLook, number>();
  let filled = 0;
  for (const value of values) {
    const look = lookOf(value);
    if (look === 'empty') continue;
    filled++;
    counts.set(look, (counts.get(look) ?? 0) + 1);
  }
  if (filled === 0) return 'empty';
  const [look, count] = [...counts].sort((a, b) => b[1] - a[1])[0]!;
  return count >= filled * enough ? look : 'text';
}

/** Names are filled, distinct, and not addresses, numbers or dates; the row below may be anything. */
export function looksLikeNames(first: readonly string[], rest: readonly string[][]): boolean {
  const filled = first.map((cell) => cell.trim().toLowerCase()).filter((cell) => cell !== '');
  if (filled.length === 0 || new Set(filled).size < filled.length) return false;
  const looks = first.map(lookOf);
  if (looks.some((look) => look !== 'text' && look !== 'empty' && look !== 'boolean')) return false;
  // A single row of words is ambiguous; files nearly always name their columns.
  return rest.length === 0 || !rest.some((row) => row.join('\n') === first.join('\n'));
}

/** Where the month is written first. */
const monthFirst =
  /^(?:US\/|America\/(?:New_York|Detroit|Chicago|Denver|Boise|Phoenix|Los_Angeles|Anchorage|Juneau|Indiana|Louisville|Kentucky|North_Dakota)|Pacific\/Honolulu)/;

export function guessDateForm(values: readonly string[], timeZone: string): ImportDateForm {
  let [local, dayFirst, monthSecond] = [0, 0, 0];
  for (const value of values) {
    const parts = localDate.exec(value.trim().split(/[T ]/)[0]!);
    if (!parts) continue;
    local++;
    if (Number(parts[1]) > 12) dayFirst++;
    if (Number(parts[2]) > 12 || /[ap]\.?m\.?$/i.test(value.trim())) monthSecond++;
  }
  if (local === 0) return 'iso';
  if (dayFirst !== monthSecond) return dayFirst > monthSecond ? 'dmy' : 'mdy';
  return monthFirst.test(timeZone) ? 'mdy' : 'dmy';
}

/** A spreadsheet separates cells with semicolons where numbers use the comma. */
export function guessNumberForm(values: readonly string[], separator: ImportSeparator): ImportNumberForm {
  let [point, comma] = [0, 0];
  for (const value of values) {
    const text = value.replace(/[^\d.,]/g, '');
    const [lastPoint, lastComma] = [text.lastIndexOf('.'), text.lastIndexOf(',')];
    if (lastPoint < 0 && lastComma < 0) continue;
    if (lastPoint >= 0 && lastComma >= 0) lastPoint > lastComma ? point++ : comma++;
    else {
      const last = Math.max(lastPoint, lastComma);
      const [sign, several] = [text[last]!, text.indexOf(text[last]!) !== last];
      // Three digits after it may be thousands; two of the same sign certainly are.
      if (several) sign === '.' ? comma++ : point++;
      else if (text.length - last - 1 !== 3) sign === '.' ? point++ : comma++;
    }
  }
  if (point !== comma) return point > comma ? 'point' : 'comma';
  return separator === ';' ? 'comma' : 'point';
}
