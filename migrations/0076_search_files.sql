-- kind: expand
-- The files in which processes keep search indexes (server/features/search/files). A file counts only while its row is
-- here. A backup does not contain these tables, so no file from before a restore counts.
create table search_files (
  id uuid primary key,
  account_id uuid not null references accounts (id) on delete cascade,
  -- What the first read of the index saw: everything that was removed later may still be in the file.
  built_at pg_snapshot not null,
  written_xid xid8 not null default pg_current_xact_id(),
  -- When the index last read its changes: deletions are known for eight days from then on.
  read_at timestamptz not null
);
create index search_files_account on search_files (account_id);

-- When a person was last erased: an index that was built before it is neither written nor read.
create table search_erasures (
  account_id uuid primary key references accounts (id) on delete cascade,
  erased_xid xid8 not null default pg_current_xact_id()
);
