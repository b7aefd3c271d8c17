-- kind: expand
-- Invitations, and links that are used once: to set a new password, or to sign in without one (command line only).

create table invitations (
  account_id uuid not null references accounts (id),
  id uuid not null,
  email text not null,
  role text not null,
  token_hash bytea not null,
  -- The user or token that invited; text, because it may be gone.
  invited_by text not null,
  invited_by_name text not null,
  -- Whether the last link was sent by e-mail.
  is_mailed boolean not null,
  created_at bigint not null,
  sent_at bigint not null,
  expires_at bigint not null,
  primary key (account_id, id)
);
create unique index invitations_email on invitations (account_id, email);
create unique index invitations_token on invitations (token_hash);

create table sign_in_links (
  account_id uuid not null,
  token_hash bytea not null,
  user_id uuid not null,
  kind text not null,
  created_at bigint not null,
  expires_at bigint not null,
  primary key (account_id, token_hash),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
create index sign_in_links_user on sign_in_links (account_id, user_id);
