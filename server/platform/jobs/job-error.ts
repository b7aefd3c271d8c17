/**
 * What is stored of the error of a job. Administrators of the instance read it, who may not read what customers write:
 * class, code and our own words only. The log of the worker has the whole error.
 */
import { BackupError } from '../backups/backup-error.ts';
import { QueryTimeout } from '../db/query-deadlines.ts';
import { AppError } from '../http/errors.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import { StartError } from '../start/start-error.ts';

/** Those whose messages are ours. Other messages may quote a parameter, a row or a response. */
const ownErrors = [AppError, BackupError, OutboundError, QueryTimeout, StartError];
const maxLength = 500;

export function describeJobError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error: see the log of the worker';
  const named = [error.constructor.name, codeOf(error)].filter(Boolean).join(' ');
  const isOwn = ownErrors.some((kind) => error instanceof kind);
  const told = isOwn ? withoutQuoted(error.message) : [placeOf(error), 'see the log of the worker'];
  return `${named}: ${[told].flat().filter(Boolean).join(', ')}`.slice(0, maxLength);
}

/** Also for rows that an earlier release has stored. */
export function withoutQuoted(text: string): string {
  // An apostrophe inside a word does not begin a quotation.
  return text.replaceAll(/"[^"]*"?|`[^`]*`?|“[^”]*”?|«[^»]*»?|(?<!\w)'[^']*'?|(?<=\)=)\([^)]*\)?/g, '…');
}

function codeOf(error: Error): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^[A-Z0-9_]{2,40}$/.test(code) ? code : '';
}

/** Where PostgreSQL refused it: names of the schema, never values. */
function placeOf(error: Error): string {
  const { table, constraint } = error as { table?: unknown; constraint?: unknown };
  const parts = Object.entries({ table, constraint }).filter(
    ([, name]) => typeof name === 'string' && /^\w{1,63}$/.test(name),
  );
  return parts.map(([kind, name]) => `${kind} ${name}`).join(', ');
}
