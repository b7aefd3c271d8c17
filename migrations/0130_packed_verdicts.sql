-- kind: expand
-- Reading JSON was most of what adding a verdict cost: a text is only read by those who show it.
create function packed_verdicts(verdicts jsonb, out rule_ids uuid[], out matched_ids uuid[], out packed text)
language sql immutable as $$
  select array_agg((v ->> 'ruleId')::uuid order by n),
    coalesce(array_agg((v ->> 'ruleId')::uuid order by n) filter (where (v -> 'matched')::boolean), '{}'),
    json_agg(json_build_array(v -> 'version', v -> 'at', v -> 'reason', v -> 'runId', v -> 'missed') order by n)::text
  from jsonb_array_elements(verdicts) with ordinality e (v, n)
$$;

-- Of each rule, in their order: [version, at, reason, runId, missed].
alter table automation_verdicts add column rule_ids uuid[], add column matched_ids uuid[], add column packed text;
update automation_verdicts a set rule_ids = p.rule_ids, matched_ids = p.matched_ids, packed = p.packed
from automation_verdicts v cross join lateral packed_verdicts(v.verdicts) p where a.ctid = v.ctid;
alter table automation_verdicts drop column verdicts, alter column rule_ids set not null,
  alter column matched_ids set not null, alter column packed set not null;

create or replace function move_ended_causes() returns void language sql as $$
  with ended as (
    delete from automation_causes where not is_open
    returning account_id, seq, id, type, source_id, subject, session_id, record_id, at, verdicts)
  insert into automation_verdicts (account_id, id, type, source_id, subject, session_id, record_id, at, rule_ids,
    matched_ids, packed)
  select account_id, id, type, source_id, subject, session_id, record_id, at, p.rule_ids, p.matched_ids, p.packed
  from ended e cross join lateral packed_verdicts(e.verdicts) p where e.verdicts <> '[]' and type <> 'run' order by seq
$$;

-- Most statements write one kind of event, and each of those is a cause. Only changes of fields come several at once for a
-- record: they are one cause, with what the status says.
create function automation_key(event text) returns text language sql immutable as $$
  select case event
    when 'crm_record_created' then 'record_created'
    when 'comment_created' then 'comment_added'
    when 'task_created' then 'task_due'
    when 'task_updated' then 'task_due'
    when 'session_rated' then event
    when 'sla_warning' then event
    when 'sla_breached' then event end
$$;

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
      select c.account_id, 'event', c.id, case when c.is_session then 's:' else 'r:' end || c.subject_id,
        case when c.is_session then c.subject_id end, case when not c.is_session then c.subject_id::uuid end,
        array[c.key],
        case c.key
          when 'session_rated' then jsonb_build_object('score', c.body::jsonb -> 'data' -> 'score')
          when 'task_due' then jsonb_strip_nulls(jsonb_build_object('kanbanId', c.kanban_id,
            'taskId', c.body::jsonb -> 'data' -> 'task' -> 'taskId'))
          else jsonb_build_object('kanbanId', c.kanban_id) end,
        nullif(current_setting('talkboard.chain', true), '')::jsonb
      from (select e.*, automation_key(e.event) as key, e.event in ('session_rated', 'sla_warning', 'sla_breached') as is_session
        from created e) c
      join automation_listeners l on l.account_id = c.account_id
      where c.key = any(l.triggers) and not automation_is_off(c.account_id)
      order by c.subject_id, c.sequence;
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
