-- Search. Every process mirrors the searched text of the accounts it is asked about and reads what has changed before
-- each answer: by transaction id against the snapshot of its last reading, because sequence numbers and times are not
-- in the order of commits and would miss a late one for ever.

alter table records add column changed_xid xid8 not null default pg_current_xact_id();
create index records_changed on records (account_id, changed_xid, id);

create table record_deletions (
  account_id uuid not null,
  record_id uuid not null,
  changed_xid xid8 not null default pg_current_xact_id(),
  deleted_at timestamptz not null default now()
);
create index record_deletions_changed on record_deletions (account_id, changed_xid);
create index record_deletions_time on record_deletions (deleted_at);

-- Set when a field becomes searched or stops being so, or is deleted: all records of the board are read anew.
alter table kanbans add column fields_changed_xid xid8 not null default pg_current_xact_id();

-- Exact look-up of a field's value: hashes of field id and value (server/features/records/records.lookup.ts).
alter table records add column lookup_keys bigint[] not null default '{}';
-- What is written goes to a list that every look-up reads too, and from there to the index in bulk: row by row it would
-- add a third to the cost of a create. The worker empties the list every quarter of a second, so that it stays short.
create index records_lookup on records using gin (lookup_keys) with (fastupdate = on);
