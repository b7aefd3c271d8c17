/**
 * The messages of a conversation by e-mail. A request is a job; the worker reads the messages when it sends. Notes, held
 * replies and system messages are never part of it.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { LanguageName } from '../../../../contract/limits.ts';
import type { Tx } from '../../../platform/db/db.ts';
import { badRequest, conflict, rateLimited } from '../../../platform/http/errors.ts';
import { jobKind } from '../../../platform/jobs/job-kinds.ts';
import { enqueue } from '../../../platform/jobs/jobs.ts';
import type { RateLimits } from '../../../platform/limits/rate-limit.ts';
import type { MailSettings } from '../../../platform/mail.ts';

export const transcriptJobKind = jobKind('transcript');
/** About half an hour: longer than servers that greylist want to wait. */
const maxAttempts = 12;
const hour = 3_600;
/** Each may be sent to an address that its owner did not give: this must not be a way to flood someone. */
const perHour = { session: 5, recipient: 5, client: 20, account: 200 };

export interface TranscriptRequest {
  sessionId: string;
  /** Checked against emailPattern by the route. */
  email: string;
  /** Null: the account's. */
  language: LanguageName | null;
  timeZone: string;
}

/** Null of `mail`: this instance sends no e-mail. */
export function requireMail(mail: MailSettings | null): MailSettings {
  if (mail === null) throw conflict('this instance cannot send e-mail: set SMTP_URL and MAIL_FROM');
  return mail;
}

/** It goes to those who take part in the conversation, so that it is no way to mail others in the account's name. */
export function requireRecipient(email: string, allowed: readonly (string | null)[]): void {
  const wanted = email.toLowerCase();
  if (allowed.some((one) => one?.toLowerCase() === wanted)) return;
  throw badRequest('email must be an address of this conversation or of a user of the account');
}

export interface TranscriptSender {
  sessionId: string;
  /** Null: an operator or a token. A visitor may write any address, so these are counted apart and more narrowly. */
  visitor: { client: string; email: string } | null;
}

/**
 * For a conversation that exists. The bucket of the account is the last one: a request that a narrower limit rejects must
 * not use up what others need. Outside of transactions, because it needs a connection.
 */
export async function admitTranscript(
  rateLimits: RateLimits,
  accountId: string,
  { sessionId, visitor }: TranscriptSender,
): Promise<void> {
  const kind = visitor ? 'transcript-visitor' : 'transcript';
  const buckets: [string, number][] = [
    [`${kind}:${sessionId}`, perHour.session],
    ...(visitor
      ? ([
          [`${kind}-client:${visitor.client}`, perHour.client],
          [`${kind}-to:${hashOf(visitor.email.toLowerCase())}`, perHour.recipient],
        ] satisfies [string, number][])
      : []),
    [kind, perHour.account],
  ];
  for (const [bucket, limit] of buckets) {
    const verdict = await rateLimits.admit(accountId, bucket, [{ limit, seconds: hour }]);
    if (!verdict.admitted) throw rateLimited(429, verdict.retryAfterSeconds);
  }
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url');

/** Of a conversation that exists. While one to the same address waits, a second request adds none. */
export async function requestTranscript(
  tx: Tx,
  accountId: string,
  { sessionId, email, language, timeZone }: TranscriptRequest,
): Promise<void> {
  const to = email.toLowerCase();
  await enqueue(tx, {
    accountId,
    kind: transcriptJobKind,
    payload: { sessionId, email: to, language, timeZone, id: randomUUID() },
    dedupeKey: `${sessionId}/${to}`,
    maxAttempts,
  });
}
