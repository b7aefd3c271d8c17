-- Which account owns a web channel's identifier, how much storage an account uses, and how many AI replies it got today.

-- What processes of the earlier release change meanwhile would be missed by the triggers below.
lock table channels, attachments, imports in share row exclusive mode;

-- The first web channel of the instance that used an identifier. A row is never given to another channel: sites embed
-- the widget by this name, and whoever could take the name over would receive their visitors.
create table web_identifiers (
  identifier text primary key,
  account_id uuid not null,
  channel_id uuid not null,
  first_used_at bigint not null,
  -- The channel was renamed, deleted or given another type: from then on the identifier resolves to no channel.
  retired_at bigint
);
insert into web_identifiers (identifier, account_id, channel_id, first_used_at)
  select distinct on (identifier) identifier, account_id, id, created_at
  from channels where type = 'web' order by identifier, created_at, id;

-- A trigger, because channels are written by several features (the demo deletes its own).
create function track_web_identifier() returns trigger language plpgsql as $$
declare
  v_now bigint := (extract(epoch from clock_timestamp()) * 1000)::bigint;
begin
  if tg_op <> 'INSERT' and old.type = 'web'
    and (tg_op = 'DELETE' or new.type <> 'web' or new.identifier <> old.identifier) then
    update web_identifiers set retired_at = v_now
      where identifier = old.identifier and account_id = old.account_id and channel_id = old.id and retired_at is null;
  end if;
  if tg_op <> 'DELETE' and new.type = 'web' then
    insert into web_identifiers (identifier, account_id, channel_id, first_used_at)
      values (new.identifier, new.account_id, new.id, v_now)
      on conflict (identifier) do nothing;
  end if;
  return null;
end $$;
create trigger channels_web_identifier after insert or update of identifier, type or delete on channels
  for each row execute function track_web_identifier();

-- The widget names its channel by id before the account is known.
drop index channels_of_sites;
create index channels_web_id on channels (id) where type = 'web';

alter table accounts add column max_storage_bytes bigint not null default 21474836480;
alter table accounts add column ai_replies_per_day int not null default 20000;

-- Bytes of an account's files: announced and stored attachments, what was derived from them, and import files. Kept by
-- triggers in the transaction that changes the file's row, so it cannot drift.
create table storage_usage (
  account_id uuid primary key references accounts (id) on delete cascade,
  bytes bigint not null
);
insert into storage_usage (account_id, bytes)
  select account_id, sum(bytes) from (
    select account_id, size + coalesce(thumbnail_size, 0) as bytes from attachments
    union all select account_id, file_bytes from imports) as files
  group by account_id;

create function add_storage_usage(p_account uuid, p_bytes bigint) returns void language plpgsql as $$
begin
  if p_bytes > 0 then
    insert into storage_usage as u (account_id, bytes) values (p_account, p_bytes)
      on conflict (account_id) do update set bytes = u.bytes + excluded.bytes;
  elsif p_bytes < 0 then
    update storage_usage set bytes = bytes + p_bytes where account_id = p_account;
  end if;
end $$;

create function track_attachment_bytes() returns trigger language plpgsql as $$
begin
  if tg_op <> 'DELETE' then
    perform add_storage_usage(new.account_id, new.size + coalesce(new.thumbnail_size, 0)
      - case tg_op when 'UPDATE' then old.size + coalesce(old.thumbnail_size, 0) else 0 end);
  else
    perform add_storage_usage(old.account_id, -(old.size + coalesce(old.thumbnail_size, 0)));
  end if;
  return null;
end $$;
create trigger attachments_bytes after insert or delete or update of size, thumbnail_size on attachments
  for each row execute function track_attachment_bytes();

create function track_import_bytes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform add_storage_usage(new.account_id, new.file_bytes);
  else
    perform add_storage_usage(old.account_id, -old.file_bytes);
  end if;
  return null;
end $$;
create trigger imports_bytes after insert or delete on imports
  for each row execute function track_import_bytes();

-- Whether `p_bytes` more fit. Locks the counter until the transaction ends: of two uploads at once the second one sees
-- what the first one added.
create function has_storage_room(p_account uuid, p_bytes bigint) returns boolean language plpgsql as $$
declare
  v_used bigint;
begin
  insert into storage_usage (account_id, bytes) values (p_account, 0) on conflict (account_id) do nothing;
  select bytes into v_used from storage_usage where account_id = p_account for update;
  return v_used + p_bytes <= (select max_storage_bytes from accounts where id = p_account);
end $$;

-- Uploads of visitors by UTC day, one row per visitor and one per channel. Only the latest day is kept.
create table widget_upload_usage (
  account_id uuid not null references accounts (id) on delete cascade,
  -- `visitor/<session id>` or `channel/<channel id>`
  subject text not null,
  day date not null,
  bytes bigint not null,
  primary key (account_id, subject)
);
create index widget_upload_usage_day on widget_upload_usage (day);

-- False: the subject would pass its limit of the day, and nothing was added. A process whose clock is behind midnight
-- counts on the later day.
create function add_widget_upload(p_account uuid, p_subject text, p_day date, p_bytes bigint, p_limit bigint)
returns boolean language plpgsql as $$
begin
  insert into widget_upload_usage as u (account_id, subject, day, bytes) values (p_account, p_subject, p_day, p_bytes)
    on conflict (account_id, subject) do update
      set day = greatest(u.day, excluded.day),
        bytes = case when u.day >= excluded.day then u.bytes else 0 end + excluded.bytes
      where case when u.day >= excluded.day then u.bytes else 0 end + excluded.bytes <= p_limit;
  return found;
end $$;

-- AI replies by UTC day. Only the latest day is kept.
create table ai_reply_usage (
  account_id uuid primary key references accounts (id) on delete cascade,
  day date not null,
  replies int not null
);
-- The day on which the reply to this message was counted; a worker that repeats the work does not count it twice.
alter table pending_replies add column counted_on date;

-- Counts one AI reply for these pending messages, unless they were counted already. `refused_by` is `visitor` or
-- `account` where a limit is reached, and null where the reply may be made. Rows are locked in the order of a commit of
-- the reply: permission, then counters. The commit is asynchronous: a crash of the database forgets the mark and the
-- count together.
create function admit_ai_reply(
  p_account uuid, p_session text, p_messages uuid[], p_day date, p_visitor_limit int,
  out refused_by text, out limit_of int
) language plpgsql as $$
declare
  v_counted int;
  v_day date;
begin
  perform set_config('synchronous_commit', 'off', true);
  perform from pending_replies
    where account_id = p_account and session_id = p_session and message_id = any(p_messages)
    order by position for update;
  -- Taken away meanwhile: the commit of the reply notices.
  if not found then return; end if;
  select count(counted_on) into v_counted from pending_replies
    where account_id = p_account and session_id = p_session and message_id = any(p_messages);
  if v_counted > 0 then return; end if;
  if exists (
    select from sessions s join channels c on c.account_id = s.account_id and c.id = s.channel_id
    where s.account_id = p_account and s.session_id = p_session and c.type = 'web') then
    if (select granted = 0 from take_permits(p_account, 'widget-ai:' || p_session, array[p_visitor_limit],
        array[3600], p_account, 0, 1, 0)) then
      refused_by := 'visitor';
      limit_of := p_visitor_limit;
      return;
    end if;
  end if;
  select ai_replies_per_day into limit_of from accounts where id = p_account;
  insert into ai_reply_usage as u (account_id, day, replies) values (p_account, p_day, 1)
    on conflict (account_id) do update
      set day = greatest(u.day, excluded.day),
        replies = case when u.day >= excluded.day then u.replies else 0 end + 1
      where u.day < excluded.day or u.replies < limit_of
    returning day into v_day;
  if not found then
    refused_by := 'account';
    return;
  end if;
  update pending_replies set counted_on = v_day
    where account_id = p_account and session_id = p_session and message_id = any(p_messages);
end $$;
