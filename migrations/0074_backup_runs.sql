-- kind: expand
-- Backups that the service makes: by its schedule, or because an administrator asked. In the home cell, for all cells.

create table backup_runs (
  id uuid primary key,
  cell text not null,
  cause text not null,
  state text not null,
  -- Where it goes, and its name there, once it has begun.
  place text not null,
  name text,
  -- What a killed process leaves: an unfinished file or upload.
  draft text,
  row_count bigint not null default 0,
  file_count bigint not null default 0,
  bytes bigint,
  is_encrypted boolean not null default false,
  verified_at bigint,
  unverified text,
  error text,
  created_at bigint not null,
  updated_at bigint not null,
  ended_at bigint,
  -- The rotation has removed it from its place.
  removed_at bigint,
  check (cause in ('schedule', 'request')),
  check (state in ('waiting', 'writing', 'verifying', 'good', 'failed'))
);
create index backup_runs_created on backup_runs (cell, created_at);
