/** Which passwords are rejected: the most common ones, and one's own e-mail address. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { limits } from '../../contract/limits.ts';

const require = createRequire(import.meta.url);

/**
 * The package lists 49,000 passwords, most common first, without sequences and repetitions, which its own users
 * detect by rule. These are the ones among the 10,000 most common passwords that are long enough to be chosen here.
 */
const sequences = [
  ...['0000000000', '1111111111', '2222222222', '5555555555', '7777777777', '9999999999', 'aaaaaaaaaa'],
  ...['0123456789', '0987654321', '9876543210', '1234567890-', '1212121212', '1234512345'],
  ...['poiuytrewq', 'qwertyqwerty'],
];

let known: Set<string> | undefined;

/** Read at first use and filtered by allowed length: 1,500 entries instead of 49,000 stay in memory. */
function mostCommon(): Set<string> {
  if (known) return known;
  const path = require.resolve('@zxcvbn-ts/language-common/src/passwords.json');
  const listed = JSON.parse(readFileSync(path, 'utf8')) as string[];
  const allowed = listed.filter((password) => password.length >= limits.passwordLength.min);
  known = new Set([...allowed, ...sequences]);
  return known;
}

/** What is wrong with a password of an allowed length, to be shown after the field's name; null: nothing. */
export function passwordProblem(password: string, email: string): string | null {
  const folded = password.trim().toLowerCase();
  if (folded === email.trim().toLowerCase()) return 'must not be the e-mail address';
  return mostCommon().has(folded) ? 'is one of the most common passwords, choose another' : null;
}
