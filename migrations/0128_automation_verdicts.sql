-- kind: expand
-- Causes wait in a small table with few indexes and go when they have been worked on. Verdicts are only added.
create table automation_verdicts (
  account_id uuid not null,
  seq bigint generated always as identity,
  -- Of the cause.
  id uuid not null,
  type text not null,
  source_id text not null,
  subject text not null,
  session_id text,
  record_id uuid,
  at bigint not null,
  verdicts jsonb not null,
  primary key (account_id, subject, id)
);
create index automation_verdicts_seq on automation_verdicts (account_id, seq);
create index automation_verdicts_at on automation_verdicts using brin (at);

drop index automation_causes_at;
drop index automation_causes_earlier;
drop index automation_causes_seq;
drop index automation_causes_subject;
alter table automation_causes drop constraint automation_causes_pkey, add primary key (account_id, subject, id);

-- Those that v1.7.255 has ended. It may still run beside this release: its later ones are moved once a day.
create function move_ended_causes() returns void language sql as $$
  with ended as (
    delete from automation_causes where not is_open
    returning account_id, seq, id, type, source_id, subject, session_id, record_id, at, verdicts)
  insert into automation_verdicts (account_id, id, type, source_id, subject, session_id, record_id, at, verdicts)
  select account_id, id, type, source_id, subject, session_id, record_id, at, verdicts
  from ended where verdicts <> '[]' and type <> 'run' order by seq
$$;
select move_ended_causes();

-- What a message, a resolve or a move may cancel; mostly there is nothing.
create index automation_runs_session_waits on automation_runs (account_id, session_id) where state = 'waiting';
create index automation_runs_record_waits on automation_runs (account_id, record_id) where state = 'waiting';

create or replace function cancel_automation_waits(account uuid, session text, record uuid, what text, cause text) returns void
language plpgsql as $$
declare
  moment bigint;
begin
  if not exists (select from automation_runs r
      where r.account_id = account and r.session_id = session and r.state = 'waiting')
    and not exists (select from automation_runs r
      where r.account_id = account and r.record_id = record and r.state = 'waiting') then
    return;
  end if;
  moment := (extract(epoch from clock_timestamp()) * 1000)::bigint;
  with cancelled as (
    update automation_runs r set state = 'cancelled', reason = cause, due_at = null, ended_at = moment
    where r.account_id = account and r.state = 'waiting' and what = any(r.cancel_on)
      and (r.session_id = session or r.record_id = record)
    returning r.id)
  update automation_run_steps s set state = 'cancelled', reason = cause, at = moment
  from cancelled c where s.account_id = account and s.run_id = c.id and s.state = 'waiting';
end $$;

-- Null: it is no message of the conversation's two sides.
create function automation_author(is_note boolean, held boolean, is_echo boolean, role text, by_rule boolean) returns text
language sql immutable as $$
  select case when is_note or held or role = 'system' then null
    when is_echo then 'person'
    when role = 'user' then 'customer'
    when role = 'assistant' then 'agent'
    when by_rule then 'rule'
    else 'person' end
$$;

-- For each statement: sends at the same time share one. Its first look is all that most messages cost.
create function note_message_causes() returns trigger language plpgsql as $$
declare
  is_heard boolean;
  is_awaited boolean;
begin
  select bool_or(l.triggers && '{session_created,customer_message,reply_sent:agent,reply_sent:person,reply_sent:rule}'),
      bool_or(exists (select from automation_runs r
        where r.account_id = c.account_id and r.session_id = c.session_id and r.state = 'waiting'))
    into is_heard, is_awaited
    from created c join automation_listeners l on l.account_id = c.account_id;
  if is_awaited then
    perform case when c.author = 'customer'
        then cancel_automation_waits(c.account_id, c.session_id, null, 'customer_message', 'The customer wrote.')
        else cancel_automation_waits(c.account_id, c.session_id, null, 'team_reply', 'The customer got an answer.') end
      from (select m.account_id, m.session_id, m.position,
          automation_author(m.is_note, m.held, m.is_echo, m.role, m.by_rule) as author from created m) c
      where c.author in ('customer', 'person', 'agent') and not automation_is_off(c.account_id);
  end if;
  if is_heard then
    insert into automation_causes (account_id, type, source_id, subject, session_id, triggers, chain)
      select c.account_id, 'message', c.id, 's:' || c.session_id, c.session_id, w.what,
        nullif(current_setting('talkboard.chain', true), '')::jsonb
      from created c join automation_listeners l on l.account_id = c.account_id
      cross join lateral (select automation_author(c.is_note, c.held, c.is_echo, c.role, c.by_rule) as author) a
      cross join lateral (select array_remove(array[
        case when c.position = 1 then 'session_created' end,
        case when a.author = 'customer' then 'customer_message' else 'reply_sent:' || a.author end], null) as what) w
      where l.triggers && w.what and not automation_is_off(c.account_id)
      order by c.session_id, c.position;
  end if;
  return null;
end $$;
drop trigger automation_messages on messages;
drop function note_message_cause();
create trigger automation_messages after insert on messages referencing new table as created
  for each statement execute function note_message_causes();

-- Events of one record or conversation that a statement writes are one cause, with what the most telling one says: that of
-- a status. So changing several fields at once is one row.
create function note_event_causes() returns trigger language plpgsql as $$
declare
  event record;
begin
  if not exists (select from created c join automation_listeners l on l.account_id = c.account_id
      where c.event = any ('{crm_record_created,crm_field_update,comment_created,task_created,task_updated,session_rated,sla_warning,sla_breached}')) then
    return null;
  end if;
  for event in
    select c.account_id, c.subject_id from created c
    where c.event = 'crm_field_update' and c.field_id = 'status' and not automation_is_off(c.account_id)
  loop
    perform cancel_automation_waits(event.account_id, null, event.subject_id::uuid, 'record_moved', 'The card was moved.');
  end loop;
  insert into automation_causes (account_id, type, source_id, subject, session_id, record_id, triggers, detail, chain)
    select e.account_id, 'event', e.ids[1], case when e.is_session then 's:' else 'r:' end || e.subject_id,
      case when e.is_session then e.subject_id end, case when not e.is_session then e.subject_id::uuid end,
      e.triggers, e.details[1], nullif(current_setting('talkboard.chain', true), '')::jsonb
    from (
      select c.account_id, c.subject_id, h.is_session, array_agg(h.key) as triggers,
        array_agg(c.id order by c.sequence) as ids,
        array_agg(d.detail order by h.key <> 'record_moved', c.sequence) as details
      from created c join automation_listeners l on l.account_id = c.account_id
      cross join lateral (
        select c.event in ('session_rated', 'sla_warning', 'sla_breached') as is_session, key
        from unnest(case c.event
          when 'crm_record_created' then '{record_created}'::text[]
          when 'comment_created' then '{comment_added}'
          when 'task_created' then '{task_due}'
          when 'task_updated' then '{task_due}'
          when 'crm_field_update' then array['field_changed:' || c.field_id,
            case when c.field_id = 'status' then 'record_moved' end]
          when 'session_rated' then array[c.event]
          when 'sla_warning' then array[c.event]
          when 'sla_breached' then array[c.event] end) key
        where key = any(l.triggers)) h
      cross join lateral (select case when c.event in ('crm_record_created', 'comment_created', 'sla_warning', 'sla_breached')
          then null else c.body::jsonb -> 'data' end as data) b
      cross join lateral (select jsonb_strip_nulls(jsonb_build_object('kanbanId', c.kanban_id, 'fieldId', c.field_id,
        'from', case when c.field_id = 'status' then b.data -> 'oldValue' end,
        'to', case when c.field_id = 'status' then b.data -> 'newValue' end,
        'score', b.data -> 'score', 'taskId', b.data -> 'task' -> 'taskId')) as detail) d
      where not automation_is_off(c.account_id)
      group by c.account_id, c.subject_id, h.is_session) e;
  return null;
end $$;
drop trigger automation_events on events;
drop function note_event_cause();
create trigger automation_events after insert on events referencing new table as created
  for each statement execute function note_event_causes();

create or replace function remove_automation_of_session() returns trigger language plpgsql as $$
begin
  -- First what is at work: it may have become a verdict by then.
  delete from automation_causes where account_id = old.account_id and subject = 's:' || old.session_id;
  delete from automation_verdicts where account_id = old.account_id and subject = 's:' || old.session_id;
  delete from automation_runs where account_id = old.account_id and session_id = old.session_id;
  delete from automation_timers where account_id = old.account_id and session_id = old.session_id;
  return null;
end $$;

create or replace function remove_automation_of_record() returns trigger language plpgsql as $$
begin
  delete from automation_causes where account_id = old.account_id and subject = 'r:' || old.id;
  delete from automation_verdicts where account_id = old.account_id and subject = 'r:' || old.id;
  delete from automation_runs where account_id = old.account_id and record_id = old.id and subject = 'r:' || old.id;
  delete from automation_timers where account_id = old.account_id and record_id = old.id;
  return null;
end $$;

create or replace function forget_message_in_automation(account uuid, session text, message uuid) returns void
language plpgsql as $$
begin
  delete from automation_causes c
    where c.account_id = account and c.subject = 's:' || session and c.type = 'message' and c.source_id = message::text;
  delete from automation_verdicts v
    where v.account_id = account and v.subject = 's:' || session and v.type = 'message' and v.source_id = message::text;
  update automation_run_steps s set input = null, output = null, reason = null
    from automation_runs r
    where r.account_id = account and r.session_id = session and s.account_id = account and s.run_id = r.id
      and (r.message_id = message
        or s.effects @> jsonb_build_array(jsonb_build_object('kind', 'message', 'id', message::text)));
end $$;
