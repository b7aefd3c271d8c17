-- kind: expand
-- Sums over many conversations, so that reports over a year do not add up every conversation (docs/reports.md).

-- Another number with each computation: the sum over a block's members shows whether the block is made of these rows.
alter table conversation_figures add column stamp bigint;

-- Messages by quarter of an hour of all conversations that stand in one place and began in the same 30 days.
create table traffic_blocks (
  account_id uuid not null references accounts (id),
  kanban_id uuid not null,
  channel_id uuid not null,
  agent_id uuid not null,
  month int not null,
  conversations int not null,
  stamps numeric not null,
  slots int[] not null,
  customer int[] not null,
  ai int[] not null,
  human int[] not null,
  echo int[] not null,
  primary key (account_id, kanban_id, channel_id, agent_id, month)
);
