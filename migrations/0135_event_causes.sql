-- kind: expand
-- Without a sort and a copy of each event, which took a sixth of the time of noting one.
create or replace function note_event_causes() returns trigger language plpgsql as $$
declare
  is_heard boolean;
  is_changed boolean;
  moved record;
begin
  select bool_or(automation_key(c.event) = any(l.triggers)), bool_or(c.event = 'crm_field_update')
    into is_heard, is_changed
    from created c join automation_listeners l on l.account_id = c.account_id;
  if is_heard then
    insert into automation_causes (account_id, type, source_id, subject, session_id, record_id, triggers, detail, chain)
      select c.account_id, 'event', c.id, case when s.is_session then 's:' else 'r:' end || c.subject_id,
        case when s.is_session then c.subject_id end, case when not s.is_session then c.subject_id::uuid end,
        array[automation_key(c.event)],
        case c.event
          when 'session_rated' then jsonb_build_object('score', c.body::jsonb -> 'data' -> 'score')
          when 'task_created' then jsonb_build_object('kanbanId', c.kanban_id, 'taskId', c.body::jsonb #> '{data,task,taskId}')
          when 'task_updated' then jsonb_build_object('kanbanId', c.kanban_id, 'taskId', c.body::jsonb #> '{data,task,taskId}')
          else jsonb_build_object('kanbanId', c.kanban_id) end,
        nullif(current_setting('talkboard.chain', true), '')::jsonb
      from created c join automation_listeners l on l.account_id = c.account_id
      cross join lateral (select c.event in ('session_rated', 'sla_warning', 'sla_breached') as is_session) s
      where automation_key(c.event) = any(l.triggers) and not automation_is_off(c.account_id);
  end if;
  if is_changed then
    for moved in
      select c.account_id, c.subject_id from created c
      where c.event = 'crm_field_update' and c.field_id = 'status' and not automation_is_off(c.account_id)
    loop
      perform cancel_automation_waits(moved.account_id, null, moved.subject_id::uuid, 'record_moved', 'The card was moved.');
    end loop;
    insert into automation_causes (account_id, type, source_id, subject, record_id, triggers, detail, chain)
      select c.account_id, 'event', (array_agg(c.id order by c.sequence))[1], 'r:' || c.subject_id, c.subject_id::uuid,
        array_agg(h.key), (array_agg(d.detail order by h.key <> 'record_moved', c.sequence))[1],
        nullif(current_setting('talkboard.chain', true), '')::jsonb
      from created c join automation_listeners l on l.account_id = c.account_id
      cross join lateral (
        select key from unnest(array['field_changed:' || c.field_id, case when c.field_id = 'status' then 'record_moved' end]) key
        where key = any(l.triggers)) h
      cross join lateral (select case when c.field_id = 'status' then c.body::jsonb -> 'data' end as data) b
      cross join lateral (select jsonb_strip_nulls(jsonb_build_object('kanbanId', c.kanban_id, 'fieldId', c.field_id,
        'from', b.data -> 'oldValue', 'to', b.data -> 'newValue')) as detail) d
      where c.event = 'crm_field_update' and not automation_is_off(c.account_id)
      group by c.account_id, c.subject_id;
  end if;
  return null;
end $$;
