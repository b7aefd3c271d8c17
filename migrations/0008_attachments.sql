-- Files that are sent along with messages. The bytes stand in the store; a row is written before they come, so that
-- nothing in the store is without one.

create table attachments (
  account_id uuid not null references accounts (id),
  file_key uuid not null,
  file_name text not null,
  -- As it was declared, parameters too; the bytes were checked against it.
  content_type text not null,
  size bigint not null,
  -- pending: an upload is expected. removing: nobody may use it any more, its bytes are being deleted.
  state text not null default 'pending' check (state in ('pending', 'stored', 'removing')),
  created_at bigint not null,
  -- When a message first named it; never used ones are removed after a day.
  used_at bigint,
  -- Made by us out of another one (converted audio).
  derived_from uuid,
  -- Pictures: as they are seen, turned upright. A thumbnail is there when its size is.
  width int,
  height int,
  thumbnail_size int,
  -- Audio: what the messages that name the file get as `converted` and `transcript`. Once for each file.
  converted jsonb,
  transcript jsonb,
  primary key (account_id, file_key)
);
create index attachments_unused on attachments (created_at) where used_at is null;
