/**
 * Proves that a call and its answer come from a process with the same SECRET_KEY. A signature covers the method, the
 * path, the node that is called, the time, a number that is used once, and the whole body, which names the caller's
 * account and rights. The answer's signature covers the call's, so an answer fits one call only.
 */
import { randomBytes } from 'node:crypto';
import { unauthorized } from '../http/errors.ts';
import { hmac, isSignedBy, type Secrets, sha256 } from '../secrets/secrets.ts';

export const nodeHeader = 'x-talkboard-node';

export interface SignedCall {
  path: string;
  /** The node that is called. */
  nodeId: string;
  body: string | Buffer;
}

/** Both clocks follow the database's. */
const validMs = 15_000;
/** Of all calls in that time; more are refused, and their senders answer themselves. */
const maxNonces = 200_000;
const form = /^v1 (\d{1,16}) ([\w-]{22}) ([\w-]{43})$/;

export interface NodeSignatures {
  sign(call: SignedCall): string;
  /** Throws before the body is read if the header alone shows that the call is refused. */
  checkHeader(header: unknown): void;
  /** Throws a 401 for a forged, late or repeated call. */
  verify(header: unknown, call: SignedCall): void;
  /** Appends a signature to the text of an answer. */
  sealAnswer(callHeader: string, text: string): string;
  /** The text of an answer to the call; throws if nobody with the key has signed it. */
  openAnswer(callHeader: string, sealed: string): string;
}

export function createNodeSignatures(secrets: Secrets, now: () => number): NodeSignatures {
  const keys = secrets.deriveKeys('node-calls');
  /** In the order of their times of arrival, each with the time at which it may be forgotten. */
  const seen = new Map<string, number>();

  const read = (header: unknown) => {
    const [, time, nonce, signature] = form.exec(typeof header === 'string' ? header : '') ?? [];
    if (!time || !nonce || !signature) throw unauthorized('the call is not signed');
    if (Math.abs(now() - Number(time)) > validMs) throw unauthorized('the signature has expired');
    return { time, nonce, signature };
  };
  const forgetOld = () => {
    for (const [nonce, until] of seen) {
      if (until > now()) return;
      seen.delete(nonce);
    }
  };

  return {
    sign(call) {
      const time = String(now());
      const nonce = randomBytes(16).toString('base64url');
      return `v1 ${time} ${nonce} ${hmac(keys[0]!, signedText(call, time, nonce)).toString('base64url')}`;
    },
    checkHeader: (header) => void read(header),
    verify(header, call) {
      const { time, nonce, signature } = read(header);
      const text = signedText(call, time, nonce);
      if (!isSignedBy(keys, text, Buffer.from(signature, 'base64url'))) {
        throw unauthorized('the signature is wrong');
      }
      forgetOld();
      if (seen.has(nonce)) throw unauthorized('the call was made before');
      if (seen.size >= maxNonces) throw unauthorized('too many calls');
      // A time in the future is valid for longer.
      seen.set(nonce, now() + 2 * validMs + 1);
    },
    sealAnswer: (callHeader, text) =>
      `${text}\n${hmac(keys[0]!, answerText(callHeader, text)).toString('base64url')}`,
    openAnswer(callHeader, sealed) {
      const end = sealed.lastIndexOf('\n');
      const text = sealed.slice(0, Math.max(end, 0));
      const signature = Buffer.from(sealed.slice(end + 1), 'base64url');
      if (end < 0 || !isSignedBy(keys, answerText(callHeader, text), signature)) {
        throw new Error('the answer is not signed by this instance');
      }
      return text;
    },
  };
}

const signedText = ({ path, nodeId, body }: SignedCall, time: string, nonce: string) =>
  ['call', 'POST', path, nodeId, time, nonce, sha256(body).toString('hex')].join('\n');

const answerText = (callHeader: string, text: string) => `answer\n${callHeader}\n${text}`;
