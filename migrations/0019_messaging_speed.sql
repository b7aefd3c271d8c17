-- For a transaction whose last statement tells whether what it was made from still holds: unlike
-- definitions_are_current, which answers no, this ends the transaction, so that it is rolled back and tried again.
create function require_current_definitions(p_account uuid, p_version bigint) returns boolean language plpgsql as $$
begin
  if not definitions_are_current(p_account, p_version) then
    raise exception 'the definitions have changed' using errcode = 'serialization_failure';
  end if;
  return true;
end $$;

-- An agent reads the notes of a conversation before each reply, and most conversations have none.
create index messages_notes on messages (account_id, session_id, position) where is_note;

-- Every message changes its conversation's row. An index on a column that changes each time would have PostgreSQL write
-- the row's entries in all indexes anew (no HOT update): ten of them, for one number. So what is indexed changes seldom:
-- the minute of the last message, and whether there is anything unread. Lists sort what lies within a minute.
alter table sessions
  add column last_minute bigint generated always as (last_message_at / 60000) stored,
  add column is_unread boolean generated always as (unread > 0) stored;
drop index sessions_latest;
drop index sessions_unread;
create index sessions_latest on sessions (account_id, last_minute desc);
create index sessions_unread on sessions (account_id) where is_unread;
alter table sessions set (fillfactor = 70);

-- As in migration 0007, with as few statements as the usual conversation of one customer needs.
create or replace function open_session(
  p_account uuid, p_session text, p_request_key text, p_session_key text,
  out session_name text, out channel_id uuid, out external_user_id text, out contact_key text, out agent_id uuid,
  out kanban_id uuid, out record_id uuid, out ai_paused boolean, out needs_attention boolean, out unread int,
  out last_message_at bigint, out created_at bigint, out updated_at bigint, out message_count bigint,
  out event_sequence int, out blocked_key text
) language plpgsql as $$
declare
  v_keys text[];
  v_asked text[];
begin
  perform pg_advisory_xact_lock(hashtextextended(p_account::text || '/session/' || p_session, 0));
  select s.session_name, s.channel_id, s.external_user_id, s.contact_key, s.agent_id, s.kanban_id, s.record_id,
      s.ai_paused, s.needs_attention, s.unread, s.last_message_at, s.created_at, s.updated_at, s.message_count,
      s.event_sequence
    into session_name, channel_id, external_user_id, contact_key, agent_id, kanban_id, record_id, ai_paused,
      needs_attention, unread, last_message_at, created_at, updated_at, message_count, event_sequence
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
