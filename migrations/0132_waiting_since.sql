-- kind: expand
-- Since when the customer waits: the time of their first message that nobody has answered. Null: they do not wait. A
-- resolution leaves it, so that taking it back restores it; who reads it leaves resolved conversations out. No index has
-- it: it changes with messages, and an index would have PostgreSQL write the row's entries in all indexes anew (0019).
alter table sessions add column waiting_since bigint;

-- As in migration 0053, with the column.
drop function open_session(uuid, text, text, text, text[], text[], text[], boolean, boolean);
create function open_session(
  p_account uuid, p_session text, p_request_key text, p_session_key text, p_values text[], p_asked text[],
  p_identifiers text[], p_told boolean, p_creates boolean, out session_name text, out channel_id uuid,
  out external_user_id text, out contact_key text, out agent_id uuid, out kanban_id uuid, out record_id uuid,
  out ai_paused boolean, out needs_attention boolean, out unread integer, out last_message_at bigint,
  out created_at bigint, out updated_at bigint, out message_count bigint, out event_sequence integer,
  out status text, out snoozed_until bigint, out status_changed_at bigint, out status_changed_by jsonb,
  out assigned_user_id uuid, out team_id uuid, out label_ids uuid[], out contact_id uuid,
  out window_closes_at bigint, out cancels_on_reply boolean, out waiting_since bigint, out found_keys text[],
  out found_contacts uuid[], out blocked_key text
) language plpgsql as $$
declare
  v_prefix text := '';
  v_keys text[];
  v_asked text[] := p_asked;
  v_contacts uuid[] := '{}';
  v_new uuid[];
  v_contact uuid;
  v_lock text;
  v_locked uuid[] := '{}';
  v_looks_up boolean;
  v_missing_locked boolean := not p_creates;
begin
  perform pg_advisory_xact_lock(hashtextextended(p_account::text || '/session/' || p_session, 0));
  select s.session_name, s.channel_id, s.external_user_id, s.contact_key, s.agent_id, s.kanban_id, s.record_id,
      s.ai_paused, s.needs_attention, s.unread, s.last_message_at, s.created_at, s.updated_at, s.message_count,
      s.event_sequence, s.status, s.snoozed_until, s.status_changed_at, s.status_changed_by, s.assigned_user_id,
      s.team_id, s.label_ids, s.contact_id, s.window_closes_at, s.cancels_on_reply, s.waiting_since,
      case when c.type in ('web', 'chatbot') then c.type || ':' else '' end
    into session_name, channel_id, external_user_id, contact_key, agent_id, kanban_id, record_id, ai_paused,
      needs_attention, unread, last_message_at, created_at, updated_at, message_count, event_sequence, status,
      snoozed_until, status_changed_at, status_changed_by, assigned_user_id, team_id, label_ids, contact_id, window_closes_at, cancels_on_reply,
      waiting_since, v_prefix
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
  v_looks_up := cardinality(p_identifiers) > 0
    and (contact_id is null or p_told or p_request_key is distinct from contact_key);
  if not v_looks_up and contact_id is null and external_user_id is not null then
    -- A conversation that has no contact yet may still be that of a blocked one.
    select coalesce(array_agg(i.contact_id), '{}') into v_contacts from contact_identifiers i
      where i.account_id = p_account and i.value = contact_key and v_prefix = case when i.kind in ('web', 'chatbot')
        then i.kind || ':' else '' end;
  end if;
  loop
    v_new := case when contact_id is not null and contact_id <> all(v_locked) then array[contact_id] end;
    if v_looks_up then
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
      select array_agg(distinct f order by f) into v_new from unnest(found_contacts || contact_id) f
        where f is not null and f <> all(v_locked);
    end if;
    for i in 1 .. coalesce(cardinality(v_new), 0) loop
      v_lock := p_account::text || '/contact/' || v_new[i]::text;
      if v_new[i] > all(v_locked) then
        perform pg_advisory_xact_lock_shared(hashtextextended(v_lock, 0));
      elsif not pg_try_advisory_xact_lock_shared(hashtextextended(v_lock, 0)) then
        -- A merge moved something meanwhile. To wait here would be against the order: the transaction begins again.
        raise exception 'contacts changed while they were locked' using errcode = 'serialization_failure';
      end if;
      v_locked := v_locked || v_new[i];
    end loop;
    -- A merge may have moved them while this waited for its lock: they are looked up again.
    continue when v_looks_up and v_new is not null;
    v_new := v_contacts || found_contacts || contact_id;
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
