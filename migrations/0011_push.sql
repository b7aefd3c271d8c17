-- Web push: the service's own keys, made at their first use, and the browsers that asked for it.

create table push_keys (
  is_only boolean primary key default true check (is_only),
  public_key text not null,
  -- Sealed with SECRET_KEY.
  private_key text not null,
  created_at bigint not null
);

create table push_subscriptions (
  account_id uuid not null,
  id uuid not null,
  user_id uuid not null,
  endpoint text not null,
  endpoint_hash bytea not null,
  p256dh text not null,
  auth text not null,
  created_at bigint not null,
  primary key (account_id, id),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
-- A browser has one subscription: whoever signed in there last gets its messages.
create unique index push_subscriptions_endpoint on push_subscriptions (endpoint_hash);
create index push_subscriptions_user on push_subscriptions (account_id, user_id, created_at);
