-- kind: expand
-- Translations of messages and summaries of conversations, shown again without asking the model.
create table copilot_translations (
  account_id uuid not null,
  session_id text not null,
  message_id uuid not null,
  language text not null,
  text text not null,
  primary key (account_id, message_id, language),
  foreign key (account_id, session_id) references sessions (account_id, session_id) on delete cascade
);
create index copilot_translations_session on copilot_translations (account_id, session_id);
-- Of all messages and notes up to the newest, "message_id". The empty language: that of the conversation.
create table copilot_summaries (
  account_id uuid not null,
  session_id text not null,
  language text not null,
  message_id uuid not null,
  text text not null,
  primary key (account_id, session_id, language),
  foreign key (account_id, session_id) references sessions (account_id, session_id) on delete cascade
);
-- A text that is changed, hidden from the AI or removed must not live on in what was made of it.
create function forget_copilot_texts() returns trigger language plpgsql as $$
begin
  delete from copilot_translations where account_id = old.account_id and message_id = old.id;
  delete from copilot_summaries where account_id = old.account_id and session_id = old.session_id;
  return null;
end $$;
create trigger copilot_texts_gone after delete on messages for each row execute function forget_copilot_texts();
create trigger copilot_texts_changed after update on messages for each row
  when (old.content is distinct from new.content or old.attachments is distinct from new.attachments
    or old.is_note_visible_to_ai is distinct from new.is_note_visible_to_ai)
  execute function forget_copilot_texts();
