-- kind: expand
-- What rules would have done.
create table automation_backtests (
  account_id uuid not null references accounts (id),
  id uuid not null,
  -- A user or a token: nobody else may see what was visible to them.
  created_by text not null,
  rule jsonb not null,
  days integer not null,
  time_zone text not null,
  -- Null: all boards.
  visible uuid[],
  state text not null check (state in ('running', 'done', 'failed')),
  reason text,
  covered_from bigint,
  approximate_fields text[] not null default '{}',
  per_day jsonb not null default '[]',
  created_at bigint not null,
  ended_at bigint,
  primary key (account_id, id)
);
create unique index automation_backtests_running on automation_backtests (account_id) where ended_at is null;

create table automation_backtest_items (
  account_id uuid not null,
  backtest_id uuid not null,
  ordinal integer not null,
  at bigint not null,
  session_id text,
  record_id uuid,
  primary key (account_id, backtest_id, ordinal),
  foreign key (account_id, backtest_id) references automation_backtests (account_id, id) on delete cascade,
  foreign key (account_id, session_id) references sessions (account_id, session_id) on delete cascade,
  foreign key (account_id, record_id) references records (account_id, id) on delete cascade
);
create index automation_backtest_items_session on automation_backtest_items (account_id, session_id)
  where session_id is not null;
create index automation_backtest_items_record on automation_backtest_items (account_id, record_id)
  where record_id is not null;
