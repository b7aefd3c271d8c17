-- kind: expand
-- Cases to test agents with. One that was taken from a conversation goes with it.
create table agent_test_cases (
  account_id uuid not null,
  id uuid not null,
  agent_id uuid not null,
  name text not null,
  -- {"messages", "notes", "customer", "card", "toolResults"}
  input jsonb not null,
  checks jsonb not null,
  -- Of the input and the checks.
  revision integer not null,
  session_id text,
  message_id uuid,
  created_by text not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id),
  foreign key (account_id, agent_id) references agents (account_id, id) on delete cascade,
  foreign key (account_id, session_id) references sessions (account_id, session_id) on delete cascade
);
create index agent_test_cases_agent on agent_test_cases (account_id, agent_id, id);
create index agent_test_cases_session on agent_test_cases (account_id, session_id) where session_id is not null;
