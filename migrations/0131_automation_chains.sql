-- kind: expand
-- What a rule has led to later keeps its chain: dates and tasks that it set, and the end of a snooze.
alter table automation_timers add column chain jsonb;
alter table sessions add column snooze_chain jsonb;

create function keep_snooze_chain() returns trigger language plpgsql as $$
begin
  new.snooze_chain := nullif(current_setting('talkboard.chain', true), '')::jsonb;
  return new;
end $$;
create trigger automation_snoozes before update on sessions for each row
  when (new.status = 'snoozed'
    and (old.status <> 'snoozed' or new.snoozed_until is distinct from old.snoozed_until))
  execute function keep_snooze_chain();

create or replace function note_session_causes() returns trigger language plpgsql as $$
declare
  change record;
  what text[];
begin
  if not exists (select from automation_listeners l where l.account_id in (select c.account_id from created c)) then
    return null;
  end if;
  if automation_is_off((select c.account_id from created c limit 1)) then return null; end if;
  for change in
    select c.account_id, c.session_id, c.sequence, c.changes, c.changed_by, l.triggers,
      c.changes @? '$[*] ? (@.field == "status")' as has_status,
      c.changes @? '$[*] ? (@.field == "status" && @.newValue == "resolved")' as is_resolved,
      c.changes @? '$[*] ? (@.field == "status" && @.oldValue == "snoozed")' as is_woken,
      c.changes @? '$[*] ? ((@.field == "assignedUserId" || @.field == "teamId") && @.newValue != null)' as is_assigned,
      c.changes @? '$[*] ? (@.field == "personRequested" && @.newValue == true)' as is_requested,
      labels.old_ids, labels.new_ids
    from created c join automation_listeners l on l.account_id = c.account_id
    left join lateral (
      select array(select jsonb_array_elements_text(e -> 'oldValue')) as old_ids,
        array(select jsonb_array_elements_text(e -> 'newValue')) as new_ids
      from jsonb_array_elements(c.changes) e where e ->> 'field' = 'labelIds') labels on true
    order by c.session_id, c.sequence
  loop
    if change.is_resolved then
      perform cancel_automation_waits(change.account_id, change.session_id, null, 'session_resolved',
        'The conversation was resolved.');
    end if;
    what := array_remove(array[
      case when change.has_status then 'session_status_changed' end,
      case when change.is_assigned then 'session_assigned' end,
      case when change.is_requested then 'ai_handed_over' end,
      case when not change.new_ids <@ change.old_ids then 'label_added' end,
      case when not change.old_ids <@ change.new_ids then 'label_removed' end], null);
    if change.triggers && what then
      insert into automation_causes (account_id, type, source_id, subject, session_id, triggers, detail, chain)
      values (change.account_id, 'session_change', change.session_id || ':' || change.sequence,
        's:' || change.session_id, change.session_id, what, jsonb_build_object('changes', change.changes),
        case when change.is_woken and change.changed_by ->> 'type' = 'system'
          -- The snooze has ended by itself.
          then (select s.snooze_chain from sessions s
            where s.account_id = change.account_id and s.session_id = change.session_id)
          else nullif(current_setting('talkboard.chain', true), '')::jsonb end);
    end if;
  end loop;
  return null;
end $$;

-- Imports start no rules, but the dates that they bring come one day: the rules that wait for dates look once more.
create function arm_automation_dates(account uuid) returns void language plpgsql as $$
declare
  rule uuid;
begin
  for rule in select a.id from automations a
    where a.account_id = account and a.enabled and a.trigger ->> 'on' = 'date_field'
  loop
    -- One that nobody has begun with sees what this transaction writes, because it is locked until then.
    perform from automation_causes c
      where c.account_id = account and c.subject = 'x:' || rule and c.is_open and c.lease_token is null
        and c.triggers = '{arm}'
      for update skip locked;
    if not found then
      insert into automation_causes (account_id, type, source_id, subject, triggers, rule_id)
      values (account, 'timer', rule, 'x:' || rule, '{arm}', rule);
    end if;
  end loop;
end $$;
