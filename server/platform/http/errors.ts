/** Errors that a client may see. Only error-handler.ts knows how they look on the wire. */
import type { Reason } from '../../../contract/reasons.ts';

export type ErrorCode =
  | 'VALIDATION_FAILED'
  | 'AGENT_NOT_ALLOWED'
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'ACCOUNT_SUSPENDED'
  | 'FACTOR_REQUIRED'
  | 'ADDRESS_NOT_ALLOWED'
  | 'RATE_LIMITED'
  | 'CONTACT_BLOCKED'
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'CHANNEL_DISABLED'
  | 'WINDOW_CLOSED'
  | 'COPILOT_OFF'
  | 'MODEL_REQUIRED'
  | 'NOTHING_FOUND'
  | 'SUGGESTION_HELD'
  | 'MODEL_FAILED'
  | 'CONNECTION_REFUSED'
  | 'PAYLOAD_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'IDEMPOTENCY_MISMATCH'
  | 'STORAGE_QUOTA'
  | 'KNOWLEDGE_QUOTA'
  | 'SYNC_RUNNING'
  | 'NO_DRAFT'
  | 'IN_USE'
  | 'LIMIT_REACHED'
  | 'RUN_RUNNING'
  | 'TESTS_FAILED'
  | 'DISK_FULL'
  | 'UPGRADE_REQUIRED'
  | 'INTERNAL'
  | 'BUSY'
  | 'UNAVAILABLE';

export class AppError extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  readonly retryAfterSeconds: number | undefined;
  /** Only for lists of errors, such as those of an import; the common shape of an error does not have it. */
  readonly reason: Reason | undefined;

  /** More members of the response. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    code: ErrorCode,
    message: string,
    retryAfterSeconds?: number,
    reason?: Reason,
    details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
    this.reason = reason;
    this.details = details;
  }
}

export const badRequest = (message: string, reason?: Reason) =>
  new AppError(400, 'VALIDATION_FAILED', message, undefined, reason);
export const unauthorized = (message = 'missing or invalid token') =>
  new AppError(401, 'UNAUTHORIZED', message);
export const forbidden = (message: string, reason?: Reason) =>
  new AppError(403, 'FORBIDDEN', message, undefined, reason);
export const accountSuspended = () =>
  new AppError(403, 'ACCOUNT_SUSPENDED', 'the account is suspended: ask the administrator of this instance');
export const notFound = (thing: string) => new AppError(404, 'NOT_FOUND', `${thing} not found`);
export const conflict = (message: string, details?: Readonly<Record<string, unknown>>) =>
  new AppError(409, 'CONFLICT', message, undefined, undefined, details);
export const channelDisabled = () =>
  new AppError(409, 'CHANNEL_DISABLED', 'the channel is disabled: nothing can be sent through it');
export const windowClosed = (message: string) => new AppError(409, 'WINDOW_CLOSED', message);
/** In the words of a provider that a channel should be connected to. */
export const connectionRefused = (message: string) => new AppError(409, 'CONNECTION_REFUSED', message);
export const rateLimited = (status: 403 | 429, retryAfterSeconds: number) =>
  new AppError(status, 'RATE_LIMITED', 'rate limit exceeded', retryAfterSeconds);
export const unavailable = (message: string, retryAfterSeconds = 1) =>
  new AppError(503, 'UNAVAILABLE', message, retryAfterSeconds);
/** Overloaded right now; `unavailable` is for what cannot be reached. */
export const busy = (message?: string, retryAfterSeconds = 2) =>
  new AppError(
    503,
    'BUSY',
    message ?? `The service is busy, retry in ${retryAfterSeconds} seconds`,
    retryAfterSeconds,
  );
/** The same request may succeed in a moment. */
export const isTemporary = (error: unknown) =>
  error instanceof AppError && (error.code === 'UNAVAILABLE' || error.code === 'BUSY');
export const bodyTooLarge = () =>
  new AppError(413, 'PAYLOAD_TOO_LARGE', 'the body is larger than allowed here');
/** A quota of the account, the visitor or the channel. */
export const storageQuota = (message: string) => new AppError(413, 'STORAGE_QUOTA', message);
export const knowledgeQuota = (message: string) => new AppError(413, 'KNOWLEDGE_QUOTA', message);
export const syncRunning = () =>
  new AppError(409, 'SYNC_RUNNING', 'a sync of this source is running already');
export const runRunning = () =>
  new AppError(409, 'RUN_RUNNING', 'a run of tests of this agent is running already');
/** With the cases that have not passed. */
export const testsFailed = (cases: readonly { id: string; name: string }[]) =>
  new AppError(
    409,
    'TESTS_FAILED',
    'the test cases have not all passed with these settings: run them',
    undefined,
    undefined,
    { cases },
  );
/** Cannot be deleted, with what refers to it. */
export const inUse = (message: string, usedBy: readonly unknown[]) =>
  new AppError(409, 'IN_USE', message, undefined, undefined, { usedBy });
/** Of how many an account may have. */
export const limitReached = (message: string) => new AppError(409, 'LIMIT_REACHED', message);
export const noDraft = () => new AppError(409, 'NO_DRAFT', 'the agent has no draft');
export const diskFull = () => new AppError(507, 'DISK_FULL', 'the disk has no space left for files', 60);
