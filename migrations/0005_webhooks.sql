-- Where events are sent. A channel's message webhook is an endpoint too (kind channel, id of the channel), so that it
-- has the same queue, log, retries and replay.
create table webhooks (
  account_id uuid not null references accounts (id),
  id uuid not null,
  kind text not null check (kind in ('webhook', 'channel')),
  url text not null,
  description text not null default '',
  events text[] not null,
  -- Empty: no filter.
  kanban_ids uuid[] not null default '{}',
  field_ids text[] not null default '{}',
  enabled boolean not null default true,
  -- Why and since when it is disabled: by a person, by a 410, by 120 hours without success.
  disabled_reason text,
  disabled_at bigint,
  -- Sealed with SECRET_KEY. A previous one signs along for a day after its rotation: [{ secret, until }].
  secret text not null,
  previous_secrets jsonb not null default '[]',
  -- The moment of the last success, or of the creation or enabling: what "no success for 120 hours" counts from.
  healthy_at bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id)
);

-- The filters as they were at each time: why an event did not go to an endpoint can be told after a change too.
create table webhook_filters (
  account_id uuid not null,
  webhook_id uuid not null,
  since bigint not null,
  events text[] not null,
  kanban_ids uuid[] not null,
  field_ids text[] not null,
  primary key (account_id, webhook_id, since),
  foreign key (account_id, webhook_id) references webhooks (account_id, id) on delete cascade
);

-- Set: the event is for this endpoint alone (message webhooks, test events).
alter table events add column endpoint_id uuid;
-- A session's message webhooks go out in order; the session's id, or null where order does not matter.
alter table events add column order_key text;

create table webhook_deliveries (
  account_id uuid not null,
  id uuid not null,
  event_id uuid not null,
  webhook_id uuid not null,
  status text not null check (status in ('pending', 'retrying', 'delivered', 'exhausted', 'held')),
  -- Goes out even while the endpoint is disabled (a test).
  forced boolean not null default false,
  order_key text,
  sequence int not null,
  -- Of the present round: a redelivery begins a new one.
  attempts int not null default 0,
  next_attempt_at timestamptz not null default now(),
  lease_token uuid,
  -- When the event happened.
  created_at bigint not null,
  primary key (account_id, id),
  unique (account_id, event_id, webhook_id),
  foreign key (account_id, event_id) references events (account_id, id) on delete cascade,
  constraint webhook_deliveries_endpoint
    foreign key (account_id, webhook_id) references webhooks (account_id, id) on delete cascade
);
create index webhook_deliveries_due on webhook_deliveries (account_id, webhook_id, next_attempt_at)
  where status in ('pending', 'retrying') and lease_token is null;
create index webhook_deliveries_order on webhook_deliveries (account_id, webhook_id, order_key, sequence)
  where status in ('pending', 'retrying') and order_key is not null;
create index webhook_deliveries_leased on webhook_deliveries (lease_token) where lease_token is not null;
create index webhook_deliveries_log on webhook_deliveries (account_id, webhook_id, created_at desc, id desc);
-- What an administrator looks for among many that went well; what goes well never touches it.
create index webhook_deliveries_troubled on webhook_deliveries (account_id, webhook_id, status, created_at desc, id desc)
  where status in ('exhausted', 'held');

create table webhook_attempts (
  account_id uuid not null,
  delivery_id uuid not null,
  at bigint not null,
  duration_ms int not null,
  status_code int,
  error text,
  response text,
  foreign key (account_id, delivery_id) references webhook_deliveries (account_id, id) on delete cascade
);
create index webhook_attempts_delivery on webhook_attempts (account_id, delivery_id, at);

-- Delivering processes that live. One row to renew instead of one per claimed delivery; what a process had claimed
-- is free again as soon as its row is gone.
create table delivery_workers (
  token uuid primary key,
  alive_until timestamptz not null
);

alter table accounts add column webhook_log_days int not null default 30;
create index events_created on events (account_id, created_at);
