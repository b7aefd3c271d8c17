-- kind: expand
-- Fields of a record whose value a visitor typed (docs/decisions.md, D-458).
alter table records add column unverified_fields uuid[] not null default '{}';
