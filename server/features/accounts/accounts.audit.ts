/** The audit log: who did what, and from where. Written in the transaction of the change. */
import { isDeepStrictEqual } from 'node:util';
import type { AuditEntry, AuditQuery } from '../../../contract/accounts.ts';
import { limits } from '../../../contract/limits.ts';
import { pageSize } from '../../../contract/shapes/paging.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { cutPage, type Page, type PageTokens } from '../../platform/http/page-token.ts';
import { newId } from '../../platform/ids.ts';
import type { Actor } from './accounts.actor.ts';
import { insertAuditEntries, selectAuditEntries } from './accounts.audit.sql.ts';

export interface AuditedChange {
  action: string;
  target: { type: string; id: string };
  /** By field: `{ from, to }`, or another description of the change. Never a secret. */
  changes?: Record<string, unknown>;
}

/** The name in the log; a login has no actor yet. */
export type AuditActor = Pick<Actor, 'kind' | 'accountId' | 'id' | 'name' | 'address'>;

export async function audit(tx: Tx, actor: AuditActor, now: number, change: AuditedChange): Promise<void> {
  await auditAll(tx, actor, now, [change]);
}

/** In the log of the user's own account. An unknown e-mail address leaves no entry. */
export async function auditLogin(
  tx: Tx,
  action: 'login' | 'login_failed',
  user: { accountId: string; id: string; name: string },
  address: string,
  now: number,
): Promise<void> {
  const { accountId, id, name } = user;
  const actor = { kind: 'user', accountId, id, name, address } as const;
  await audit(tx, actor, now, { action, target: { type: 'user', id } });
}

/** Many changes of one actor, in one statement. */
export async function auditAll(
  tx: Tx,
  actor: AuditActor,
  now: number,
  changes: readonly AuditedChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const shared = {
    at: now,
    actor: { type: actor.kind, id: actor.id, name: actor.name },
    address: actor.address ?? null,
  };
  const entries = changes.map((change) => ({
    ...shared,
    id: newId(now),
    action: change.action,
    target: change.target,
    changes: change.changes ?? {},
  }));
  await insertAuditEntries(tx, actor.accountId, entries);
}

/** The members of `after` that differ from `before`, as `{ from, to }`. */
export function differences(before: object, after: object): Record<string, { from: unknown; to: unknown }> {
  const old = before as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(after)
      .filter(([name, value]) => value !== undefined && !isDeepStrictEqual(value, old[name]))
      .map(([name, value]) => [name, { from: old[name] ?? null, to: value }]),
  );
}

export async function listAuditEntries(
  db: Reader,
  accountId: string,
  tokens: PageTokens,
  query: AuditQuery,
): Promise<Page<AuditEntry>> {
  const size = pageSize(query.limit, limits.listPage);
  const { actorId, action, targetType, from, to } = query;
  const scope = ['audit-log', accountId, actorId, action, targetType, from, to];
  const before = query.nextToken === undefined ? null : String(tokens.read(query.nextToken, scope)[0]);
  const rows = await selectAuditEntries(db, accountId, query, before, size + 1);
  return cutPage(rows, size, (last) => tokens.issue([last.id], scope));
}
