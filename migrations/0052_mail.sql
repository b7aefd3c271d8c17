-- E-mail: what threads need, and the original of each message. Ids are stored as hashes: they may be longer than an index
-- takes, and a broken mail program may use one twice.
create table mail_messages (
  account_id uuid not null,
  message_id uuid not null,
  channel_id uuid not null,
  session_id text not null,
  id_hash text,
  is_incoming boolean not null,
  -- Message-ID, References, subject, addresses, date.
  headers jsonb not null,
  original_key uuid,
  created_at bigint not null,
  primary key (account_id, message_id),
  foreign key (account_id, session_id) references sessions (account_id, session_id) on delete cascade
);
create index mail_messages_thread on mail_messages (account_id, channel_id, id_hash);
create index mail_messages_session on mail_messages (account_id, session_id, created_at);
