-- Contacts: the people behind conversations. An identifier belongs to one contact; its key is `kind:value`, or
-- `kind:channel:value` for kinds that mean something on their channel only.
create table contacts (
  account_id uuid not null references accounts (id),
  id uuid not null,
  name text,
  -- A name set by a person stays; one that the provider tells replaces one of a conversation.
  name_source text not null check (name_source in ('none', 'session', 'provider', 'user')),
  -- It was merged into this contact and is not shown.
  merged_into uuid,
  -- In the form of peopleText (contract/shapes/people-search.ts).
  name_text text not null,
  identifier_text text not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id)
);
create index contacts_newest on contacts (account_id, created_at desc, id desc) where merged_into is null;

create table contact_identifiers (
  account_id uuid not null,
  key text not null,
  contact_id uuid not null,
  kind text not null,
  value text not null,
  channel_id uuid,
  -- The identifier that it was told together with: after an undone merge it goes where that one goes.
  via_key text,
  added_at bigint not null,
  primary key (account_id, key),
  foreign key (account_id, contact_id) references contacts (account_id, id)
);
create index contact_identifiers_contact on contact_identifiers (account_id, contact_id);
create index contact_identifiers_value on contact_identifiers (account_id, value);

-- What an undo needs. `before` has both contacts as they were.
create table contact_merges (
  account_id uuid not null,
  id uuid not null,
  contact_id uuid not null,
  merged_id uuid not null,
  at bigint not null,
  undone_at bigint,
  before jsonb not null,
  identifier_keys text[] not null,
  session_ids text[] not null,
  kept_session_ids text[] not null,
  primary key (account_id, id),
  foreign key (account_id, contact_id) references contacts (account_id, id),
  foreign key (account_id, merged_id) references contacts (account_id, id)
);
create index contact_merges_contact on contact_merges (account_id, contact_id);
create index contact_merges_merged on contact_merges (account_id, merged_id);

-- Two identifiers of different contacts that were told together. Whether they still belong to two contacts is looked up,
-- so that a merge and its undo need not change anything here.
create table contact_merge_offers (
  account_id uuid not null references accounts (id),
  key_a text not null,
  key_b text not null,
  channel_id uuid not null,
  message_id uuid not null,
  identifiers jsonb not null,
  created_at bigint not null,
  dismissed_at bigint,
  primary key (account_id, key_a, key_b)
);
create index contact_merge_offers_b on contact_merge_offers (account_id, key_b);

-- Contacts that are blocked with all their identifiers, and the entry of the block list that says so.
create table contact_blocks (
  account_id uuid not null,
  contact_id uuid not null,
  contact_key text not null,
  primary key (account_id, contact_id),
  foreign key (account_id, contact_key) references blocked_contacts (account_id, contact_key) on delete cascade
);
create index contact_blocks_entry on contact_blocks (account_id, contact_key);

-- How far contacts were created for conversations that are older than this table. No row: not begun.
create table contact_backfill (
  only_row boolean primary key default true check (only_row),
  account_id uuid,
  session_id text,
  done boolean not null
);

-- Entries for visitors of the web chat and for chat ids have keys of their own: their digits are no phone number.
insert into blocked_contacts (account_id, contact_key, identifier_value, identifier_type, reason, created_at, created_by,
  dropped_count, last_dropped_at)
select distinct b.account_id, c.type || ':' || b.contact_key, b.identifier_value, c.type, b.reason, b.created_at,
  b.created_by, b.dropped_count, b.last_dropped_at
from blocked_contacts b
join sessions s on s.account_id = b.account_id and s.contact_key = b.contact_key
join channels c on c.account_id = s.account_id and c.id = s.channel_id and c.type in ('web', 'chatbot')
on conflict do nothing;
delete from blocked_contacts b
where exists (select from blocked_contacts t where t.account_id = b.account_id
    and t.contact_key in ('web:' || b.contact_key, 'chatbot:' || b.contact_key))
  and not exists (select from sessions s join channels c on c.account_id = s.account_id and c.id = s.channel_id
    where s.account_id = b.account_id and s.contact_key = b.contact_key and c.type not in ('web', 'chatbot'))
  and b.identifier_type = 'other';

-- Parts of names and identifiers are found by three characters in a row, hashed with the account.
create function contact_grams(p_account uuid, p_text text) returns bigint[]
language sql immutable parallel safe as $$
  select coalesce(array_agg(distinct hashtextextended(substr(p_text, n, 3), hashtextextended(p_account::text, 0))), '{}')
  from generate_series(1, length(p_text) - 2) n
$$;
create index contacts_grams on contacts
  using gin (contact_grams(account_id, name_text || E'\n' || identifier_text)) with (fastupdate = off)
  where merged_into is null;

alter table sessions add column contact_id uuid;

-- The backfill only adds the contact: windows need not read a million conversations again.
drop trigger live_sessions on sessions;
create trigger live_sessions after update on sessions for each row when (
  (old.message_count = new.message_count
    and not (old.contact_id is null and new.contact_id is not null and old.updated_at = new.updated_at))
  or old.kanban_id <> new.kanban_id or old.agent_id <> new.agent_id or old.ai_paused <> new.ai_paused
  or old.needs_attention <> new.needs_attention or old.status <> new.status
  or old.assigned_user_id is distinct from new.assigned_user_id) execute function live_note_session();

-- As in migration 0042, with the contact. p_request_key is the customer of the request, p_values are all identifiers of
-- the request, p_asked the same as keys of the block list and p_identifiers as keys of contact_identifiers. p_told: a
-- provider told them together. p_creates: those that no contact has will be added to one.
drop function open_session(uuid, text, text, text);
create function open_session(
  p_account uuid, p_session text, p_request_key text, p_session_key text, p_values text[], p_asked text[],
  p_identifiers text[], p_told boolean, p_creates boolean,
  out session_name text, out channel_id uuid, out external_user_id text, out contact_key text, out agent_id uuid,
  out kanban_id uuid, out record_id uuid, out ai_paused boolean, out needs_attention boolean, out unread int,
  out last_message_at bigint, out created_at bigint, out updated_at bigint, out message_count bigint,
  out event_sequence int, out status text, out snoozed_until bigint, out status_changed_at bigint,
  out status_changed_by jsonb, out assigned_user_id uuid, out team_id uuid,
  out label_ids uuid[], out contact_id uuid, out found_keys text[], out found_contacts uuid[], out blocked_key text
) language plpgsql as $$
declare
  v_prefix text := '';
  v_keys text[];
  v_asked text[] := p_asked;
  v_contacts uuid[] := '{}';
  v_new uuid[];
  v_contact uuid;
  v_lock text;
  v_missing_locked boolean := not p_creates;
begin
  perform pg_advisory_xact_lock(hashtextextended(p_account::text || '/session/' || p_session, 0));
  select s.session_name, s.channel_id, s.external_user_id, s.contact_key, s.agent_id, s.kanban_id, s.record_id,
      s.ai_paused, s.needs_attention, s.unread, s.last_message_at, s.created_at, s.updated_at, s.message_count,
      s.event_sequence, s.status, s.snoozed_until, s.status_changed_at, s.status_changed_by, s.assigned_user_id,
      s.team_id, s.label_ids, s.contact_id, case when c.type in ('web', 'chatbot') then c.type || ':' else '' end
    into session_name, channel_id, external_user_id, contact_key, agent_id, kanban_id, record_id, ai_paused,
      needs_attention, unread, last_message_at, created_at, updated_at, message_count, event_sequence, status,
      snoozed_until, status_changed_at, status_changed_by, assigned_user_id, team_id, label_ids, contact_id, v_prefix
    from sessions s join channels c on c.account_id = s.account_id and c.id = s.channel_id
    where s.account_id = p_account and s.session_id = p_session;
  -- Asked about: the request's customer and the conversation's; its own id where there is neither.
  if external_user_id is not null then
    v_asked := v_asked || (v_prefix || contact_key);
  elsif cardinality(v_asked) = 0 then
    v_asked := v_asked || (coalesce(v_prefix, '') || p_session_key);
  end if;
  v_keys := array_remove(p_values || contact_key
    || case when external_user_id is null and cardinality(p_values) = 0 then p_session_key end, null);
  if v_keys[1] = all(v_keys) then
    v_keys := v_keys[1:1];
  else
    -- In one order, so that two conversations never wait for each other.
    select array_agg(distinct k order by k) into v_keys from unnest(v_keys) k;
  end if;
  for i in 1 .. coalesce(cardinality(v_keys), 0) loop
    perform pg_advisory_xact_lock_shared(hashtextextended(p_account::text || '/contact/' || v_keys[i], 0));
  end loop;
  if cardinality(p_identifiers) > 0
      and (contact_id is null or p_told or p_request_key is distinct from contact_key) then
    loop
      select array_agg(i.key), array_agg(i.contact_id) into found_keys, found_contacts
        from contact_identifiers i where i.account_id = p_account and i.key = any(p_identifiers);
      if not v_missing_locked then
        -- Of several first messages at once, one creates the contact and the others find it.
        for v_lock in select k from unnest(p_identifiers) k where k <> all(coalesce(found_keys, '{}')) order by k loop
          perform pg_advisory_xact_lock(hashtextextended(p_account::text || '/identifier/' || v_lock, 0));
          v_missing_locked := true;
        end loop;
        continue when v_missing_locked;
        v_missing_locked := true;
      end if;
      -- A merge may have moved them while this waited for its lock: they are looked up again.
      select array_agg(distinct f order by f) into v_new from unnest(found_contacts) f where f <> all(v_contacts);
      exit when v_new is null;
      for i in 1 .. cardinality(v_new) loop
        perform pg_advisory_xact_lock_shared(hashtextextended(p_account::text || '/contact/' || v_new[i]::text, 0));
      end loop;
      v_contacts := v_contacts || v_new;
    end loop;
  elsif contact_id is null and external_user_id is not null then
    -- A conversation that has no contact yet may still be that of a blocked one.
    select coalesce(array_agg(i.contact_id), '{}') into v_contacts from contact_identifiers i
      where i.account_id = p_account and i.value = contact_key and v_prefix = case when i.kind in ('web', 'chatbot')
        then i.kind || ':' else '' end;
  end if;
  loop
    if contact_id is not null then
      perform pg_advisory_xact_lock_shared(hashtextextended(p_account::text || '/contact/' || contact_id::text, 0));
    end if;
    v_new := v_contacts || contact_id;
    select (select s.contact_id from sessions s where s.account_id = p_account and s.session_id = p_session),
        coalesce((select b.contact_key from blocked_contacts b
            where b.account_id = p_account and b.contact_key = any(v_asked) limit 1),
          (select b.contact_key from contact_blocks b
            where b.account_id = p_account and b.contact_id = any(v_new) limit 1))
      into v_contact, blocked_key;
    exit when v_contact is not distinct from contact_id;
    contact_id := v_contact;
  end loop;
end $$;
