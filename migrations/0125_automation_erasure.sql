-- kind: expand
-- What rules have kept of a conversation, a record or a message goes with it, whoever removes it.
drop index automation_runs_session;
drop index automation_runs_record;
create index automation_runs_session on automation_runs (account_id, session_id) where session_id is not null;
create index automation_runs_record on automation_runs (account_id, record_id) where record_id is not null;
create index automation_timers_session on automation_timers (account_id, session_id) where session_id is not null;
create index automation_timers_record on automation_timers (account_id, record_id) where record_id is not null;

create function remove_automation_of_session() returns trigger language plpgsql as $$
begin
  delete from automation_causes where account_id = old.account_id and subject = 's:' || old.session_id;
  delete from automation_runs where account_id = old.account_id and session_id = old.session_id;
  delete from automation_timers where account_id = old.account_id and session_id = old.session_id;
  return null;
end $$;
create trigger automation_sessions_go after delete on sessions
  for each row execute function remove_automation_of_session();

create function remove_automation_of_record() returns trigger language plpgsql as $$
begin
  delete from automation_causes where account_id = old.account_id and subject = 'r:' || old.id;
  delete from automation_runs where account_id = old.account_id and record_id = old.id and subject = 'r:' || old.id;
  delete from automation_timers where account_id = old.account_id and record_id = old.id;
  return null;
end $$;
create trigger automation_records_go after delete on records
  for each row execute function remove_automation_of_record();

-- Reasons may quote the message, and inputs have the texts that were sent.
create function forget_message_in_automation(account uuid, session text, message uuid) returns void
language plpgsql as $$
begin
  delete from automation_causes c
    where c.account_id = account and c.subject = 's:' || session and c.type = 'message' and c.source_id = message::text;
  update automation_run_steps s set input = null, output = null, reason = null
    from automation_runs r
    where r.account_id = account and r.session_id = session and s.account_id = account and s.run_id = r.id
      and (r.message_id = message
        or s.effects @> jsonb_build_array(jsonb_build_object('kind', 'message', 'id', message::text)));
end $$;

create function remove_automation_of_messages() returns trigger language plpgsql as $$
begin
  if not exists (select from automation_listeners l where l.account_id in (select g.account_id from gone g)) then
    return null;
  end if;
  perform forget_message_in_automation(g.account_id, g.session_id, g.id) from gone g;
  return null;
end $$;
create trigger automation_messages_go after delete on messages referencing old table as gone
  for each statement execute function remove_automation_of_messages();

create function remove_automation_of_message() returns trigger language plpgsql as $$
begin
  perform forget_message_in_automation(new.account_id, new.session_id, new.id);
  return null;
end $$;
create trigger automation_message_cleared after update on messages
  for each row when (old.content <> '' and new.content = '' and new.deleted_at is not null)
  execute function remove_automation_of_message();
