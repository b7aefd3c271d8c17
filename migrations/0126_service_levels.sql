-- kind: expand
-- Service levels: policies, what applies to each conversation, and what became of its targets.
create table sla_policies (
  account_id uuid not null,
  id uuid not null,
  name text not null,
  rank integer not null,
  filter jsonb,
  first_response_minutes integer,
  next_response_minutes integer,
  resolution_minutes integer,
  hours_id uuid,
  pause_while_snoozed boolean not null,
  pause_while_waiting boolean not null,
  ai_counts boolean not null,
  warn_before_minutes integer not null,
  primary key (account_id, id),
  foreign key (account_id) references accounts (id),
  foreign key (account_id, hours_id) references business_hours (account_id, id)
);

-- What a conversation shows, when there is something to do for it, and when its most urgent target is due. Null in accounts
-- without policies.
alter table sessions add column sla jsonb, add column sla_at bigint, add column sla_due bigint;

-- The targets with their pauses, and how far the conversation's history is in them.
create table sla_states (
  account_id uuid not null,
  session_id text not null,
  state jsonb not null,
  primary key (account_id, session_id),
  foreign key (account_id, session_id) references sessions (account_id, session_id) on delete cascade
);

create table sla_results (
  account_id uuid not null,
  session_id text not null,
  kind text not null,
  started_at bigint not null,
  policy_id uuid not null,
  outcome text not null check (outcome in ('met', 'breached')),
  at bigint not null,
  due_at bigint not null,
  channel_id uuid not null,
  team_id uuid,
  -- Who answered or resolved it, otherwise its owner at that moment.
  user_id uuid,
  primary key (account_id, session_id, kind, started_at),
  foreign key (account_id, session_id) references sessions (account_id, session_id) on delete cascade
);
create index sla_results_at on sla_results (account_id, at);

-- Conversations of accounts with policies that changed. Only added to and removed from: a writer never waits for it.
create table sla_queue (
  id uuid primary key default gen_random_uuid(),
  seq bigint generated always as identity,
  account_id uuid not null,
  session_id text not null,
  -- Of one that is followed from now on: its targets count from here.
  since bigint,
  foreign key (account_id, session_id) references sessions (account_id, session_id) on delete cascade
);
create index sla_queue_seq on sla_queue (seq);
create index sla_queue_session on sla_queue (account_id, session_id);

-- Accounts whose open conversations get a changed policy.
create table sla_passes (
  account_id uuid primary key references accounts (id),
  after text not null default '',
  -- A conversation that was written before the change was committed is found by the second one.
  rounds integer not null,
  -- When it changed: conversations that began later are followed from their beginning.
  since bigint not null,
  run_at bigint not null
);

create function note_sla_session() returns trigger language plpgsql as $$
begin
  -- Rows that are copied are no changes.
  if current_setting('talkboard.moving', true) = new.account_id::text then return null; end if;
  if new.sla is not null then
    insert into sla_queue (account_id, session_id) values (new.account_id, new.session_id);
  elsif exists (select from sla_policies where account_id = new.account_id) then
    insert into sla_queue (account_id, session_id, since)
      values (new.account_id, new.session_id, case when tg_op = 'INSERT' then new.created_at else new.updated_at end);
  end if;
  return null;
end $$;

create trigger sla_sessions_come after insert on sessions for each row execute function note_sla_session();
create trigger sla_sessions after update on sessions for each row
  when (new.sla is not null and new.sla is not distinct from old.sla
    or new.sla is null and old.status = 'resolved' and new.status <> 'resolved')
  execute function note_sla_session();

-- A policy may depend on the contact.
create function note_sla_contact() returns trigger language plpgsql as $$
begin
  -- Rows that are copied are no changes.
  if current_setting('talkboard.moving', true) = new.account_id::text then return null; end if;
  insert into sla_queue (account_id, session_id)
    select account_id, session_id from sessions
    where account_id = new.account_id and contact_id = new.id and sla is not null and status <> 'resolved';
  return null;
end $$;
create trigger sla_contacts after update on contacts for each row
  when (old.updated_at is distinct from new.updated_at or old.name is distinct from new.name)
  execute function note_sla_contact();
