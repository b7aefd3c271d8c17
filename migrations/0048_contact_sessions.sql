-- The conversations of a contact. In a transaction of its own: the one that adds the column (migration 0045) also stops the
-- table's readers, and building an index reads the whole table.
create index sessions_contact_id on sessions (account_id, contact_id) where contact_id is not null;
