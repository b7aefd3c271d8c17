-- kind: expand
-- A table of 50 rows is one page: PostgreSQL may plan to find a conversation by reading its whole account, and keeps that
-- plan until the table is analysed again. So a table is analysed again whenever it has four times as many rows, until
-- autovacuum, which comes once a minute, is soon enough (docs/decisions.md, D-433). All tables that are due, in one call.
-- The name stays: the release before calls it.
create or replace function analyse_new_table(p_rows bigint) returns boolean language plpgsql as $$
declare
  v_table regclass;
  v_found boolean := false;
begin
  for v_table in
    select oid from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r'
      and pg_stat_get_live_tuples(oid) >= p_rows
      and (reltuples < 0 or (reltuples < 20000 and pg_stat_get_live_tuples(oid) >= 4 * reltuples))
  loop
    execute format('analyze (skip_locked) %s', v_table);
    v_found := true;
  end loop;
  return v_found;
end $$;
