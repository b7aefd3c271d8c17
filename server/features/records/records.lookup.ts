/**
 * The keys under which a record is found by the exact value of a field: 64-bit hashes of field id and value, compared
 * as text without regard to case. Hashes, because a value may be longer than an index entry, and because the
 * database's idea of lower case differs between servers.
 */
import { sha256 } from '../../platform/secrets.ts';
import type { FieldValue, FieldValues } from './records.values.ts';

export function lookupKey(fieldId: string, text: string): string {
  return sha256(`${fieldId}\n${lookupForm(text)}`)
    .readBigInt64BE(0)
    .toString();
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
