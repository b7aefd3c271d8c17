/** Codes of authenticator apps: RFC 6238 with SHA-1, six digits and steps of 30 seconds, which every app knows. */
import { createHmac, randomBytes } from 'node:crypto';
import { sameBytes } from '../../../platform/secrets/secrets.ts';

const stepMs = 30_000;
const digits = 6;
/** Clocks of phones differ, and typing takes time: the code before and the code after are valid too. */
const tolerance = 1;
/** RFC 4226 recommends 160 bits. */
const secretBytes = 20;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export const newTotpSecret = (): Buffer => randomBytes(secretBytes);

export const stepOf = (now: number): number => Math.floor(now / stepMs);

/** RFC 4226: the code of a counter. */
export function hotp(secret: Buffer, counter: number, length = digits): string {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(counter));
  const mac = createHmac('sha1', secret).update(message).digest();
  const offset = mac[mac.length - 1]! & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** length).padStart(length, '0');
}

/** The step of a valid code after the step `after`, which is used up; null: the code is wrong. */
export function findStep(secret: Buffer, typed: string, now: number, after: number | null): number | null {
  const code = typed.replace(/\s/g, '');
  if (!/^\d{6}$/.test(code)) return null;
  let found: number | null = null;
  for (let step = stepOf(now) - tolerance; step <= stepOf(now) + tolerance; step++) {
    const fits = sameBytes(Buffer.from(hotp(secret, step)), Buffer.from(code));
    if (fits && (after === null || step > after)) found ??= step;
  }
  return found;
}

export function base32(bytes: Buffer): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(value >>> (bits - 5)) & 31];
    value &= (1 << bits) - 1;
  }
  return bits > 0 ? text + alphabet[(value << (5 - bits)) & 31] : text;
}

/** What the QR code holds. */
export function totpUri(secret: string, email: string): string {
  const issuer = 'Talkboard';
  const parameters = new URLSearchParams({ secret, issuer, algorithm: 'SHA1', digits: '6', period: '30' });
  return `otpauth://totp/${issuer}:${encodeURIComponent(email)}?${parameters}`;
}
