-- Imports that are kept: the file stands in the store, its rows are written by a job, batch by batch.
create table imports (
  account_id uuid not null references accounts (id) on delete cascade,
  id uuid not null,
  -- No foreign key: an import whose board is deleted fails and says so.
  kanban_id uuid not null,
  file_name text not null,
  file_bytes bigint not null,
  -- receiving and removing are seen by nobody: the file is on its way into the store, or out of it.
  state text not null
    check (state in ('receiving', 'draft', 'running', 'cancelled', 'failed', 'done', 'removing')),
  -- Counts the changes of a draft, so that two at once do not mix.
  revision int not null default 0,
  format jsonb not null,
  rows int not null,
  rows_are_counted boolean not null,
  file_problem jsonb,
  columns jsonb not null,
  duplicates jsonb not null,
  time_zone text not null,
  -- The checkpoint: written together with the records and the results of a batch, and compared by the next one.
  rows_done int not null default 0,
  rows_created int not null default 0,
  rows_updated int not null default 0,
  rows_skipped int not null default 0,
  rows_failed int not null default 0,
  error jsonb,
  created_by text not null,
  created_by_name text not null,
  -- Whoever started or resumed it: the rows are written in their name, and only as long as they may.
  run_by jsonb,
  -- Counts the starts: what an earlier one left behind knows that it is over.
  run int not null default 0,
  run_started_at bigint,
  run_first_row int not null default 0,
  created_at bigint not null,
  started_at bigint,
  ended_at bigint,
  expires_at bigint not null,
  primary key (account_id, id)
);
create index imports_newest on imports (account_id, created_at desc, id desc);
create index imports_expiry on imports (expires_at);

-- A row for each batch; `results` has [result, recordId, error] for each row of the file.
create table import_results (
  account_id uuid not null,
  import_id uuid not null,
  first_row int not null,
  results jsonb not null,
  primary key (account_id, import_id, first_row),
  foreign key (account_id, import_id) references imports (account_id, id) on delete cascade
);
