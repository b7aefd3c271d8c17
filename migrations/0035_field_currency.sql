-- The currency of a field's amounts, an ISO 4217 code. Null: not known, as before.
alter table kanban_fields add column currency text check (currency ~ '^[A-Z]{3}$');
