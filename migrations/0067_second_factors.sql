-- kind: expand
-- Second factors of users: codes of an app, passkeys and recovery codes. They go with their user.

create table user_totp (
  account_id uuid not null,
  user_id uuid not null,
  -- Sealed.
  secret text not null,
  -- Null: being set up, a code of the app has not been entered yet.
  confirmed_at bigint,
  -- Of the newest code that was used: it and all before it are used up.
  last_step bigint,
  created_at bigint not null,
  primary key (account_id, user_id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);

create table user_recovery_codes (
  account_id uuid not null,
  user_id uuid not null,
  -- A code that was used has no row.
  code_hash bytea not null,
  primary key (account_id, user_id, code_hash),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);

create table user_passkeys (
  account_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  name text not null,
  credential_id text not null,
  public_key bytea not null,
  -- Of the authenticator; 0 if it does not count.
  counter bigint not null,
  transports text[] not null,
  created_at bigint not null,
  last_used_at bigint,
  primary key (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
create unique index user_passkeys_credential on user_passkeys (account_id, credential_id);
create index user_passkeys_user on user_passkeys (account_id, user_id);

-- Signed tickets and challenges that were used, until they would have expired.
create table spent_sign_in_tickets (
  account_id uuid not null,
  ticket_hash bytea not null,
  expires_at bigint not null,
  primary key (account_id, ticket_hash)
);
create index spent_sign_in_tickets_expiry on spent_sign_in_tickets (expires_at);

-- How it began: 'oidc' (the provider asks for a second factor, not this service) or 'login_link'. Null: otherwise.
alter table user_sessions add column method text;

-- Whoever has no second factor may only set one up.
alter table accounts add column requires_factor boolean not null default false;
