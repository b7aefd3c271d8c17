-- Live updates. Triggers note every change in the transaction that makes it, so that no writer can forget to; whoever
-- looks next (live_tick) numbers what has been committed. No NOTIFY, and no counter that writers would queue for.
-- The tables are unlogged: after a crash of the database they are empty, `epoch` is another one, and clients are told to
-- read everything anew.

create unlogged table live_changes (
  -- Taken while the change's own locks are held, so changes of one conversation or record stand in the order of their
  -- commits; one that commits late is numbered late, but never passed over.
  id bigint generated always as identity primary key,
  account_id uuid not null,
  type text not null,
  -- The session, the record, the notification or the webhook.
  subject_id text not null,
  -- The message.
  item_id uuid,
  kanban_id uuid,
  -- Where the session was before.
  left_kanban_id uuid,
  -- For this user alone.
  user_id uuid,
  detail text
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create unlogged table live_log (
  account_id uuid not null,
  -- Counts per account, without a gap.
  seq bigint not null,
  -- Counts over all accounts: what processes and the notifier read on from.
  position bigint not null,
  type text not null,
  subject_id text not null,
  item_id uuid,
  kanban_id uuid,
  left_kanban_id uuid,
  user_id uuid,
  detail text,
  numbered_at timestamptz not null default now(),
  primary key (account_id, seq)
);
create unique index live_log_position on live_log (position);

-- Touched by the numbering alone.
create unlogged table live_heads (
  account_id uuid primary key,
  seq bigint not null
) with (fillfactor = 50);
create unlogged table live_state (
  is_only boolean primary key default true check (is_only),
  epoch uuid not null default gen_random_uuid(),
  position bigint not null default 0
) with (fillfactor = 20);
-- How far notifications have been made. A table of its own: making them must not keep the numbering waiting.
create unlogged table live_notified (
  is_only boolean primary key default true check (is_only),
  position bigint not null default 0
) with (fillfactor = 20);

-- Numbers what has been committed, unless another process is doing so, then answers with what follows `p_after`: at
-- least one row, with nulls where nothing does. One call for both, because processes with connections make it 40 times a
-- second. The lock is released after the commit is visible, and each statement here sees what was committed
-- before it: positions become visible in their order.
create function live_tick(p_after bigint, p_limit int) returns table (
  epoch uuid, head bigint, last_signal bigint, account_id uuid, seq bigint, "position" bigint, type text,
  subject_id text, item_id uuid, kanban_id uuid, left_kanban_id uuid, user_id uuid, detail text
) language plpgsql
-- The emptied table looks cheap to scan, but its dead rows are still there; the index forgets them.
set enable_seqscan = off set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  if not exists (select from live_state) then
    insert into live_state default values on conflict do nothing;
  end if;
  if exists (select from live_changes order by id limit 1) and pg_try_advisory_xact_lock(7231010) then
    with taken as (
      delete from live_changes c using (select id from live_changes order by id limit 1000) first where c.id = first.id
      returning c.id, c.account_id, c.type, c.subject_id, c.item_id, c.kanban_id, c.left_kanban_id, c.user_id, c.detail
    ), counted as (
      select account_id, count(*) as n from taken group by account_id
    ), heads as (
      insert into live_heads as h (account_id, seq) select account_id, n from counted
      on conflict (account_id) do update set seq = h.seq + excluded.seq
      returning h.account_id, h.seq
    ), state as (
      update live_state set position = position + (select count(*) from taken) returning position
    )
    insert into live_log (account_id, seq, position, type, subject_id, item_id, kanban_id, left_kanban_id, user_id, detail)
    select t.account_id, h.seq - c.n + row_number() over (partition by t.account_id order by t.id),
      s.position - (select count(*) from taken) + row_number() over (order by t.id), t.type, t.subject_id, t.item_id,
      t.kanban_id, t.left_kanban_id, t.user_id, t.detail
    from taken t join heads h on h.account_id = t.account_id join counted c on c.account_id = t.account_id, state s;
  end if;
  return query
    select s.epoch, s.position, coalesce((select max(id) from live_signals), 0), l.account_id, l.seq, l.position, l.type,
      l.subject_id, l.item_id, l.kanban_id, l.left_kanban_id, l.user_id, l.detail
    from live_state s left join lateral (
      select * from live_log where position > p_after order by position limit p_limit) l on true
    order by l.position;
end $$;

create function live_note_message() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    insert into live_changes (account_id, type, subject_id, item_id)
      values (old.account_id, 'message.deleted', old.session_id, old.id);
  else
    insert into live_changes (account_id, type, subject_id, item_id)
      values (new.account_id, case tg_op when 'INSERT' then 'message.created' else 'message.updated' end,
        new.session_id, new.id);
  end if;
  return null;
end $$;
create trigger live_messages after insert or update or delete on messages
  for each row execute function live_note_message();

create function live_note_session() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    insert into live_changes (account_id, type, subject_id, kanban_id)
      values (old.account_id, 'session.removed', old.session_id, old.kanban_id);
  elsif tg_op = 'INSERT' then
    insert into live_changes (account_id, type, subject_id, kanban_id)
      values (new.account_id, 'session.created', new.session_id, new.kanban_id);
  else
    insert into live_changes (account_id, type, subject_id, kanban_id, left_kanban_id, detail)
      values (new.account_id, 'session.updated', new.session_id, new.kanban_id,
        nullif(old.kanban_id, new.kanban_id),
        case when new.needs_attention and not old.needs_attention
          then case when new.ai_paused then 'handover' else 'attention' end end);
  end if;
  return null;
end $$;
create trigger live_sessions_come_and_go after insert or delete on sessions
  for each row execute function live_note_session();
-- What a new message changes by itself is told with the message: the hot path calls this function for nothing.
create trigger live_sessions after update on sessions for each row
  when (old.message_count = new.message_count or old.kanban_id <> new.kanban_id or old.agent_id <> new.agent_id
    or old.ai_paused <> new.ai_paused or old.needs_attention <> new.needs_attention)
  execute function live_note_session();

-- Once for a whole statement: creates come in groups, imports by hundreds.
create function live_note_new_records() returns trigger language plpgsql as $$
begin
  insert into live_changes (account_id, type, subject_id, kanban_id)
    select account_id, 'record.created', id, kanban_id from created order by id;
  return null;
end $$;
create trigger live_records_come after insert on records referencing new table as created
  for each statement execute function live_note_new_records();

create function live_note_record() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    insert into live_changes (account_id, type, subject_id, kanban_id)
      values (old.account_id, 'record.deleted', old.id, old.kanban_id);
  else
    insert into live_changes (account_id, type, subject_id, kanban_id)
      values (new.account_id, 'record.updated', new.id, new.kanban_id);
  end if;
  return null;
end $$;
create trigger live_records_go after delete on records for each row execute function live_note_record();
-- Not for what changes nothing that was told as an event: the look-up keys, a field that was deleted with its values.
create trigger live_records after update on records for each row
  when (old.event_sequence <> new.event_sequence) execute function live_note_record();

create function live_note_definitions() returns trigger language plpgsql as $$
begin
  insert into live_changes (account_id, type, subject_id) values (new.id, 'definitions.updated', new.id);
  return null;
end $$;
create trigger live_definitions after update on accounts for each row
  when (old.definitions_version <> new.definitions_version) execute function live_note_definitions();

create function live_note_webhook() returns trigger language plpgsql as $$
begin
  insert into live_changes (account_id, type, subject_id, detail)
    values (new.account_id, 'webhook.disabled', new.id, new.disabled_reason);
  return null;
end $$;
create trigger live_webhooks after update on webhooks for each row
  when (old.enabled and not new.enabled) execute function live_note_webhook();

-- Tickets for /ws: found by their hash, deleted by their use.
create unlogged table live_tickets (
  ticket_hash bytea primary key,
  account_id uuid not null,
  user_id uuid not null,
  -- The login that it was made for.
  login_id uuid not null,
  expires_at timestamptz not null
);

-- Who looks at what. A process renews its rows; those of one that died run out.
create unlogged table live_presence (
  account_id uuid not null,
  connection_id uuid not null,
  user_id uuid not null,
  user_name text not null,
  session_id text,
  record_id text,
  seen_at timestamptz not null default now(),
  primary key (account_id, connection_id)
);

-- Typing and presence between processes that have no Redis.
create unlogged table live_signals (
  id bigint generated always as identity primary key,
  body text not null,
  created_at timestamptz not null default now()
);

create table notifications (
  account_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  kind text not null check (kind in ('message', 'handover', 'attention', 'webhook_disabled')),
  title text not null,
  body text not null,
  -- The session or the webhook.
  subject_id text not null,
  count int not null default 1,
  created_at bigint not null,
  updated_at bigint not null,
  read_at bigint,
  primary key (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
create unique index notifications_unread on notifications (account_id, user_id, kind, subject_id) where read_at is null;
create index notifications_latest on notifications (account_id, user_id, updated_at desc, id desc);
