/** What Graph's errors mean, as classes for the frame and sentences for people. */
import { createRedact } from '../connectors.call.ts';
import {
  type Link,
  type ProviderAnswer,
  ProviderError,
  type ProviderErrorClass,
} from '../connectors.provider.ts';
import { numberOf, objectOf, textOf } from '../connectors.values.ts';

export interface GraphMeaning {
  errorClass: ProviderErrorClass;
  message: string;
  /** Where the answer tells no wait. */
  waitMs?: number;
  /** Who has to wait besides this message; absent: the channel, if there is a wait. */
  pauses?: 'channel' | 'customer';
}

/** Of one provider: its name in sentences, and its codes, also as `code/subcode`. */
export interface GraphErrors {
  name: string;
  codes: Readonly<Record<string, GraphMeaning>>;
}

export interface GraphError {
  code: number | null;
  subcode: number | null;
  /** What Meta says, without credentials: the details where there are some. */
  said: string | null;
  isTransient: boolean;
}

const shownLength = 300;

/** An `error` of an answer, or one of the `errors` of a status. */
export function graphErrorOf(link: Link, value: unknown): GraphError {
  const error = objectOf(value);
  const details = textOf(objectOf(error.error_data).details);
  const said = details ?? textOf(error.message) ?? textOf(error.title);
  const redact = createRedact(Object.values(link.credentials));
  return {
    code: numberOf(error.code),
    subcode: numberOf(error.error_subcode),
    said: said && redact(said).slice(0, shownLength).toWellFormed(),
    isTransient: error.is_transient === true,
  };
}

export function meaningOf({ codes }: GraphErrors, { code, subcode }: GraphError): GraphMeaning | null {
  const known = [`${code}/${subcode}`, `${code}`].find((key) => Object.hasOwn(codes, key));
  return known === undefined ? null : codes[known]!;
}

export function rejectionOf(link: Link, answer: ProviderAnswer, errors: GraphErrors): ProviderError {
  const error = graphErrorOf(link, objectOf(answer.json).error);
  const meaning = meaningOf(errors, error) ?? generalMeaning(answer.status, error, errors.name);
  const waitMs = waitOf(answer) ?? meaning.waitMs ?? null;
  return new ProviderError(meaning.errorClass, meaning.message, waitMs, meaning.pauses);
}

/** Of the host of a file. It is not Graph: its status says nothing about the token. */
export function fileRejectionOf(answer: ProviderAnswer, { name }: GraphErrors): ProviderError {
  const { status } = answer;
  if (status !== 429 && status < 500) return new ProviderError('gone', `${name} no longer has the file.`);
  return new ProviderError(
    'retry',
    `${name} does not deliver the file: status ${status}`,
    waitOf(answer),
    null,
  );
}

const rateCodes = [4, 17, 32, 613];
const temporaryCodes = [1, 2];

function generalMeaning(status: number, { code, said, isTransient }: GraphError, name: string): GraphMeaning {
  const detail = `${said ?? `status ${status}`}${code === null ? '' : ` (error ${code})`}`;
  if (status >= 200 && status < 300) {
    return { errorClass: 'lost', message: `The response of ${name} was not readable.` };
  }
  if (code === 190 || status === 401) {
    return { errorClass: 'credentials', message: `${name} rejected the access token. Create a new one.` };
  }
  if (status === 429 || rateCodes.includes(code ?? 0)) {
    return { errorClass: 'retry', message: `${name} asks to send more slowly.`, pauses: 'channel' };
  }
  if (status >= 500 || isTransient || temporaryCodes.includes(code ?? 0)) {
    return { errorClass: 'retry', message: `${name} is not available: ${detail}` };
  }
  return { errorClass: 'final', message: `${name} rejected the request: ${detail}` };
}

/** Seconds or a date. */
function waitOf({ headers }: ProviderAnswer): number | null {
  const value = headers['retry-after'];
  if (!value) return null;
  const ms = /^\d{1,6}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) && ms > 0 ? ms : null;
}
