-- Tasks and comments on records. Both have the board of their record, which never changes: it decides who may see them,
-- also after the record is gone.

create table tasks (
  account_id uuid not null,
  id uuid not null,
  record_id uuid not null,
  kanban_id uuid not null,
  title text not null,
  due_at bigint,
  assigned_user_id uuid,
  remind_at bigint,
  done_at bigint,
  done_by text,
  created_by text not null,
  updated_by text not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id),
  foreign key (account_id, record_id) references records (account_id, id) on delete cascade,
  foreign key (account_id, assigned_user_id) references users (account_id, id) on delete set null (assigned_user_id)
);
create index tasks_of_record on tasks (account_id, record_id, created_at, id);
create index tasks_open_of_record on tasks (account_id, record_id, due_at) where done_at is null;
-- 253402300800000 is the year 10000: tasks without a date are last.
create index tasks_open on tasks (account_id, assigned_user_id, coalesce(due_at, 253402300800000), created_at, id)
  where done_at is null;
create index tasks_due on tasks (account_id, coalesce(due_at, 253402300800000), created_at, id);
create index tasks_done on tasks (account_id, assigned_user_id, done_at desc, id desc) where done_at is not null;

create table record_comments (
  account_id uuid not null,
  id uuid not null,
  record_id uuid not null,
  kanban_id uuid not null,
  content text not null,
  -- [{ "id", "name" }], the name as it is in the text; null: nobody.
  mentions jsonb,
  created_by text not null,
  created_by_name text not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id),
  foreign key (account_id, record_id) references records (account_id, id) on delete cascade
);
create index record_comments_of_record on record_comments (account_id, record_id, created_at, id);

create function live_note_task() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    insert into live_changes (account_id, type, subject_id, item_id, kanban_id)
      values (old.account_id, 'task.deleted', old.record_id, old.id, old.kanban_id);
    return null;
  end if;
  insert into live_changes (account_id, type, subject_id, item_id, kanban_id)
    values (new.account_id, case tg_op when 'INSERT' then 'task.created' else 'task.updated' end, new.record_id, new.id,
      new.kanban_id);
  if new.assigned_user_id is not null and new.done_at is null
    and (tg_op = 'INSERT' or new.assigned_user_id is distinct from old.assigned_user_id) then
    insert into live_changes (account_id, type, subject_id, item_id, user_id, detail)
      values (new.account_id, 'task.assigned', new.record_id, new.id, new.assigned_user_id, new.updated_by);
  end if;
  return null;
end $$;
create trigger live_tasks after insert or update or delete on tasks
  for each row execute function live_note_task();

create function live_note_comment() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    insert into live_changes (account_id, type, subject_id, item_id, kanban_id)
      values (old.account_id, 'comment.deleted', old.record_id, old.id, old.kanban_id);
    return null;
  end if;
  insert into live_changes (account_id, type, subject_id, item_id, kanban_id)
    values (new.account_id, case tg_op when 'INSERT' then 'comment.created' else 'comment.updated' end, new.record_id,
      new.id, new.kanban_id);
  insert into live_changes (account_id, type, subject_id, item_id, user_id)
    select new.account_id, 'comment.mentioned', new.record_id, new.id, (m ->> 'id')::uuid
    from jsonb_array_elements(coalesce(new.mentions, '[]')) m
    where tg_op = 'INSERT' or not coalesce(old.mentions, '[]') @> jsonb_build_array(jsonb_build_object('id', m -> 'id'));
  return null;
end $$;
create trigger live_comments after insert or update or delete on record_comments
  for each row execute function live_note_comment();

-- Events of tasks and comments count on the record, which itself does not change.
drop trigger live_records on records;
create trigger live_records after update on records for each row
  when (old.event_sequence <> new.event_sequence and old.changed_xid <> new.changed_xid)
  execute function live_note_record();

alter table notifications drop constraint notifications_kind_check;
alter table notifications add constraint notifications_kind_check check (kind in
  ('message', 'handover', 'attention', 'mention', 'webhook_disabled', 'task_reminder', 'task_assigned', 'comment_mention'));
-- The record of a task or a comment.
alter table notifications add column record_id uuid;
