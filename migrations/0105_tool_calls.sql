-- kind: expand
-- Calls of tools that change something. "approved" and "claimed" are shown as running; a pause still cancels them.
create table tool_calls (
  account_id uuid not null,
  id uuid not null,
  session_id text not null,
  message_id uuid not null,
  agent_id uuid not null,
  tool_id uuid not null,
  name text not null,
  arguments jsonb not null,
  state text not null check (state in ('waiting', 'approved', 'claimed', 'running', 'done', 'failed', 'rejected',
    'cancelled', 'unknown')),
  requested_at bigint not null,
  decided_by text,
  result text,
  primary key (account_id, id),
  foreign key (account_id, session_id) references sessions (account_id, session_id) on delete cascade
);
create index tool_calls_session on tool_calls (account_id, session_id, id);
-- The model may ask again when its reply is made again: that is the same call.
create unique index tool_calls_asked on tool_calls (account_id, message_id, tool_id, md5(arguments::text));
