-- A conversation is open, snoozed (until a time, or until the customer writes) or resolved, and may have a person and a
-- team who own it. Constant defaults: no row is rewritten.
alter table sessions
  add column status text not null default 'open' check (status in ('open', 'snoozed', 'resolved')),
  add column snoozed_until bigint,
  add column status_changed_at bigint,
  add column status_changed_by jsonb,
  add column assigned_user_id uuid,
  add column team_id uuid,
  add check (snoozed_until is null or status = 'snoozed'),
  add foreign key (account_id, assigned_user_id) references users (account_id, id)
    on delete set null (assigned_user_id);

-- Most conversations are resolved: lists of them use sessions_latest.
create index sessions_open on sessions (account_id, last_minute desc) where status = 'open';
create index sessions_snoozed on sessions (account_id, snoozed_until) where status = 'snoozed';
create index sessions_assigned on sessions (account_id, assigned_user_id, last_minute desc)
  where assigned_user_id is not null;
create index sessions_team on sessions (account_id, team_id) where team_id is not null;

-- Who changed what and when: for the conversation's history and for reports. Events are removed after a while.
create table session_changes (
  account_id uuid not null,
  session_id text not null,
  sequence int not null,
  at bigint not null,
  changed_by jsonb not null,
  changes jsonb not null,
  primary key (account_id, session_id, sequence),
  foreign key (account_id, session_id) references sessions (account_id, session_id) on delete cascade
);
create index session_changes_at on session_changes (account_id, at);

drop trigger live_sessions on sessions;
create trigger live_sessions after update on sessions for each row
  when (old.message_count = new.message_count or old.kanban_id <> new.kanban_id or old.agent_id <> new.agent_id
    or old.ai_paused <> new.ai_paused or old.needs_attention <> new.needs_attention or old.status <> new.status
    or old.assigned_user_id is distinct from new.assigned_user_id)
  execute function live_note_session();

-- As in migration 0019, with the columns above.
drop function open_session(uuid, text, text, text);
create function open_session(
  p_account uuid, p_session text, p_request_key text, p_session_key text,
  out session_name text, out channel_id uuid, out external_user_id text, out contact_key text, out agent_id uuid,
  out kanban_id uuid, out record_id uuid, out ai_paused boolean, out needs_attention boolean, out unread int,
  out last_message_at bigint, out created_at bigint, out updated_at bigint, out message_count bigint,
  out event_sequence int, out status text, out snoozed_until bigint, out status_changed_at bigint,
  out status_changed_by jsonb, out assigned_user_id uuid, out team_id uuid, out blocked_key text
) language plpgsql as $$
declare
  v_keys text[];
  v_asked text[];
begin
  perform pg_advisory_xact_lock(hashtextextended(p_account::text || '/session/' || p_session, 0));
  select s.session_name, s.channel_id, s.external_user_id, s.contact_key, s.agent_id, s.kanban_id, s.record_id,
      s.ai_paused, s.needs_attention, s.unread, s.last_message_at, s.created_at, s.updated_at, s.message_count,
      s.event_sequence, s.status, s.snoozed_until, s.status_changed_at, s.status_changed_by, s.assigned_user_id,
      s.team_id
    into session_name, channel_id, external_user_id, contact_key, agent_id, kanban_id, record_id, ai_paused,
      needs_attention, unread, last_message_at, created_at, updated_at, message_count, event_sequence, status,
      snoozed_until, status_changed_at, status_changed_by, assigned_user_id, team_id
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
