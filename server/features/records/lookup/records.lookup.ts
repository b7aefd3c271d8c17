/**
 * The keys under which a record is found by the exact value of a field: 64-bit hashes of field id and value, compared
 * as text, case-insensitive. Hashes, because a value may be longer than an index entry, and because lower case
 * differs between database servers.
 */
import { sha256Hex } from '../../../platform/secrets/secrets.ts';
import type { FieldValues } from '../records.values.ts';

/** Options, towns and dates repeat, and hashing them is a twentieth of a create. */
const known = new Map<string, string>();
const maxKnown = 5_000;
const longestKnown = 100;

export function lookupKey(fieldId: string, text: string): string {
  const named = `${fieldId}\n${lookupForm(text)}`;
  const kept = known.get(named);
  if (kept !== undefined) return kept;
  const key = BigInt.asIntN(64, BigInt(`0x${sha256Hex(named).slice(0, 16)}`)).toString();
  if (named.length <= longestKnown) {
    if (known.size >= maxKnown) known.clear();
    known.set(named, key);
  }
  return key;
}

/** A value that a visitor typed is found as a value, and makes the record no contact's. */
export function lookupKeys(values: FieldValues, unverified: readonly string[] = []): string[] {
  const keys: string[] = [];
  for (const fieldId in values) {
    const value = values[fieldId]!;
    // A multiselect is found by any of its values, a datetime by its milliseconds.
    if (Array.isArray(value)) for (const text of value) keys.push(lookupKey(fieldId, text));
    else {
      keys.push(lookupKey(fieldId, String(value)));
      const isIdentifier = typeof value === 'string' && !unverified.includes(fieldId);
      const identifier = isIdentifier ? identifierIn(value) : null;
      if (identifier !== null) keys.push(lookupKey(identifierField, identifier));
    }
  }
  return keys;
}

/** Means all fields: contacts find the records with their phone number or e-mail address (contacts.sql.ts). */
export const identifierField = 'identifier';
const emailAddress = /^[^\s@]+@[^\s@]+$/;
const phoneNumber = /^(?!\d{4}-\d\d-\d\d$)\+?[\d\s().+/-]{7,40}$/;
const shortestPhone = 7;

/** As identifierKey gives it for a phone number or an e-mail address in any notation. */
function identifierIn(value: string): string | null {
  if (emailAddress.test(value)) return `email:${value.toLowerCase()}`;
  if (!phoneNumber.test(value)) return null;
  const digits = value.replaceAll(/\D/g, '');
  return digits.length < shortestPhone ? null : `phone:${digits.replace(/^00/, '')}`;
}

/** Both forms of the Greek small sigma are the same letter when case is ignored. */
function lookupForm(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}
