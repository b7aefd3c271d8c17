-- Labels of an account. Conversations and cards hold the ids of theirs: a list reads them with its rows, and every
-- write has them at hand. Constant defaults: no row is rewritten.
create table labels (
  account_id uuid not null references accounts (id),
  id uuid not null,
  name text not null,
  color text not null check (color in ('red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple', 'pink')),
  description text not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id)
);
create unique index labels_name on labels (account_id, lower(name));

alter table sessions add column label_ids uuid[] not null default '{}';
alter table records add column label_ids uuid[] not null default '{}';

-- As in migration 0034, with the labels.
drop function open_session(uuid, text, text, text);
create function open_session(
  p_account uuid, p_session text, p_request_key text, p_session_key text,
  out session_name text, out channel_id uuid, out external_user_id text, out contact_key text, out agent_id uuid,
  out kanban_id uuid, out record_id uuid, out ai_paused boolean, out needs_attention boolean, out unread int,
  out last_message_at bigint, out created_at bigint, out updated_at bigint, out message_count bigint,
  out event_sequence int, out status text, out snoozed_until bigint, out status_changed_at bigint,
  out status_changed_by jsonb, out assigned_user_id uuid, out team_id uuid,
  out label_ids uuid[], out blocked_key text
) language plpgsql as $$
declare
  v_keys text[];
  v_asked text[];
begin
  perform pg_advisory_xact_lock(hashtextextended(p_account::text || '/session/' || p_session, 0));
  select s.session_name, s.channel_id, s.external_user_id, s.contact_key, s.agent_id, s.kanban_id, s.record_id,
      s.ai_paused, s.needs_attention, s.unread, s.last_message_at, s.created_at, s.updated_at, s.message_count,
      s.event_sequence, s.status, s.snoozed_until, s.status_changed_at, s.status_changed_by, s.assigned_user_id,
      s.team_id, s.label_ids
    into session_name, channel_id, external_user_id, contact_key, agent_id, kanban_id, record_id, ai_paused,
      needs_attention, unread, last_message_at, created_at, updated_at, message_count, event_sequence, status,
      snoozed_until, status_changed_at, status_changed_by, assigned_user_id, team_id, label_ids
    from sessions s where s.account_id = p_account and s.session_id = p_session;
  -- Asked about: the request's customer and the conversation's; its own id where there is neither.
  v_asked := array_remove(array[p_request_key, case when external_user_id is not null then contact_key
    when p_request_key is null then p_session_key end], null);
  v_keys := array_remove(v_asked || contact_key, null);
  if v_keys[1] = all(v_keys) then
    v_keys := v_keys[1:1];
  else
    -- In one order, so that two conversations never wait for each other.
    select array_agg(distinct k order by k) into v_keys from unnest(v_keys) k;
  end if;
  for i in 1 .. coalesce(cardinality(v_keys), 0) loop
    perform pg_advisory_xact_lock_shared(hashtextextended(p_account::text || '/contact/' || v_keys[i], 0));
  end loop;
  if cardinality(v_asked) > 0 then
    select b.contact_key into blocked_key from blocked_contacts b
      where b.account_id = p_account and b.contact_key = any(v_asked) limit 1;
  end if;
end $$;
