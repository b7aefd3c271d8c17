-- kind: expand
-- Sign-in with an OpenID Connect provider: who a user is there, and which sign-ins have ended.

create table user_identities (
  account_id uuid not null,
  user_id uuid not null,
  issuer text not null,
  subject text not null,
  linked_at bigint not null,
  -- A user is linked to one subject of an issuer, once.
  primary key (account_id, user_id, issuer),
  foreign key (account_id, user_id) references users (account_id, id) on delete cascade
);
create unique index user_identities_subject on user_identities (issuer, subject);

-- In the home cell only. A sign-in that has ended cannot be repeated with the same browser cookie.
create table oidc_used_states (
  state_hash bytea primary key,
  expires_at bigint not null
);
create index oidc_used_states_expires on oidc_used_states (expires_at);
