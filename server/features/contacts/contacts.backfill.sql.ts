import { peopleText } from '../../../contract/shapes/people-search.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import { type Identifier, identifierKey } from '../blocked-contacts/blocked-contacts.ts';

export interface BackfillState {
  after: { accountId: string; sessionId: string } | null;
  done: boolean;
}

/** Without waiting: null while another process is at it. */
export async function lockBackfill(tx: Tx): Promise<BackfillState | null> {
  await tx.query(sql`insert into contact_backfill (done) values (false) on conflict do nothing`);
  const [row] = await tx.query<{ accountId: string | null; sessionId: string | null; done: boolean }>(sql`
    select account_id as "accountId", session_id as "sessionId", done from contact_backfill
    for update skip locked`);
  if (!row) return null;
  const { accountId, sessionId, done } = row;
  return { after: accountId === null || sessionId === null ? null : { accountId, sessionId }, done };
}

export async function saveBackfill(tx: Tx, { after, done }: BackfillState): Promise<void> {
  await tx.query(sql`
    update contact_backfill set account_id = ${after?.accountId ?? null}, session_id = ${after?.sessionId ?? null},
      done = ${done}`);
}

/** Keys of the block list, and contacts, that are blocked. */
export async function selectBlocked(
  db: Reader,
  accountId: string,
  keys: readonly string[],
): Promise<Set<string>> {
  const rows = await db.query<{ key: string }>(sql`
    select contact_key as key from blocked_contacts
    where account_id = ${accountId} and contact_key = any(${keys}::text[])`);
  return new Set(rows.map(({ key }) => key));
}

export interface NewContact {
  id: string;
  name: string | null;
  identifier: Identifier;
  at: number;
}

export async function insertContacts(
  tx: Tx,
  accountId: string,
  contacts: readonly NewContact[],
): Promise<void> {
  if (contacts.length === 0) return;
  const rows = contacts.map(({ id, name, identifier, at }) => ({
    id,
    name,
    source: name === null ? 'none' : 'session',
    name_text: peopleText([name]),
    key: identifierKey(identifier),
    identifier_text: peopleText([identifier.value]),
    at,
  }));
  await tx.query(sql`
    insert into contacts (account_id, id, name, name_source, name_text, identifier_text, created_at, updated_at)
    select ${accountId}::uuid, r.id, r.name, r.source, r.name_text, r.identifier_text, r.at, r.at
    from json_to_recordset(${JSON.stringify(rows)}::json) as r (id uuid, name text, source text, name_text text,
      identifier_text text, at bigint)`);
}
