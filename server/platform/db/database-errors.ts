/** Classifies errors of PostgreSQL and its driver. */
import { AppError, isTemporary } from '../http/errors.ts';
import { QueryTimeout } from './query-deadlines.ts';

/** Serialisation failure: the whole transaction is retried. */
export const conflictCode = '40001';

export function isConflict(error: unknown): boolean {
  return codeOf(error) === conflictCode;
}

function codeOf(error: unknown): string {
  return (error as { code?: string } | null)?.code ?? '';
}

/** References whose target may go while a statement runs: the webhook of a delivery, the owner of a conversation. */
const retriedReferences = ['webhook_deliveries_endpoint', 'sessions_owner', 'sessions_team_reference'];

/**
 * Serialisation failure, deadlock, or a target deleted after the statement that refers to it had started: creating a
 * record must not fail because someone removes a webhook.
 */
export function isTransientConflict(error: unknown): boolean {
  return (
    isConflict(error) ||
    codeOf(error) === '40P01' ||
    retriedReferences.some((name) => isForeignKeyViolation(error, name))
  );
}

/** The outcome of the statement is unknown, and the connection cannot be used again. */
export function isConnectionLoss(error: unknown): boolean {
  if (error instanceof AppError) return isTemporary(error);
  if (error instanceof QueryTimeout) return true;
  const code = codeOf(error);
  if (/^(08|57P0|25P03)/.test(code) || /^E(CONN|PIPE|NOENT|ACCES|TIMEDOUT|AGAIN)/.test(code)) return true;
  const message = error instanceof Error ? error.message : '';
  return /Connection terminated|connection error|not queryable|read timeout|Client was closed/.test(message);
}

/** The pool had no free connection in time. */
export function isPoolTimeout(error: unknown): boolean {
  return error instanceof Error && error.message.includes('timeout exceeded when trying to connect');
}

/** A new connection was not made in time. On a busy machine that says nothing about existing ones. */
export function isConnectTimeout(error: unknown): boolean {
  return error instanceof Error && error.message.includes('due to connection timeout');
}

/** 53300: the server has no free connection; 57014 and 55P03: a statement or a lock took too long. */
export function isOverload(error: unknown): boolean {
  return ['53300', '57014', '55P03'].includes(codeOf(error));
}

/** 53xxx: the server is out of memory or disk; 25006: a standby took over. */
export function isServerFault(error: unknown): boolean {
  const code = codeOf(error);
  return /^53/.test(code) || code === '25006';
}

/** The account moves to another cell, or has moved (migration 0062). */
export function isAccountMoving(error: unknown): boolean {
  return codeOf(error) === 'TB001';
}

export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  return violates('23505', error, constraint);
}

/** A value that none of our rules rejected: data exceptions, violated constraints, limits of the server. */
export function isRefusedValue(error: unknown): boolean {
  return /^(22|23|54)/.test(codeOf(error));
}

/** A NUL, or bytes that are not text in the database's encoding. */
export function isUnstorableText(error: unknown): boolean {
  return codeOf(error) === '22021' || codeOf(error) === '22P05';
}

export function isForeignKeyViolation(error: unknown, constraint?: string): boolean {
  return violates('23503', error, constraint);
}

function violates(code: string, error: unknown, constraint: string | undefined): boolean {
  const named = (error as { constraint?: string } | null)?.constraint;
  return codeOf(error) === code && (constraint === undefined || named === constraint);
}
