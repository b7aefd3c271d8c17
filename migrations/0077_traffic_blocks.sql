-- kind: expand
-- Sums over many conversations, so that reports over a year do not add up every conversation (docs/reports.md).

-- Messages by quarter of an hour of the conversations that stand in one place and began in the same 30 days.
create table traffic_blocks (
  account_id uuid not null references accounts (id) on delete cascade,
  kanban_id uuid not null,
  channel_id uuid not null,
  agent_id uuid not null,
  month int not null,
  -- Made of the figures of conversations as they were before this time.
  until bigint not null,
  -- Of these conversations: how many there are, and the sum of a hash of each one's state.
  conversations int not null,
  states numeric not null,
  slots int[] not null,
  customer int[] not null,
  ai int[] not null,
  human int[] not null,
  echo int[] not null,
  primary key (account_id, kanban_id, channel_id, agent_id, month)
);

-- Conversations that stay and whose figures were deleted, because messages were removed without a change of their state.
-- Blocks with them are not used until they are computed again. One row for each time: a row that a transaction adds while
-- blocks are computed stays after that.
create table removed_figures (
  account_id uuid not null,
  session_id text not null,
  id uuid not null default gen_random_uuid(),
  primary key (account_id, session_id, id),
  foreign key (account_id, session_id) references sessions (account_id, session_id) on delete cascade
);
create function note_removed_figures() returns trigger language plpgsql as $$
begin
  insert into removed_figures (account_id, session_id)
  select account_id, session_id from gone join sessions using (account_id, session_id);
  return null;
end $$;
create trigger conversation_figures_note_removed after delete on conversation_figures
  referencing old table as gone for each statement execute function note_removed_figures();

-- Which conversations have messages in the quarter that the boundary of a period cuts.
create index conversation_figures_slots on conversation_figures using gin (slots);
