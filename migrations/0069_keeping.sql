-- kind: expand
-- How long an account keeps its data, suspended accounts, accounts that are being deleted, and what keeps an erased
-- person from coming back.

alter table accounts add column suspended_at bigint;
alter table accounts add column suspended_reason text;
-- It is suspended too. The row goes last.
alter table accounts add column deleting_at bigint;
create index accounts_suspended on accounts (id) where suspended_at is not null;

-- Null: kept without an end. Events have accounts.webhook_log_days.
create table retention (
  account_id uuid primary key,
  message_days integer,
  file_days integer,
  audit_days integer,
  reply_log_days integer,
  ran_at bigint,
  -- What the last run that has ended removed.
  removed jsonb not null default '{}',
  foreign key (account_id) references accounts (id)
);

-- Keyed hashes of what a provider may deliver again, of erased people.
create table connector_erased_keys (
  account_id uuid not null,
  channel_id uuid not null,
  key_hash text not null,
  erased_at bigint not null,
  primary key (account_id, channel_id, key_hash)
);
create index connector_erased_keys_at on connector_erased_keys (erased_at);
