-- kind: expand
-- Holds the number until the migration with it arrives.
select 1;
