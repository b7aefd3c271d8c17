/** What the service says about a cell, a row, a file or a run, in the reader's language. */
import { limits } from '../../../contract/limits.ts';
import type { Reason } from '../../../contract/reasons.ts';
import { ApiError, describeError, ExplainedError } from '../data/errors.ts';
import { bytes, number } from '../texts/format.ts';
import { t } from '../texts/texts.ts';

/** Older failed imports have only the service's English message. */
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

/** Why a file was rejected. Other file types are detected before the upload. */
export function sayUploadError(error: unknown): string {
  if (error instanceof ApiError && error.status === 400)
    return t('import.upload.unreadable', { limit: number(limits.importColumns) });
  if (error instanceof ApiError && error.status === 409)
    return t('import.upload.kept', { limit: number(limits.importsKept) });
  return describeError(error).text;
}

/** Two people or two windows changed the same import. */
export const explained = (error: unknown): unknown =>
  error instanceof ApiError && error.status === 409 ? new ExplainedError(t('import.conflict')) : error;
