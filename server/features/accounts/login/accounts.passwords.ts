/**
 * Hashes and checks passwords. A hash takes about 30 ms of a core: never call these inside a transaction, which would
 * hold a connection while the hash waits.
 */
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { createSemaphore } from '../../../platform/concurrency/semaphore.ts';
import { badRequest } from '../../../platform/http/errors.ts';
import { passwordProblem } from '../../../platform/password-rules.ts';

/** OWASP's second profile: 19 MiB, two passes. The salt and these parameters are part of the hash. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** A hash of random bytes with this cost. */
const absentUserHash =
  '$argon2id$v=19$m=19456,t=2,p=1$UqIzEvhshnCD3KIZP25MPA$O/V+TB0VZB49DJ94vtOfgXlGx5mHAf1NSiZmM+FMe/o';

/** A few seconds of work. Beyond that the response is 503 BUSY. */
const hashingBounds = { maxWaiting: 200, maxWaitMs: 10_000 };

/**
 * For the whole process, because it shares the processor: one core stays free for other requests, and one of libuv's
 * four threads for files.
 */
const hashing = createSemaphore(Math.min(3, Math.max(1, availableParallelism() - 1)), hashingBounds);

export function hashPassword(password: string): Promise<string> {
  return hashing.take(() => hash(password, cost));
}

/** An unknown user (null) takes the same time as a wrong password, so that the two cannot be distinguished. */
export async function passwordFits(storedHash: string | null, password: string): Promise<boolean> {
  const fits = await hashing.take(() => verify(storedHash ?? absentUserHash, password));
  return storedHash !== null && fits;
}

/** A 400 that names `field` for a forbidden password. The contract checks the length. */
export function checkPassword(password: string, email: string, field: string): void {
  const problem = passwordProblem(password, email);
  if (problem) throw badRequest(`${field} ${problem}`);
}

/** For the administrator of a first start: easy to copy, hard to guess (110 bits). */
export function generatePassword(): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789';
  return Array.from(randomBytes(24), (byte) => letters[byte % letters.length]).join('');
}
