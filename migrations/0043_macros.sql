-- Macros. `steps` refers to users, teams, boards and fields by id; those may be deleted: a run checks them again.
create table macros (
  account_id uuid not null,
  id uuid not null,
  owner_id uuid not null,
  name text not null,
  shared boolean not null,
  steps jsonb not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id),
  foreign key (account_id, owner_id) references users (account_id, id) on delete cascade
);
-- A private macro must not show in anybody else's conflicts.
create unique index macros_shared_name on macros (account_id, lower(name)) where shared;
create unique index macros_own_name on macros (account_id, owner_id, lower(name)) where not shared;
