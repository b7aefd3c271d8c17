/** Opening conversations: their locks, their state, the contacts of the customer and the block list. */
import type { Tx } from '../../platform/db/db.ts';
import { sql } from '../../platform/db/sql.ts';
import { type SessionState, stateColumns } from './sessions.sql.ts';

/** Who a request says that the customer is. */
export interface CustomerKeys {
  /** Of the customer in the request, normalised. */
  request: string | null;
  /** Of the conversation's own id, if it has no customer. */
  session: string;
  /** All identifiers in the request. */
  values: string[];
  /** The same as keys of the block list. */
  asked: string[];
  /** The same as keys of contacts' identifiers. */
  identifiers: string[];
  /** A provider sent them together. */
  isTold: boolean;
  /** Those that no contact has will be added to one. */
  creates: boolean;
}

export interface OpenedRow {
  /** Null: there is no conversation of this id yet. */
  state: SessionState | null;
  blockedKey: string | null;
  /** The contacts of the request's identifiers, as far as they were looked up. */
  contacts: ReadonlyMap<string, string>;
  /** Of the conversation, as a provider may change it; null: not looked up, or a person has chosen it. */
  contactName?: { text: string | null } | null;
}

type StateRow = Omit<SessionState, 'sessionId'> & {
  blockedKey: string | null;
  foundKeys?: string[] | null;
  foundContacts?: string[] | null;
};

/** What a provider sent about the customers of a batch, by the place of their messages. */
interface ToldRow {
  place: number;
  blockedKey: string | null;
  foundKeys: string[] | null;
  foundContacts: string[] | null;
  contactName: { text: string | null } | null;
}

/** A copy of the whole row takes a twentieth of the time of one without a property, and this runs with every message. */
function toOpened(sessionId: string, row: StateRow): OpenedRow {
  const { channelId, blockedKey, foundKeys, foundContacts } = row;
  return {
    state: channelId === null ? null : { ...row, sessionId },
    blockedKey,
    contacts: new Map((foundKeys ?? []).map((key, index) => [key, foundContacts![index]!])),
  };
}

/** Locks the conversation, its customer's identifiers and their contacts (migration 0045). */
export async function openSessionRow(
  tx: Tx,
  accountId: string,
  sessionId: string,
  keys: CustomerKeys,
): Promise<OpenedRow> {
  const { request, session, values, asked, identifiers, isTold, creates } = keys;
  const [row] = await tx.query<StateRow>(sql`
    select ${stateColumns}, s.found_keys as "foundKeys", s.found_contacts::text[] as "foundContacts",
      s.blocked_key as "blockedKey"
    from open_session(${accountId}, ${sessionId}, ${request}, ${session}, ${values}, ${asked}, ${identifiers},
      ${isTold}, ${creates}) s`);
  return toOpened(sessionId, row!);
}

/**
 * The same for several, without waiting: null for one that is locked. Its statements are sent together. They
 * are several for the reason that open_session has several: each must see what was committed before the lock of the one before it was
 * had. The identifiers are those that open_session locks and asks about. Contacts are looked up only for customers that a
 * provider sent: another request that names another customer than the conversation's is sent alone.
 */
export async function openFreeSessionRows(
  tx: Tx,
  accountId: string,
  wanted: readonly { sessionId: string; keys: CustomerKeys }[],
): Promise<(OpenedRow | null)[]> {
  const asked = sql`unnest(${wanted.map(({ sessionId }) => sessionId)}::text[],
      ${wanted.map(({ keys }) => keys.request)}::text[], ${wanted.map(({ keys }) => keys.session)}::text[],
      ${wanted.map(({ keys }) => keys.asked[0] ?? null)}::text[])
    with ordinality as a (session_id, request_key, session_key, request_block, place)`;
  const found = sql`${asked} left join sessions s on s.account_id = ${accountId} and s.session_id = a.session_id`;
  const own = sql`case when s.external_user_id is null and a.request_key is null then a.session_key end`;
  const prefix = sql`case when c.type in ('web', 'chatbot') then c.type || ':' else '' end`;
  const told = wanted.flatMap(({ sessionId, keys }, index) =>
    keys.isTold ? [{ place: index + 1, sessionId, keys }] : [],
  );
  const [heldSessions, heldContacts, heldTold, rows, toldRows] = await Promise.all([
    tx.query<{ place: number }>(sql`
      select place from ${asked}
      where not pg_try_advisory_xact_lock(
        hashtextextended(${accountId}::text || '/session/' || a.session_id, 0))`),
    tx.query<{ place: number }>(sql`
      select place from ${found}
        cross join lateral (values (a.request_key), (s.contact_key), (${own}), (s.contact_id::text)) k (key)
      where not pg_try_advisory_xact_lock_shared(hashtextextended(${accountId}::text || '/contact/' || k.key, 0))`),
    told.length === 0 ? [] : lockTold(tx, accountId, told),
    tx.query<StateRow>(sql`
      select ${stateColumns}, coalesce((select b.contact_key from blocked_contacts b
          where b.account_id = ${accountId} and b.contact_key in (a.request_block,
            case when s.external_user_id is not null then ${prefix} || s.contact_key end, ${prefix} || ${own})
          limit 1),
        (select b.contact_key from contact_blocks b
          where b.account_id = ${accountId} and b.contact_id = s.contact_id)) as "blockedKey"
      from ${found} left join channels c on c.account_id = s.account_id and c.id = s.channel_id order by place`),
    told.length === 0 ? [] : selectTold(tx, accountId, told),
  ]);
  const held = new Set([...heldSessions, ...heldContacts, ...heldTold].map(({ place }) => place - 1));
  const toldOf = new Map(toldRows.map((row) => [row.place - 1, row]));
  return wanted.map(({ sessionId }, place) => {
    if (held.has(place)) return null;
    const known = toldOf.get(place);
    if (!known) return toOpened(sessionId, rows[place]!);
    const { blockedKey, foundKeys, foundContacts, contactName } = known;
    const row = { ...rows[place]!, foundKeys, foundContacts };
    row.blockedKey ??= blockedKey;
    return { ...toOpened(sessionId, row), contactName };
  });
}

type Told = readonly { place: number; sessionId: string; keys: CustomerKeys }[];

const pairs = (told: Told, valuesOf: (keys: CustomerKeys) => readonly string[]) => {
  const all = told.flatMap(({ place, keys }) => valuesOf(keys).map((value) => ({ place, value })));
  return sql`unnest(${all.map(({ place }) => place)}::int[], ${all.map(({ value }) => value)}::text[])`;
};

async function lockTold(tx: Tx, accountId: string, told: Told): Promise<{ place: number }[]> {
  return tx.query<{ place: number }>(sql`
    select place from ${pairs(told, ({ values }) => values)} as v (place, key)
    where not pg_try_advisory_xact_lock_shared(hashtextextended(${accountId}::text || '/contact/' || v.key, 0))`);
}

/** Under the locks: the contacts of the identifiers, and the name of the conversation's contact. */
async function selectTold(tx: Tx, accountId: string, told: Told): Promise<ToldRow[]> {
  return tx.query<ToldRow>(sql`
    select t.place, found.keys as "foundKeys", found.contacts as "foundContacts",
      (select case when c.name_source <> 'user' then jsonb_build_object('text', c.name) end
        from sessions s join contacts c on c.account_id = s.account_id and c.id = s.contact_id
        where s.account_id = ${accountId} and s.session_id = t.session_id) as "contactName",
      (select b.contact_key from ${pairs(told, ({ asked }) => asked)} as a (place, key)
        join blocked_contacts b on b.account_id = ${accountId} and b.contact_key = a.key
        where a.place = t.place limit 1) as "blockedKey"
    from unnest(${told.map(({ place }) => place)}::int[], ${told.map(({ sessionId }) => sessionId)}::text[])
        as t (place, session_id)
      left join lateral (
        select array_agg(i.key) as keys, array_agg(i.contact_id::text) as contacts
        from ${pairs(told, ({ identifiers }) => identifiers)} as k (place, key)
          join contact_identifiers i on i.account_id = ${accountId} and i.key = k.key
        where k.place = t.place) found on true`);
}
