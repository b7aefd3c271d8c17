/**
 * Proves that a call and its answer come from a process with the same SECRET_KEY. A signature covers the method, the
 * path, the node that is called, the time, a number that is used once, and the digest of the body, which names the
 * caller's account and rights. The digest is in the header, so a call is refused before its body is read. The answer's
 * signature covers the call's, so an answer fits one call only.
 */
import { randomBytes } from 'node:crypto';
import { unauthorized } from '../http/errors.ts';
import { hmac, isSignedBy, type Secrets, sha256 } from '../secrets/secrets.ts';

export const nodeHeader = 'x-talkboard-node';

export interface CallPlace {
  path: string;
  /** The node that is called. */
  nodeId: string;
}

export interface SignedCall extends CallPlace {
  body: string;
}

/** A call whose header is right. Its body is not known yet. */
export interface AdmittedCall {
  header: string;
  /** Of the body, in base64url. */
  digest: string;
}

/** Both clocks follow the database's. */
const validMs = 15_000;
/** Of all calls in that time; more are refused, and their senders answer themselves. */
const maxNonces = 200_000;
/** A node of a release with another form refuses the call, and its sender answers itself. */
const form = /^v2 (\d{1,16}) ([\w-]{22}) ([\w-]{43}) ([\w-]{43})$/;

export interface NodeSignatures {
  sign(call: SignedCall): string;
  /** Needs no body. Throws a 401 for a forged, late or repeated call. */
  admit(header: unknown, place: CallPlace): AdmittedCall;
  /** Throws a 401 for a body that was not signed. */
  checkBody(call: AdmittedCall, body: Buffer): void;
  /** Appends a signature to the text of an answer. */
  sealAnswer(callHeader: string, text: string): string;
  /** The text of an answer to the call; throws if it is not signed with the key. */
  openAnswer(callHeader: string, sealed: string): string;
}

export function createNodeSignatures(secrets: Secrets, now: () => number): NodeSignatures {
  const keys = secrets.deriveKeys('node-calls');
  /** In the order of their times of arrival, each with the time at which it may be forgotten. */
  const seen = new Map<string, number>();

  const forgetOld = () => {
    for (const [nonce, until] of seen) {
      if (until > now()) return;
      seen.delete(nonce);
    }
  };

  return {
    sign({ body, ...place }) {
      const time = String(now());
      const nonce = randomBytes(16).toString('base64url');
      const digest = digestOf(body);
      const signature = hmac(keys[0]!, signedText(place, time, nonce, digest)).toString('base64url');
      return `v2 ${time} ${nonce} ${digest} ${signature}`;
    },
    admit(header, place) {
      if (typeof header !== 'string') throw unauthorized('the call is not signed');
      const [, time, nonce, digest, signature] = form.exec(header) ?? [];
      if (!time || !nonce || !digest || !signature) throw unauthorized('the call is not signed');
      if (Math.abs(now() - Number(time)) > validMs) throw unauthorized('the signature has expired');
      const text = signedText(place, time, nonce, digest);
      if (!isSignedBy(keys, text, Buffer.from(signature, 'base64url'))) {
        throw unauthorized('the signature is wrong');
      }
      forgetOld();
      if (seen.has(nonce)) throw unauthorized('the call was made before');
      if (seen.size >= maxNonces) throw unauthorized('too many calls');
      // A time in the future is valid for longer.
      seen.set(nonce, now() + 2 * validMs + 1);
      return { header, digest };
    },
    checkBody({ digest }, body) {
      if (digestOf(body) !== digest) throw unauthorized('the body is not the one that was signed');
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

const signedText = ({ path, nodeId }: CallPlace, time: string, nonce: string, digest: string) =>
  ['call', 'POST', path, nodeId, time, nonce, digest].join('\n');

const digestOf = (body: string | Buffer) => sha256(body).toString('base64url');

const answerText = (callHeader: string, text: string) => `answer\n${callHeader}\n${text}`;
