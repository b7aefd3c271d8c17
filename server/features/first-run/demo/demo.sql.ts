/** What the demo created is recognised by its creator: `demo` in the audit log and in the records' created_by. */
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

export interface DemoObjects {
  /** Every id, also of deleted ones. */
  all: string[];
  kanbanIds: string[];
  userIds: string[];
  channelIds: string[];
  agentIds: string[];
  toolIds: string[];
  labelIds: string[];
  ruleIds: string[];
  policyIds: string[];
  sourceIds: string[];
  collectionIds: string[];
}

export async function selectDemoObjects(db: Reader, accountId: string): Promise<DemoObjects> {
  const rows = await db.query<{ type: string; id: string }>(sql`
    select target_type as type, target_id as id from audit_log
    where account_id = ${accountId} and actor_id = 'demo' and action like '%.created'`);
  const idsOf = (type: string) => rows.filter((row) => row.type === type).map((row) => row.id);
  return {
    all: rows.map((row) => row.id),
    kanbanIds: idsOf('kanban'),
    userIds: idsOf('user'),
    channelIds: idsOf('channel'),
    agentIds: idsOf('agent'),
    toolIds: idsOf('tool'),
    labelIds: idsOf('label'),
    ruleIds: idsOf('automation'),
    policyIds: idsOf('sla_policy'),
    sourceIds: idsOf('knowledge_source'),
    collectionIds: idsOf('knowledge_collection'),
  };
}

export async function insertDemo(
  tx: Tx,
  accountId: string,
  filledAt: number,
  channelIds: string[],
): Promise<void> {
  await tx.query(sql`
    insert into demos (account_id, filled_at, channel_ids) values (${accountId}, ${filledAt}, ${channelIds}::uuid[])`);
}

/** Since when the demo exists, and how much people have added to it or changed of its articles; null: there is none. */
export async function findDemo(
  db: Reader,
  accountId: string,
): Promise<{ filledAt: number; channelIds: string[]; used: number } | null> {
  const [row] = await db.query<{ filledAt: number; channelIds: string[]; used: number }>(sql`
    select d.filled_at as "filledAt", d.channel_ids::text[] as "channelIds",
      (select count(*) from sessions s join messages m on m.account_id = s.account_id and m.session_id = s.session_id
        where s.account_id = d.account_id and s.channel_id = any(d.channel_ids) and m.created_at > d.filled_at)::int
      + (select count(*) from records r
        where r.account_id = d.account_id and r.created_by <> 'demo' and r.kanban_id = any(
          select k.id from kanbans k join audit_log a on a.account_id = k.account_id and a.target_id = k.id::text
          where k.account_id = d.account_id and a.actor_id = 'demo' and a.action = 'kanban.created'))::int
      + (select count(*) from audit_log a
        join knowledge_sources s on s.account_id = a.account_id and s.id::text = a.target_id
        join knowledge_documents o on o.account_id = s.account_id and o.source_id = s.id and o.updated_by <> 'demo'
        where a.account_id = d.account_id and a.actor_id = 'demo' and a.action = 'knowledge_source.created'
          and exists (select from knowledge_versions v
            where v.account_id = o.account_id and v.document_id = o.id and v.created_by = 'demo'))::int as used
    from demos d where d.account_id = ${accountId}`);
  return row ?? null;
}
