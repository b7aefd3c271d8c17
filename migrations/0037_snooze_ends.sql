-- The worker asks every second which snoozes have ended.
create index sessions_snooze_ends on sessions (snoozed_until) where snoozed_until is not null;

alter table notifications drop constraint notifications_kind_check;
alter table notifications add constraint notifications_kind_check
  check (kind in ('message', 'handover', 'attention', 'snooze_ended', 'mention', 'webhook_disabled', 'task_reminder',
    'task_assigned', 'comment_mention'));

-- As in migration 0010, with the end of a snooze.
create or replace function live_note_session() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    insert into live_changes (account_id, type, subject_id, kanban_id)
      values (old.account_id, 'session.removed', old.session_id, old.kanban_id);
  elsif tg_op = 'INSERT' then
    insert into live_changes (account_id, type, subject_id, kanban_id)
      values (new.account_id, 'session.created', new.session_id, new.kanban_id);
  else
    insert into live_changes (account_id, type, subject_id, kanban_id, left_kanban_id, detail)
      values (new.account_id, 'session.updated', new.session_id, new.kanban_id,
        nullif(old.kanban_id, new.kanban_id),
        case
          when new.needs_attention and not old.needs_attention
            then case when new.ai_paused then 'handover' else 'attention' end
          when old.status = 'snoozed' and new.status = 'open' and new.status_changed_by ->> 'type' = 'system'
            then 'snooze_ended'
        end);
  end if;
  return null;
end $$;
