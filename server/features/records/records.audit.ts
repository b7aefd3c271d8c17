/** Audit entries about records: deletions, exports and imports. Changes are in each record's own history. */

import type { CrmRecord } from '../../../contract/crm/records.ts';
import type { ExportQuery } from '../../../contract/shapes/csv.ts';
import type { Tx } from '../../platform/db/db.ts';
import { type Actor, audit } from '../accounts/accounts.ts';

export function auditDeletion(tx: Tx, actor: Actor, now: number, record: CrmRecord): Promise<void> {
  return audit(tx, actor, now, {
    action: 'record.deleted',
    target: { type: 'record', id: record.recordId },
    changes: { title: { from: record.title, to: null }, kanbanId: { from: record.kanbanId, to: null } },
  });
}

/** Written before the first line is sent: a client that stops reading has had some of the records. */
export function auditExport(
  tx: Tx,
  actor: Actor,
  now: number,
  kanbanId: string,
  { kanbanId: _target, ...filters }: ExportQuery,
): Promise<void> {
  return audit(tx, actor, now, {
    action: 'records.exported',
    target: { type: 'kanban', id: kanbanId },
    changes: filters,
  });
}

export function auditImport(tx: Tx, actor: Actor, now: number, kanbanId: string): Promise<void> {
  return audit(tx, actor, now, { action: 'import.started', target: { type: 'kanban', id: kanbanId } });
}
