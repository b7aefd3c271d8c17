-- What each person wants to be told, colleagues who are named in notes, and what the inbox shows of pauses and blocks.

alter table notifications drop constraint notifications_kind_check;
alter table notifications add constraint notifications_kind_check
  check (kind in ('message', 'handover', 'attention', 'mention', 'webhook_disabled'));
-- False: its person wants it pushed, but not in the list.
alter table notifications add column in_page boolean not null default true;
alter table notifications add column sound boolean not null default false;

-- Who has no row hears what contract/realtime.ts has as the default.
create table notification_settings (
  account_id uuid not null,
  user_id uuid not null,
  settings jsonb not null,
  -- Told of every message, also while the AI answers: asked for each message, so it stands outside of `settings`.
  hears_all boolean not null,
  updated_at bigint not null,
  primary key (account_id, user_id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
create index notification_settings_hears_all on notification_settings (account_id) where hears_all;

-- Of a note: [{ "id", "name" }], the name as it stands in the text.
alter table messages add column mentions jsonb;

create function live_note_mentions() returns trigger language plpgsql as $$
begin
  insert into live_changes (account_id, type, subject_id, item_id, user_id)
    select new.account_id, 'note.mentioned', new.session_id, new.id, (m ->> 'id')::uuid
    from jsonb_array_elements(new.mentions) m
    where tg_op = 'INSERT' or not coalesce(old.mentions, '[]') @> jsonb_build_array(jsonb_build_object('id', m -> 'id'));
  return null;
end $$;
-- Messages without mentions, nearly all of them, do not call the function.
create trigger live_mentions_come after insert on messages for each row
  when (new.mentions is not null) execute function live_note_mentions();
create trigger live_mentions_change after update on messages for each row
  when (new.mentions is not null and new.mentions is distinct from old.mentions) execute function live_note_mentions();

-- Whether a conversation is blocked depends on its customer: whoever shows some asks again.
create function live_note_contacts() returns trigger language plpgsql as $$
begin
  insert into live_changes (account_id, type, subject_id)
    select distinct account_id, 'contacts.updated', account_id::text from changed;
  return null;
end $$;
create trigger live_contacts_blocked after insert on blocked_contacts referencing new table as changed
  for each statement execute function live_note_contacts();
create trigger live_contacts_unblocked after delete on blocked_contacts referencing old table as changed
  for each statement execute function live_note_contacts();

-- Who paused the AI of a conversation and who gave it back.
create index events_of_pause on events (account_id, subject_id, sequence) where event = 'ai_pause';
