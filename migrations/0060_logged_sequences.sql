-- kind: expand
-- The tables stay unlogged. Their sequences must not be: a standby writes the first page of an unlogged sequence to its
-- disk only at its next restart point. If it is promoted before that, the page is empty, and every insert fails.
do $$
declare
  one record;
begin
  for one in
    select c.oid::regclass::text as name from pg_class c
    where c.relkind = 'S' and c.relpersistence = 'u' and c.relnamespace = current_schema()::regnamespace
  loop
    execute format('alter sequence %s set logged', one.name);
  end loop;
end $$;
