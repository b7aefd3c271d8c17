/** Who changed what. Written in the transaction of the change itself. */
import type { AuditEntry, AuditQuery } from '../../../contract/accounts.ts';
import { limits } from '../../../contract/limits.ts';
import { pageSize } from '../../../contract/paging.ts';
import type { Reader, Tx } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import { cutPage, type Page, type PageTokens } from '../../platform/page-token.ts';
import type { Actor } from './accounts.actor.ts';
import { insertAuditEntry, selectAuditEntries } from './accounts.audit.sql.ts';

export interface AuditedChange {
  action: string;
  target: { type: string; id: string };
  /** By field: `{ from, to }`, or whatever describes the change. Never a secret. */
  changes?: Record<string, unknown>;
}

export async function audit(tx: Tx, actor: Actor, now: number, change: AuditedChange): Promise<void> {
  await insertAuditEntry(tx, actor.accountId, {
    id: newId(now),
    at: now,
    actor: { type: actor.kind, id: actor.id, name: actor.name },
    action: change.action,
    target: change.target,
    changes: change.changes ?? {},
  });
}

/** The members of `after` that differ from `before`, as `{ from, to }`. */
export function differences(before: object, after: object): Record<string, { from: unknown; to: unknown }> {
  const old = before as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(after)
      .filter(([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(old[name]))
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
  const { actorId, targetType, from, to } = query;
  const scope = ['audit-log', accountId, actorId, targetType, from, to];
  const before = query.nextToken === undefined ? null : String(tokens.read(query.nextToken, scope)[0]);
  const rows = await selectAuditEntries(db, accountId, query, before, size + 1);
  return cutPage(rows, size, (last) => tokens.issue([last.id], scope));
}
