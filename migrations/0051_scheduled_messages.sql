-- Messages that people have written to be sent later. A row is deleted in the transaction that sends or cancels it.
create table scheduled_messages (
  account_id uuid not null,
  id uuid not null,
  session_id text not null,
  send_at bigint not null,
  content text not null,
  attachments jsonb not null default '[]',
  template jsonb,
  reply_to_message_id uuid,
  pause_ai boolean not null,
  cancel_on_reply boolean not null,
  -- Who is named as the author; a token's messages are those of its user, who hears of a failure.
  author_id text not null,
  author_name text not null,
  user_id uuid,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id),
  foreign key (account_id, session_id) references sessions (account_id, session_id) on delete cascade
);
create index scheduled_messages_due on scheduled_messages (send_at);
create index scheduled_messages_session on scheduled_messages (account_id, session_id, send_at, id);
