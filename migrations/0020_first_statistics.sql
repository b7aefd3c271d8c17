-- Tables that have their first rows and were never analysed (see server/platform/first-statistics.ts). What another
-- session is working on is passed over.
create function analyse_new_tables(p_rows bigint) returns int language plpgsql as $$
declare
  v_table regclass;
  v_analysed int := 0;
begin
  for v_table in
    select oid from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and reltuples < 0
      and pg_stat_get_live_tuples(oid) >= p_rows
  loop
    execute format('analyze (skip_locked) %s', v_table);
    v_analysed := v_analysed + 1;
  end loop;
  return v_analysed;
end $$;

-- Messages come in groups, as creates do: they are noted once for a whole statement.
create function live_note_new_messages() returns trigger language plpgsql as $$
begin
  insert into live_changes (account_id, type, subject_id, item_id)
    select account_id, 'message.created', session_id, id from created order by session_id, position;
  return null;
end $$;
create trigger live_messages_come after insert on messages referencing new table as created
  for each statement execute function live_note_new_messages();
drop trigger live_messages on messages;
create trigger live_messages after update or delete on messages for each row execute function live_note_message();
