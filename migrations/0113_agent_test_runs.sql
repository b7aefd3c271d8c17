-- kind: expand
-- Runs of test cases, and replays of real conversations. The settings are kept as they were: a draft changes.
create table agent_test_runs (
  account_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  kind text not null check (kind in ('run', 'replay')),
  state text not null check (state in ('waiting', 'running', 'done', 'cancelled', 'failed')),
  failure text,
  -- Null: the draft.
  version integer,
  content jsonb not null,
  baseline_version integer,
  baseline jsonb,
  created_by text not null,
  created_at bigint not null,
  ended_at bigint,
  primary key (account_id, id),
  foreign key (account_id, agent_id) references agents (account_id, id) on delete cascade
);
create index agent_test_runs_agent on agent_test_runs (account_id, agent_id, id);
create unique index agent_test_runs_running on agent_test_runs (account_id, agent_id) where ended_at is null;

-- One that comes from a conversation goes with it. A replay reads the conversation again and has no input of its own.
create table agent_test_results (
  account_id uuid not null,
  run_id uuid not null,
  id uuid not null,
  case_id uuid,
  case_revision integer,
  name text not null,
  input jsonb,
  checks jsonb not null,
  session_id text,
  message_id uuid,
  subject jsonb,
  baseline jsonb,
  changed boolean,
  primary key (account_id, run_id, id),
  foreign key (account_id, run_id) references agent_test_runs (account_id, id) on delete cascade,
  foreign key (account_id, case_id) references agent_test_cases (account_id, id) on delete cascade,
  foreign key (account_id, session_id) references sessions (account_id, session_id) on delete cascade
);
create index agent_test_results_case on agent_test_results (account_id, case_id) where case_id is not null;
create index agent_test_results_session on agent_test_results (account_id, session_id) where session_id is not null;
