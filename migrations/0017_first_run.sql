-- A newcomer's first steps, the demo, and a receiver to try webhooks with.

-- The steps that were seen done, by name with their time, so that a token that is revoked later undoes nothing.
create table first_run (
  account_id uuid primary key references accounts (id),
  steps jsonb not null default '{}',
  dismissed_at bigint
);

-- What the demo made is known by the audit log; this says since when it is there, and so what came after it.
create table demos (
  account_id uuid primary key references accounts (id),
  filled_at bigint not null,
  channel_ids uuid[] not null
);

-- One receiver for each account. Whoever sends to it knows its key and nothing else.
create table webhook_inboxes (
  account_id uuid primary key references accounts (id),
  key text not null,
  created_at bigint not null,
  expires_at bigint not null
);
create unique index webhook_inboxes_key on webhook_inboxes (key);

create table webhook_inbox_requests (
  account_id uuid not null references webhook_inboxes (account_id) on delete cascade,
  id uuid not null,
  received_at bigint not null,
  -- json, not jsonb: in the order in which they came.
  headers json not null,
  -- As it came, cut where it is longer than what is kept.
  body text not null,
  size int not null,
  signature text not null check (signature in ('valid', 'invalid', 'missing', 'unknown')),
  primary key (account_id, id)
);
