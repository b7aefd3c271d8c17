/**
 * Writes a record's JSON straight from its row: the fields are stored as JSON, and parsing them only to serialise
 * them again was a third of the work of a list. It contains exactly what the contract's `CrmRecord` has.
 */
import type { RecordRow } from './records.sql.ts';

export interface RecordJsonRow
  extends Omit<RecordRow, 'custom_fields' | 'assigned_user_ids' | 'label_ids' | 'unverified_fields'> {
  fields_json: string;
  /** As PostgreSQL writes a list of ids: `{…,…}`. Null: it has none. */
  assigned: string | null;
  labels: string | null;
  unverified: string | null;
}

/** `more` are further members, each with a leading comma. Ids and numbers need no quoting. */
export function recordJson(row: RecordJsonRow, more = ''): string {
  return `{"recordId":"${row.id}","accountId":"${row.account_id}","kanbanId":"${row.kanban_id}","title":${JSON.stringify(row.title)},"status":${JSON.stringify(row.status)},"customFields":${row.fields_json},"assignedUserIds":${listJson(row.assigned)},"labelIds":${listJson(row.labels)},"channelId":${JSON.stringify(row.channel_id)},"createdBy":${JSON.stringify(row.created_by)},"updatedBy":${JSON.stringify(row.updated_by)},"createdAt":${row.created_at},"updatedAt":${row.updated_at},"clientId":${JSON.stringify(row.client_id)}${unverifiedJson(row)}${more}}`;
}

const unverifiedJson = ({ unverified }: RecordJsonRow) =>
  unverified === null ? '' : `,"unverifiedFieldIds":${listJson(unverified)}`;

function listJson(ids: string | null): string {
  return ids === null ? '[]' : `["${ids.slice(1, -1).replaceAll(',', '","')}"]`;
}
