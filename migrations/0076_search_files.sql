-- kind: expand
-- The files in which processes keep search indexes (server/features/search/files). A file counts only while its row is
-- here. A restored backup gives the columns of type xid8 new values, so that no file from before it counts.
create table search_files (
  id uuid primary key,
  account_id uuid not null references accounts (id) on delete cascade,
  -- What the first read of the index saw: everything that was removed later may still be in the file.
  built_at pg_snapshot not null,
  written_xid xid8 not null default pg_current_xact_id(),
  written_at timestamptz not null default now()
);
create index search_files_account on search_files (account_id);

-- When a person was last erased: an index that was built before it is neither written nor read.
create table search_erasures (
  account_id uuid primary key references accounts (id) on delete cascade,
  erased_xid xid8 not null default pg_current_xact_id()
);
