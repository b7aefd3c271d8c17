-- kind: expand
-- Holds the place of the migration for websites, which is written at the same time.
select 1;
