-- kind: expand
-- What the directory of an instance with several databases (CELLS) knows besides. Used in the home cell only.

-- Addresses of the chat widget and of connectors name a channel and no account. Channels of the home cell are found in
-- channels.
create table cell_channels (
  channel_id uuid primary key,
  account_id uuid not null
);

-- An account is noted here before its cell creates it. Set: it is not known yet whether that has happened.
alter table cell_accounts add column reserved_at timestamptz;
-- Of the request that creates it: when that request is repeated, it continues with the same account.
alter table cell_accounts add column request_hash bytea;
create index cell_accounts_reserved on cell_accounts (reserved_at) where reserved_at is not null;
create index cell_accounts_request on cell_accounts (request_hash) where request_hash is not null;
