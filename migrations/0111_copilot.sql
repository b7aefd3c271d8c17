-- kind: expand
-- Which agent helps operators, and with what. No agent: the copilot is off.
create table copilot_settings (
  account_id uuid primary key references accounts (id),
  agent_id uuid,
  tasks text[] not null,
  foreign key (account_id, agent_id) references agents (account_id, id) on delete set null (agent_id)
);
-- What was suggested to whom, and what became of it. Without the text.
create table copilot_suggestions (
  account_id uuid not null,
  id uuid not null,
  session_id text not null,
  agent_id uuid not null,
  user_id uuid not null,
  task text not null check (task in ('suggest', 'rewrite')),
  created_at bigint not null,
  outcome text check (outcome in ('accepted', 'edited', 'discarded')),
  decided_at bigint,
  primary key (account_id, id),
  foreign key (account_id, session_id) references sessions (account_id, session_id) on delete cascade
);
create index copilot_suggestions_session on copilot_suggestions (account_id, session_id);
