/**
 * The keys under which a record is found by the exact value of a field: 64-bit hashes of field id and value, compared
 * as text without regard to case. Hashes, because a value may be longer than an index entry, and because the
 * database's idea of lower case differs between servers.
 */
import { sha256 } from '../../platform/secrets.ts';
import type { FieldValue, FieldValues } from './records.values.ts';

/** Options, towns and dates come again and again, and their hashes are a twentieth of a create. */
const known = new Map<string, string>();
const mostKnown = 5_000;
const longestKnown = 100;

export function lookupKey(fieldId: string, text: string): string {
  const named = `${fieldId}\n${lookupForm(text)}`;
  const kept = known.get(named);
  if (kept !== undefined) return kept;
  const key = sha256(named).readBigInt64BE(0).toString();
  if (named.length <= longestKnown) {
    if (known.size >= mostKnown) known.clear();
    known.set(named, key);
  }
  return key;
}

export function lookupKeys(values: FieldValues): string[] {
  return Object.entries(values).flatMap(([fieldId, value]) =>
    lookupTexts(value).map((text) => lookupKey(fieldId, text)),
  );
}

/** A multiselect is found by any of its values, a datetime by its milliseconds. */
function lookupTexts(value: FieldValue): string[] {
  return Array.isArray(value) ? value : [String(value)];
}

/** Both forms of the Greek small sigma are one letter without regard to case. */
function lookupForm(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}
