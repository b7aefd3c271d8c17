create table records (
  -- No foreign keys on account and board: every write holds the definitions' lock (definitions_are_current), and a
  -- board is deleted only under its counterpart, when no record is on it. Two keys would add a quarter to a create.
  account_id uuid not null,
  id uuid not null,
  kanban_id uuid not null,
  title text not null,
  -- Of the trimmed title without regard to case; a hash, because a title may be longer than an index entry.
  title_hash bytea not null,
  status text not null,
  custom_fields jsonb not null,
  assigned_user_ids uuid[] not null,
  channel_id text,
  created_by text not null,
  updated_by text not null,
  created_at bigint not null,
  updated_at bigint not null,
  -- The sequence of the last event of this record.
  event_sequence int not null,
  primary key (account_id, id)
);
create index records_newest on records (account_id, created_at desc, id desc);
create index records_kanban on records (account_id, kanban_id, created_at desc, id desc);
create index records_status on records (account_id, kanban_id, status, created_at desc, id desc);
-- Not led by the board, as the others are: on a table without statistics the planner could not tell them apart, and
-- read all records of the board for each look-up (250 imported rows a second instead of thousands).
create index records_duplicates on records (account_id, title_hash, channel_id) where channel_id is not null;
create index records_assigned on records using gin (assigned_user_ids) with (fastupdate = on) where assigned_user_ids <> '{}';
