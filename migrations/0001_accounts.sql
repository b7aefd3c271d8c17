-- Accounts, their users and tokens. Every key begins with account_id, so that another account's id can neither be
-- read by accident nor be referenced, and so that the schema can be distributed by account.

create table accounts (
  id uuid primary key,
  name text not null,
  crm_per_minute int not null,
  crm_per_hour int not null,
  messages_per_minute int not null,
  -- Raised by every change of boards, statuses, fields and members: what caches of them are checked against.
  definitions_version bigint not null default 1,
  created_at bigint not null
);

create table users (
  account_id uuid not null references accounts (id),
  id uuid not null,
  email text not null,
  name text not null,
  role text not null check (role in ('admin', 'operator')),
  password_hash text not null,
  is_instance_admin boolean not null default false,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id)
);
create unique index users_email on users (email);

-- A login: the JWT names it, so that ending it ends the JWT too.
create table user_sessions (
  account_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  refresh_hash bytea not null,
  -- The cookie before the last renewal stays good for a moment: two tabs may renew at once.
  previous_refresh_hash bytea,
  refreshed_at bigint not null,
  expires_at bigint not null,
  created_at bigint not null,
  primary key (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
create unique index user_sessions_refresh on user_sessions (refresh_hash);
create index user_sessions_previous_refresh on user_sessions (previous_refresh_hash);
create index user_sessions_user on user_sessions (account_id, user_id);

create table api_tokens (
  account_id uuid not null references accounts (id),
  id uuid not null,
  name text not null,
  scopes text[] not null,
  token_hash bytea not null,
  expires_at bigint,
  created_at bigint not null,
  created_by text not null,
  last_used_at bigint,
  primary key (account_id, id)
);
create unique index api_tokens_hash on api_tokens (token_hash);

create table login_failures (
  -- A hash of the caller's address and the e-mail address tried.
  who bytea not null,
  id uuid not null,
  failed_at bigint not null,
  -- The password is still being looked at: it will turn out a failure or be taken away.
  is_open boolean not null,
  primary key (who, id)
);
create index login_failures_who on login_failures (who, failed_at);

create table audit_log (
  account_id uuid not null references accounts (id),
  id uuid not null,
  at bigint not null,
  actor_type text not null,
  actor_id text not null,
  actor_name text not null,
  action text not null,
  target_type text not null,
  target_id text not null,
  changes jsonb not null,
  primary key (account_id, id)
);
