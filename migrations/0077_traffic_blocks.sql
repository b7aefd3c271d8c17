-- kind: expand
-- Sums over many conversations, so that reports over a year do not add up every conversation (docs/reports.md).

-- Messages by quarter of an hour of the conversations that stand in one place and began in the same 30 days.
create table traffic_blocks (
  account_id uuid not null references accounts (id),
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

-- Figures are deleted where messages are removed from a conversation whose state stays the same.
create function forget_traffic_blocks() returns trigger language plpgsql as $$
begin
  delete from traffic_blocks b using (select distinct account_id from gone) g where b.account_id = g.account_id;
  return null;
end $$;
create trigger conversation_figures_forget_blocks after delete on conversation_figures
  referencing old table as gone for each statement execute function forget_traffic_blocks();

-- Which conversations have messages in the quarter that the boundary of a period cuts.
create index conversation_figures_slots on conversation_figures using gin (slots);
