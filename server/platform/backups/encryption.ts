/**
 * Backups are encrypted in the format of age (age-encryption.org/v1, X25519): `age --decrypt` opens them without
 * Talkboard. The server knows the public key only.
 */
import { createRequire } from 'node:module';
import { Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { BackupError } from './backup-error.ts';

/** Loaded on first use: without encrypted backups a start saves a tenth of a second before its database. */
const age = () => createRequire(import.meta.url)('age-encryption') as typeof import('age-encryption');

export interface KeyPair {
  privateKey: string;
  publicKey: string;
}

const beginning = Buffer.from('age-encryption.org/v1\n');

export async function createKeyPair(): Promise<KeyPair> {
  const privateKey = await age().generateX25519Identity();
  return { privateKey, publicKey: await age().identityToRecipient(privateKey) };
}

/** Throws what is wrong. */
export function checkPublicKey(key: string): string {
  if (/^AGE-SECRET-KEY-/i.test(key))
    throw new Error('is a private key: the server must have the public one only');
  const { Encrypter } = age();
  try {
    new Encrypter().addRecipient(key);
  } catch {
    throw new Error('must be public keys such as age1…, as talkboard backup keygen prints them');
  }
  return key;
}

/** The private keys in a file as `backup keygen` and `age-keygen` write it. */
export function readPrivateKeys(text: string): string[] {
  const keys = text.split(/\r?\n/).map((line) => line.trim());
  const found = keys.filter((line) => line !== '' && !line.startsWith('#'));
  if (found.length === 0) throw new BackupError('the key file holds no private key');
  const { Decrypter } = age();
  for (const key of found) {
    try {
      new Decrypter().addIdentity(key);
    } catch {
      throw new BackupError('the key file does not hold a private key (AGE-SECRET-KEY-1…)');
    }
  }
  return found;
}

export async function encrypt(plain: Readable, publicKeys: readonly string[]): Promise<Readable> {
  const { Encrypter } = age();
  const encrypter = new Encrypter();
  for (const key of publicKeys) encrypter.addRecipient(key);
  return fromWeb(await encrypter.encrypt(toWeb(plain)));
}

/** What was stored, as packed lines. Throws without the right key. */
export async function decrypt(stored: Readable, privateKeys: readonly string[]): Promise<Readable> {
  const { isEncrypted, whole } = await peek(stored);
  if (!isEncrypted) return whole;
  if (privateKeys.length === 0) {
    whole.destroy();
    throw new BackupError('the backup is encrypted: give the private key with --key <file>');
  }
  const { Decrypter } = age();
  const decrypter = new Decrypter();
  for (const key of privateKeys) decrypter.addIdentity(key);
  try {
    return fromWeb(await decrypter.decrypt(toWeb(whole)));
  } catch (error) {
    whole.destroy();
    const isOther = /no identity matched/i.test((error as Error).message);
    throw new BackupError(
      isOther
        ? 'the key does not open this backup: it was encrypted to another public key'
        : `the backup cannot be decrypted (${(error as Error).message}): it is damaged`,
    );
  }
}

async function peek(stored: Readable): Promise<{ isEncrypted: boolean; whole: Readable }> {
  const chunks = stored[Symbol.asyncIterator]();
  const first: Buffer[] = [];
  let bytes = 0;
  while (bytes < beginning.length) {
    const { done, value } = await chunks.next();
    if (done) break;
    first.push(value);
    bytes += value.length;
  }
  const start = Buffer.concat(first);
  async function* all(): AsyncGenerator<Buffer> {
    try {
      yield start;
      for (;;) {
        const { done, value } = await chunks.next();
        if (done) return;
        yield value;
      }
    } finally {
      stored.destroy();
    }
  }
  const isEncrypted = start.subarray(0, beginning.length).equals(beginning);
  return { isEncrypted, whole: Readable.from(all(), { objectMode: false }) };
}

const toWeb = (stream: Readable) => Readable.toWeb(stream) as unknown as ReadableStream<Uint8Array>;
const fromWeb = (stream: ReadableStream<Uint8Array>) => Readable.fromWeb(stream as unknown as WebStream);
