-- Connectors: a channel that reaches its provider without another program, and what came in through it.
alter table channels add column enabled boolean not null default true;

-- The state is not part of the account's configuration: it changes without a change of `definitions_version`.
create table connectors (
  account_id uuid not null,
  channel_id uuid not null,
  kind text not null,
  settings jsonb not null,
  credentials text not null,
  -- Sent to the provider, which sends it back where it signs nothing.
  secret text not null,
  -- Changes with the settings, and with every connect and disconnect: work of an earlier version changes no state.
  version bigint not null default 1,
  state text not null check (state in ('connecting', 'connected', 'waiting_for_scan', 'error', 'disconnected')),
  last_error text,
  scan jsonb,
  last_inbound_at bigint,
  last_outbound_at bigint,
  polls boolean not null default false,
  poll_cursor text,
  poller uuid,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, channel_id),
  foreign key (account_id, channel_id) references channels (account_id, id) on delete cascade
);
-- The inbound address names no account.
create unique index connectors_channel on connectors (channel_id);
create index connectors_polled on connectors (poller) where polls and state = 'connected';

-- One row for each process that polls: a channel whose poller is not alive is free.
create table connector_pollers (
  id uuid primary key,
  alive_until timestamptz not null
);

-- What a provider delivered, as it came. A row is deleted when it has been split into items.
create table connector_inbound (
  account_id uuid not null,
  channel_id uuid not null,
  id uuid not null,
  body text not null,
  received_at bigint not null,
  failed_at bigint,
  reason text,
  primary key (account_id, channel_id, id),
  foreign key (account_id, channel_id) references connectors (account_id, channel_id) on delete cascade
);
create index connector_inbound_waiting on connector_inbound (id) where failed_at is null;

-- Messages, edits, reactions and so on. `key` makes each unique on its channel; `item` is null once it is done.
create table connector_items (
  account_id uuid not null,
  channel_id uuid not null,
  key text not null,
  id uuid not null,
  customer text not null,
  type text not null,
  -- The provider's order within the conversation.
  place double precision,
  media_group text,
  -- The provider's id of the message itself, or of the one that an edit or a reaction is about.
  provider_msg_id text,
  item jsonb,
  summary text not null default '',
  -- early: it is about a message that has not come yet.
  state text not null check (state in ('waiting', 'early', 'done', 'dropped', 'failed')),
  reason text,
  attempts int not null default 0,
  session_id text,
  message_id uuid,
  received_at bigint not null,
  done_at bigint,
  primary key (account_id, channel_id, key),
  foreign key (account_id, channel_id) references connectors (account_id, channel_id) on delete cascade
);
create unique index connector_items_id on connector_items (account_id, id);
create index connector_items_log on connector_items (account_id, channel_id, id);
create index connector_items_waiting on connector_items (account_id, channel_id, customer, id) where state = 'waiting';
create index connector_items_message on connector_items (account_id, channel_id, provider_msg_id);
create index connector_items_place on connector_items (account_id, channel_id, session_id, place)
  where state = 'done' and type = 'message';
create index connector_items_done on connector_items (done_at) where done_at is not null;

-- Administrators are notified of it.
create function live_note_connector() returns trigger language plpgsql as $$
begin
  insert into live_changes (account_id, type, subject_id, detail)
    values (new.account_id, 'connector.failed', new.channel_id, new.last_error);
  return null;
end $$;
create trigger live_connectors after update on connectors for each row
  when (old.state <> 'error' and new.state = 'error') execute function live_note_connector();

alter table notifications drop constraint notifications_kind_check;
alter table notifications add constraint notifications_kind_check
  check (kind in ('message', 'handover', 'attention', 'snooze_ended', 'mention', 'assigned', 'webhook_disabled',
    'connector_failed', 'task_reminder', 'task_assigned', 'comment_mention')) not valid;
