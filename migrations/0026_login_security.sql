-- Failed logins are also counted per address over all users. Null: booked by a process of an earlier release.
alter table login_failures add column address bytea;
create index login_failures_address on login_failures (address, failed_at);

-- Sessions of users: what a refresh cookie's family is, when it ends for good, and where it is used.
alter table user_sessions
  -- Hash of the part that all cookies of the session share. Null until the first renewal after the upgrade.
  add column family_hash bytea,
  -- How many times the cookie was renewed.
  add column generation int not null default 0,
  -- Renewals do not extend the session beyond this. Null: 90 days after the login.
  add column ends_at bigint,
  add column address text,
  add column user_agent text;
create unique index user_sessions_family on user_sessions (family_hash);
-- Nobody is signed out by the upgrade.
update user_sessions set ends_at = greatest(created_at + 90 * 86400000::bigint, expires_at);

alter table users add column theme text not null default 'system' check (theme in ('light', 'dark', 'system'));
