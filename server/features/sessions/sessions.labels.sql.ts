/** Conversations by their labels. */
import type { Reader } from '../../platform/db/db.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { isId } from '../../platform/ids.ts';

/** The ids of few conversations, or the labels of many. */
export type LabelCondition = { sessionIds: string[] } | { labelIds: string[] };

/** Up to this many are sorted after they were found. More are common enough to meet on the way along the list. */
const few = 5_000;

const labelled = (accountId: string, labelIds: readonly string[]): Sql => sql`
  with labelled as materialized (
    select session_id from sessions
    where account_id = ${accountId} and label_ids && ${labelIds}::uuid[] and label_ids <> '{}')
  select session_id as id from labelled`;

/**
 * How a list finds conversations that have any of the labels. The planner cannot know from a prepared statement whether
 * a label is rare, so this finds out with the index. Null: none has one.
 */
export async function findLabelCondition(
  db: Reader,
  accountId: string,
  text: string,
): Promise<LabelCondition | null> {
  const labelIds = text
    .split(',')
    .map((id) => id.trim())
    .filter(isId);
  if (labelIds.length === 0) return null;
  const rows = await db.query<{ id: string }>(sql`${labelled(accountId, labelIds)} limit ${few}`);
  if (rows.length === few) return { labelIds };
  return rows.length === 0 ? null : { sessionIds: rows.map(({ id }) => id) };
}

export function hasLabel(label: LabelCondition): Sql {
  if ('sessionIds' in label) return sql`and s.session_id = any(${label.sessionIds}::text[])`;
  return sql`and s.label_ids && ${label.labelIds}::uuid[]`;
}

export async function countLabelled(
  db: Reader,
  accountId: string,
  labelId: string,
  max: number,
): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from (${labelled(accountId, [labelId])} limit ${max}) found`);
  return row!.count;
}

export async function selectLabelledIds(
  db: Reader,
  accountId: string,
  labelId: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`${labelled(accountId, [labelId])} limit ${limit}`);
  return rows.map(({ id }) => id);
}
