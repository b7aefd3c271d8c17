-- Indexes of what migrations 0040 and 0042 added, of rows that have it. In a transaction of their own: the one that adds
-- a column to a table also stops its readers, and building an index reads the whole table.
create index records_placed on records (account_id, kanban_id, status, place_at desc, place_id desc, id desc)
  where place_at is not null;
create index sessions_labels on sessions using gin (label_ids) with (fastupdate = off) where label_ids <> '{}';
create index records_labels on records using gin (label_ids) with (fastupdate = off) where label_ids <> '{}';
