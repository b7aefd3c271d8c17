import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';

/** OWASP's second profile: 19 MiB, two passes. The salt and these figures are part of the hash. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export function hashPassword(password: string): Promise<string> {
  return hash(password, cost);
}

let absentUserHash: Promise<string> | undefined;

/** An unknown user costs the same time as a wrong password, so that neither can be told from the other. */
export async function passwordFits(storedHash: string | null, password: string): Promise<boolean> {
  absentUserHash ??= hashPassword(randomBytes(16).toString('hex'));
  const fits = await verify(storedHash ?? (await absentUserHash), password);
  return storedHash !== null && fits;
}

/** For the administrator of a first start: easy to copy, hard to guess (110 bits). */
export function generatePassword(): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789';
  return Array.from(randomBytes(24), (byte) => letters[byte % letters.length]).join('');
}
