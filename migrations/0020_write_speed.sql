-- A table that has its first rows and was never analysed (see server/platform/db/first-statistics.ts): one at a time, so
-- that each is kept as soon as it is done. What another session is working on is passed over.
create function analyse_new_table(p_rows bigint) returns boolean language plpgsql as $$
declare
  v_table regclass;
begin
  select oid into v_table from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and reltuples < 0
      and pg_stat_get_live_tuples(oid) >= p_rows
    limit 1;
  if v_table is null then
    return false;
  end if;
  execute format('analyze (skip_locked) %s', v_table);
  return true;
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
