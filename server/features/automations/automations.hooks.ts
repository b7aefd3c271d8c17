/** Hooks: an external service starts a rule by a POST with any JSON. */
import type { HookSubject } from '../../../contract/automation/triggers.ts';
import { limits } from '../../../contract/limits.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { notFound, rateLimited } from '../../platform/http/errors.ts';
import type { RateLimits } from '../../platform/limits/rate-limit.ts';
import { type CauseDetail, insertCause } from './automations.causes.sql.ts';
import { findHook, findHookRecord, type Hook, hasSession } from './automations.hooks.sql.ts';
import { hashOfToken } from './automations.ts';
import { wakeAutomations } from './automations.wake.ts';

/** An unknown token is like that of a rule that is not enabled. */
export async function requireHook(db: Reader, token: string): Promise<Hook> {
  const hook = /^[\w-]{43}$/.test(token) ? await findHook(db, hashOfToken(token)) : null;
  if (!hook) throw notFound('hook');
  return hook;
}

export async function admitHook(rateLimits: RateLimits, { accountId, ruleId }: Hook): Promise<void> {
  const windows = [{ limit: limits.automation.hooksPerMinute, seconds: 60 }];
  const { admitted, retryAfterSeconds } = await rateLimits.admit(accountId, `hook:${ruleId}`, windows);
  if (!admitted) throw rateLimited(429, retryAfterSeconds);
}

/** Returns the id of the cause. */
export async function receiveHook(
  tx: Tx,
  { accountId, ruleId, subject }: Hook,
  payload: unknown,
): Promise<string> {
  const place = subject === null ? null : await findSubject(tx, accountId, subject, payload);
  const detail: CauseDetail | null = subject !== null && place === null ? { isSubjectMissing: true } : null;
  const { sessionId = null, recordId = null } = place ?? {};
  const key = sessionId !== null ? `s:${sessionId}` : recordId !== null ? `r:${recordId}` : `h:${ruleId}`;
  const id = await insertCause(tx, {
    accountId,
    type: 'hook',
    subject: key,
    sessionId,
    recordId,
    triggers: ['due'],
    ruleId,
    detail,
    payload,
  });
  wakeAutomations(tx);
  return id;
}

async function findSubject(
  db: Reader,
  accountId: string,
  { sessionId, kanbanId, fieldId, value }: HookSubject,
  payload: unknown,
): Promise<{ sessionId?: string; recordId?: string } | null> {
  const named = textAt(payload, sessionId ?? value!);
  if (named === null) return null;
  if (sessionId !== undefined) return (await hasSession(db, accountId, named)) ? { sessionId: named } : null;
  const recordId = await findHookRecord(db, accountId, kanbanId!, fieldId!, named);
  return recordId === null ? null : { recordId };
}

/** What the pointer of RFC 6901 leads to, as a text that can be stored; null: nothing, or no single value. */
function textAt(payload: unknown, pointer: string): string | null {
  let found: unknown = payload;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return null;
    found = (found as Record<string, unknown>)[name];
  }
  if (typeof found !== 'string' && typeof found !== 'number') return null;
  const text = String(found);
  return text === '' || text.length > 1_000 || text.includes('\0') || !text.isWellFormed() ? null : text;
}
