/** Erasures and their progress. */
import type { BackupNamed, Erasure } from '../../../../contract/erasures.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { sql } from '../../../platform/db/sql.ts';

/** What is looked for. An erasure has it until it is done. */
export interface Person {
  /** With those that were merged into it. */
  contactIds: string[];
  identifiers: { kind: string; value: string; channelId: string | null }[];
  sessionIds: string[];
  /** When a conversation was removed. Its id may be used again: a connector derives it from the customer. */
  gone?: Record<string, number>;
  /** Ids of customers as connectors know them. */
  customers: string[];
  /** The records that were made for the person; none if they stay. */
  recordIds: string[];
  /** Articles that were drafted from the conversations. */
  draftIds?: string[];
  kept?: KeptRecords;
}

/** Records that stay, and what is cleared in them besides phone numbers and e-mail addresses. */
export interface KeptRecords {
  recordIds: string[];
  /** What titles are made from: names of the contact and of conversations. */
  names: string[];
  /** The customer's ids, and e-mail addresses that a visitor typed. */
  values: string[];
}

export interface ErasureRow extends Erasure {
  /** Null: one conversation is deleted, not a person. */
  contactId: string | null;
  keepsRecords: boolean;
  isTracing: boolean;
  person: Person | null;
}

const columns = sql`state, removed, backups, contact_id as "contactId", keeps_records as "keepsRecords",
  is_tracing as "isTracing", person`;

export async function findErasure(db: Reader, accountId: string, id: string): Promise<ErasureRow | null> {
  const [row] = await db.query<ErasureRow>(sql`
    select ${columns} from erasures where account_id = ${accountId} and id = ${id}`);
  return row ?? null;
}

/** One that is not done. */
export interface OpenErasure {
  id: string;
  state: 'running' | 'failed';
  keepsRecords: boolean;
  backups: BackupNamed[];
}

const openColumns = sql`id, state, keeps_records as "keepsRecords", backups`;
/** At most one runs. */
const newest = sql`order by state = 'running' desc, created_at desc limit 1`;

export async function findOpenErasure(
  db: Reader,
  accountId: string,
  contactId: string,
): Promise<OpenErasure | null> {
  const [row] = await db.query<OpenErasure>(sql`
    select ${openColumns} from erasures
    where account_id = ${accountId} and contact_id = ${contactId} and state in ('running', 'failed') ${newest}`);
  return row ?? null;
}

export async function findOpenDeletion(
  db: Reader,
  accountId: string,
  sessionId: string,
): Promise<OpenErasure | null> {
  const [row] = await db.query<OpenErasure>(sql`
    select ${openColumns} from erasures
    where account_id = ${accountId} and person #>> '{sessionIds,0}' = ${sessionId} and contact_id is null
      and state in ('running', 'failed') ${newest}`);
  return row ?? null;
}

/** A failed one runs again, with the person that it has saved; `forgetsGone`: its conversations are there again. */
export async function resumeErasure(
  tx: Tx,
  accountId: string,
  id: string,
  backups: BackupNamed[],
  forgetsGone: boolean,
): Promise<void> {
  await tx.query(sql`
    update erasures set state = 'running', ended_at = null, backups = ${JSON.stringify(backups)},
      person = case when ${forgetsGone} then person - 'gone' else person end
    where account_id = ${accountId} and id = ${id}`);
}

export async function insertErasure(
  tx: Tx,
  accountId: string,
  erasure: {
    id: string;
    contactId: string | null;
    keepsRecords: boolean;
    person: Person | null;
    backups: BackupNamed[];
    now: number;
  },
): Promise<void> {
  await tx.query(sql`
    insert into erasures (account_id, id, contact_id, state, keeps_records, person, backups, created_at)
    values (${accountId}, ${erasure.id}, ${erasure.contactId}, 'running', ${erasure.keepsRecords},
      ${erasure.person && JSON.stringify(erasure.person)}, ${JSON.stringify(erasure.backups)}, ${erasure.now})`);
}

export async function savePerson(tx: Tx, accountId: string, id: string, person: Person): Promise<void> {
  await tx.query(sql`
    update erasures set person = ${JSON.stringify(person)} where account_id = ${accountId} and id = ${id}`);
}

/** In the transaction that removes the conversation. */
export async function noteGone(
  tx: Tx,
  accountId: string,
  id: string,
  sessionId: string,
  at: number,
): Promise<void> {
  await tx.query(sql`
    update erasures set person = person || jsonb_build_object('gone',
      coalesce(person -> 'gone', '{}') || jsonb_build_object(${sessionId}::text, ${at}::bigint))
    where account_id = ${accountId} and id = ${id}`);
}

/** Adds to the counts. */
export async function countRemoved(
  tx: Tx,
  accountId: string,
  id: string,
  removed: Readonly<Record<string, number>>,
): Promise<void> {
  const counted = Object.fromEntries(Object.entries(removed).filter(([, count]) => count > 0));
  if (Object.keys(counted).length === 0) return;
  await tx.query(sql`
    update erasures e set removed = e.removed || (
      select jsonb_object_agg(key, value::int + coalesce((e.removed ->> key)::int, 0))
      from jsonb_each_text(${JSON.stringify(counted)}::jsonb))
    where account_id = ${accountId} and id = ${id}`);
}

export async function beginTracing(tx: Tx, accountId: string, id: string): Promise<void> {
  await tx.query(sql`update erasures set is_tracing = true where account_id = ${accountId} and id = ${id}`);
}

/** A failed one keeps the person for the next request. */
export async function endErasure(
  tx: Tx,
  accountId: string,
  id: string,
  state: 'done' | 'failed',
  now: number,
): Promise<void> {
  await tx.query(sql`
    update erasures set state = ${state}, person = case when ${state === 'failed'} then person end, ended_at = ${now}
    where account_id = ${accountId} and id = ${id}`);
}
