-- kind: expand
-- The processes that use this database, each with a row that it renews every second. A process that is alone looks for the
-- work of others less often. Unlogged: after a crash of the database each process writes its row again.
create unlogged table processes (
  id uuid primary key,
  seen_at timestamptz not null default now()
) with (fillfactor = 20);
