/** An authenticator in software: passkeys without a browser, and with what a browser would not do. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { Json } from './service.ts';

export interface SoftPasskey {
  /** The body of `POST /auth/passkeys` for the options of a registration. */
  created: Json;
  /** Answers to the options of an authentication. */
  answer(options: Json, change?: AnswerChange): Json;
}

interface AnswerChange {
  counter?: number;
  origin?: string;
  rpId?: string;
  isVerified?: boolean;
}

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest();
const base64url = (data: Buffer | string) => Buffer.from(data).toString('base64url');
const flagsOf = (isVerified: boolean, hasKey: boolean) => 1 | (isVerified ? 4 : 0) | (hasKey ? 64 : 0);

/** `options`: of `POST /auth/passkeys/registration`. */
export function createPasskey(options: Json, origin: string): SoftPasskey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(32);
  let counter = 0;
  const idLength = Buffer.alloc(2);
  idLength.writeUInt16BE(id.length);
  const attested = Buffer.concat([Buffer.alloc(16), idLength, id, coseKey(publicKey)]);
  const authData = Buffer.concat([head(options.rp.id, flagsOf(true, true), counter), attested]);
  const shared = { id: base64url(id), rawId: base64url(id), type: 'public-key', clientExtensionResults: {} };
  return {
    created: {
      ...shared,
      response: {
        clientDataJSON: clientData('webauthn.create', options.challenge, origin),
        attestationObject: base64url(attestation(authData)),
        transports: ['internal'],
      },
    },
    answer(asked, change = {}) {
      counter = change.counter ?? counter + 1;
      const data = head(change.rpId ?? options.rp.id, flagsOf(change.isVerified ?? true, false), counter);
      const client = clientData('webauthn.get', asked.challenge, change.origin ?? origin);
      const signed = Buffer.concat([data, sha256(Buffer.from(client, 'base64url'))]);
      return {
        ...shared,
        response: {
          clientDataJSON: client,
          authenticatorData: base64url(data),
          signature: base64url(sign('sha256', signed, privateKey)),
          userHandle: options.user.id,
        },
      };
    },
  };
}

function clientData(type: string, challenge: string, origin: string): string {
  return base64url(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

function head(rpId: string, flags: number, counter: number): Buffer {
  const rest = Buffer.alloc(5);
  rest.writeUInt8(flags, 0);
  rest.writeUInt32BE(counter, 1);
  return Buffer.concat([sha256(rpId), rest]);
}

/** CBOR: { 1: EC2, 3: ES256, -1: P-256, -2: x, -3: y }. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  return Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ]);
}

/** CBOR: { fmt: 'none', attStmt: {}, authData }. */
function attestation(authData: Buffer): Buffer {
  const text = (value: string) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
  return Buffer.concat([
    Buffer.from([0xa3]),
    text('fmt'),
    text('none'),
    text('attStmt'),
    Buffer.from([0xa0]),
    text('authData'),
    Buffer.from([0x58, authData.length]),
    authData,
  ]);
}
