/**
 * Passwords of tests are hashed at the least cost: with the real one a hash takes longer than most of what is tested.
 * Imported before the service, which then gets this function from the package. A hash names its cost, so that checking
 * one is as cheap.
 */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import type * as Argon2 from '@node-rs/argon2';

const argon2 = createRequire(import.meta.url)('@node-rs/argon2') as Pick<typeof Argon2, 'hash' | 'verify'>;
const { hash, verify } = argon2;
const leastCost = { memoryCost: 8, timeCost: 1 };
let isReal = false;
let held: Promise<void> | null = null;

/** What each check of a password has cost so far, in the order of the checks. */
export const checkedCosts: string[] = [];

argon2.hash = (password, options = {}, ...rest) => {
  // What the service asks for, or the hashes of a real instance were weaker than OWASP recommends.
  assert.ok((options?.memoryCost ?? 0) >= 19_456 && (options?.timeCost ?? 0) >= 2, 'the cost of a hash');
  return hash(password, isReal ? options : { ...options, ...leastCost }, ...rest);
};

argon2.verify = async (...args) => {
  checkedCosts.push(/m=\d+,t=\d+,p=\d+/.exec(String(args[0]))?.[0] ?? 'none');
  await held;
  return verify(...args);
};

/** For tests of what waits for slow checks: no password is checked until the returned function is called. */
export function holdPasswordChecks(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  held = promise;
  return () => {
    held = null;
    resolve();
  };
}

/** For tests of what the real cost causes. */
export function hashAtRealCost(real: boolean): void {
  isReal = real;
}
