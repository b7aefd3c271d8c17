-- open_session locks contacts in one order, as a merge and a block do. The contact of the conversation was locked after
-- those of the request's identifiers: a merge of the same two contacts at that moment could wait for the message and the
-- message for it. Only this part of the function changes, so it is replaced in the text of the function as it is now.
do $migration$
declare
  v_text text := pg_get_functiondef('open_session'::regproc);
  v_begin int := position(E'\n  if cardinality(p_identifiers) > 0\n' in v_text);
  v_end int := position(E'\nend $function$' in v_text);
begin
  if v_begin = 0 or v_end < v_begin or position('v_lock text;' in v_text) = 0 then
    raise exception 'open_session is not as migration 0045 made it';
  end if;
  v_text := left(v_text, v_begin) || $body$  v_looks_up := cardinality(p_identifiers) > 0
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
  end loop;$body$ || substr(v_text, v_end);
  execute replace(v_text, 'v_lock text;', $declared$v_lock text;
  v_locked uuid[] := '{}';
  v_looks_up boolean;$declared$);
end $migration$;
