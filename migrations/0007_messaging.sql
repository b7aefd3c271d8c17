-- Channels, AI agents, conversations.

create table agents (
  account_id uuid not null references accounts (id),
  id uuid not null,
  name text not null,
  provider text not null check (provider in ('offline', 'openai-compatible', 'anthropic')),
  model text,
  base_url text,
  -- Sealed with SECRET_KEY; never returned.
  api_key text,
  instructions text not null default '',
  knowledge jsonb not null default '[]',
  tools text[] not null default '{}',
  batch_window_ms int not null default 0,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id)
);

create table channels (
  account_id uuid not null references accounts (id),
  id uuid not null,
  name text not null,
  identifier text not null,
  type text not null,
  default_agent_id uuid not null,
  allowed_agent_ids uuid[] not null default '{}',
  -- By agent id, the kanban that agent works on.
  agent_kanban_configs jsonb not null default '{}',
  webhook_url text,
  forward_incoming boolean not null default false,
  settings jsonb not null default '{}',
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id),
  foreign key (account_id, default_agent_id) references agents (account_id, id)
);
create unique index channels_identifier on channels (account_id, type, identifier);

create table blocked_contacts (
  account_id uuid not null references accounts (id),
  -- The identifier in its compared form.
  contact_key text not null,
  identifier_value text not null,
  identifier_type text not null,
  reason text not null,
  created_by text not null,
  created_at bigint not null,
  dropped_count bigint not null default 0,
  last_dropped_at bigint,
  primary key (account_id, contact_key)
);

create table sessions (
  account_id uuid not null,
  session_id text not null,
  session_name text,
  channel_id uuid not null,
  external_user_id text,
  -- What the block list is asked about: the compared form of externalUserId, or of the sessionId where there is none.
  contact_key text not null,
  agent_id uuid not null,
  kanban_id uuid not null,
  record_id uuid,
  ai_paused boolean not null default false,
  needs_attention boolean not null default false,
  unread int not null default 0,
  last_message_at bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  -- The last message's place and the last event's sequence, counted under the session's lock.
  message_count bigint not null,
  event_sequence int not null,
  -- Name, customer and id in lower case, for finding a conversation.
  search_text text not null,
  primary key (account_id, session_id),
  foreign key (account_id, channel_id) references channels (account_id, id),
  foreign key (account_id, agent_id) references agents (account_id, id)
);
create index sessions_latest on sessions (account_id, last_message_at desc, session_id desc);
create index sessions_channel on sessions (account_id, channel_id);
create index sessions_agent on sessions (account_id, agent_id);
create index sessions_record on sessions (account_id, record_id);
create index sessions_contact on sessions (account_id, contact_key);

-- The record that a session has on each kanban it has been on: coming back makes no second one.
create table session_records (
  account_id uuid not null,
  session_id text not null,
  kanban_id uuid not null,
  record_id uuid not null,
  primary key (account_id, session_id, kanban_id),
  foreign key (account_id, session_id) references sessions (account_id, session_id) on delete cascade
);

create table messages (
  account_id uuid not null,
  session_id text not null,
  -- Its place in the conversation.
  position bigint not null,
  id uuid not null,
  role text not null check (role in ('user', 'assistant', 'operator', 'system')),
  content text not null,
  created_at bigint not null,
  is_note boolean not null default false,
  is_note_visible_to_ai boolean not null default false,
  is_echo boolean not null default false,
  held boolean not null default false,
  provider_msg_id text,
  status text check (status in ('sent', 'delivered', 'read', 'failed')),
  reactions text[] not null default '{}',
  attachments jsonb not null default '[]',
  agent_id uuid,
  operator_id text,
  operator_name text,
  in_reply_to uuid,
  updated_at bigint not null,
  primary key (account_id, session_id, position),
  foreign key (account_id, session_id) references sessions (account_id, session_id) on delete cascade
);
create unique index messages_id on messages (account_id, id);
create unique index messages_provider on messages (account_id, session_id, provider_msg_id) where provider_msg_id is not null;

-- Receipts and reactions that came before their message was linked; kept for ten minutes.
create table early_receipts (
  account_id uuid not null,
  id uuid not null,
  session_id text not null,
  provider_msg_id text not null,
  receipt jsonb not null,
  created_at bigint not null,
  primary key (account_id, id)
);
create index early_receipts_message on early_receipts (account_id, session_id, provider_msg_id);
create index early_receipts_created on early_receipts (created_at);

-- The permission to reply to a message. A pause, a transfer or a block takes it away in its own transaction, and the
-- reply takes it in the transaction that commits the reply: whoever commits first wins, and there is no third outcome.
create table pending_replies (
  account_id uuid not null,
  session_id text not null,
  position bigint not null,
  message_id uuid not null,
  agent_id uuid not null,
  not_before timestamptz not null default now(),
  primary key (account_id, session_id, position),
  foreign key (account_id, session_id) references sessions (account_id, session_id) on delete cascade
);

-- What became of every message that asked for a reply.
create table reply_log (
  account_id uuid not null,
  id uuid not null,
  session_id text not null,
  message_id uuid not null,
  reply_id uuid,
  agent_id uuid,
  outcome text not null check (outcome in ('sent', 'held', 'suppressed', 'failed', 'merged')),
  reason text,
  provider text,
  model text,
  input_tokens int,
  output_tokens int,
  latency_ms int,
  created_at bigint not null,
  primary key (account_id, id),
  foreign key (account_id, session_id) references sessions (account_id, session_id) on delete cascade
);
create index reply_log_session on reply_log (account_id, session_id, created_at);

-- Opens a conversation for writing: locks it, then its customer's identifiers against being blocked meanwhile, then
-- reads. Each step is a statement of its own and so sees what others committed while this one waited.
create function open_session(
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
  -- In one order, so that two conversations never wait for each other.
  select array_agg(distinct k order by k) into v_keys from unnest(v_keys) k;
  for i in 1 .. coalesce(cardinality(v_keys), 0) loop
    perform pg_advisory_xact_lock_shared(hashtextextended(p_account::text || '/contact/' || v_keys[i], 0));
  end loop;
  select b.contact_key into blocked_key from blocked_contacts b
    where b.account_id = p_account and b.contact_key = any(v_asked) limit 1;
end $$;
