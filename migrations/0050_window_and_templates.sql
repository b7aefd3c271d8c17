-- Channels whose provider takes free text only for a while after the customer's last message. Null: always. People may be
-- allowed to write for longer than AI agents.
alter table channels
  add column window_ms bigint,
  add column person_window_ms bigint;

-- When that time ends; written with the customer's message. The second column says that the conversation has scheduled
-- messages that a message of the customer cancels, so that nothing is looked up for all others.
alter table sessions
  add column window_closes_at bigint,
  add column cancels_on_reply boolean not null default false;

-- The templates of a channel, as its provider listed them last.
create table connector_templates (
  account_id uuid not null,
  channel_id uuid not null,
  name text not null,
  language text not null,
  category text not null,
  status text not null,
  text text not null,
  parameter_count int not null,
  primary key (account_id, channel_id, name, language),
  foreign key (account_id, channel_id) references connectors (account_id, channel_id) on delete cascade
);
alter table connectors add column templates_at bigint;

-- As in migration 0045, with the two columns.
drop function open_session(uuid, text, text, text, text[], text[], text[], boolean, boolean);
create function open_session(
  p_account uuid, p_session text, p_request_key text, p_session_key text, p_values text[], p_asked text[],
  p_identifiers text[], p_told boolean, p_creates boolean,
  out session_name text, out channel_id uuid, out external_user_id text, out contact_key text, out agent_id uuid,
  out kanban_id uuid, out record_id uuid, out ai_paused boolean, out needs_attention boolean, out unread int,
  out last_message_at bigint, out created_at bigint, out updated_at bigint, out message_count bigint,
  out event_sequence int, out status text, out snoozed_until bigint, out status_changed_at bigint,
  out status_changed_by jsonb, out assigned_user_id uuid, out team_id uuid,
  out label_ids uuid[], out contact_id uuid, out window_closes_at bigint, out cancels_on_reply boolean,
  out found_keys text[], out found_contacts uuid[], out blocked_key text
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
      s.team_id, s.label_ids, s.contact_id, s.window_closes_at, s.cancels_on_reply, case when c.type in ('web', 'chatbot') then c.type || ':' else '' end
    into session_name, channel_id, external_user_id, contact_key, agent_id, kanban_id, record_id, ai_paused,
      needs_attention, unread, last_message_at, created_at, updated_at, message_count, event_sequence, status,
      snoozed_until, status_changed_at, status_changed_by, assigned_user_id, team_id, label_ids, contact_id, window_closes_at, cancels_on_reply, v_prefix
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
