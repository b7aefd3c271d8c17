/** What the service says about a cell, a row, a file or a run, in the reader's language. */
import { limits } from '../../../contract/limits.ts';
import type { Reason } from '../../../contract/reasons.ts';
import { ApiError, describeError, ExplainedError } from '../data/errors.ts';
import { bytes, number } from '../texts/format.ts';
import { t } from '../texts/texts.ts';

/** Imports that failed before reasons were kept have nothing but the service's own words. */
export function sayReason(reason: Reason | undefined, message: string): string {
  if (!reason) return message;
  const { kind, limit = 0, count = 0, options = [], text = '' } = reason;
  return t(`import.reason.${kind}`, {
    limit: kind === 'rowTooLarge' ? bytes(limit) : number(limit),
    count: number(count),
    options: options.join(', '),
    text,
  });
}

/** Why a file was not taken. What a look at it would have told is refused before it is sent: the rest is not CSV. */
export function sayUploadError(error: unknown): string {
  if (error instanceof ApiError && error.status === 400)
    return t('import.upload.unreadable', { limit: number(limits.importColumns) });
  if (error instanceof ApiError && error.status === 409)
    return t('import.upload.kept', { limit: number(limits.importsKept) });
  return describeError(error).text;
}

/** Two people, or two windows, at the same import. */
export const explained = (error: unknown): unknown =>
  error instanceof ApiError && error.status === 409 ? new ExplainedError(t('import.conflict')) : error;
