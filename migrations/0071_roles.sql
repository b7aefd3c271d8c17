-- kind: expand
-- Roles that an account makes itself, from named permissions (contract/roles/permissions.ts).
create table roles (
  account_id uuid not null,
  id uuid not null,
  name text not null,
  description text not null,
  permissions text[] not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id),
  foreign key (account_id) references accounts (id)
);
create unique index roles_name on roles (account_id, lower(name));

-- Null: the rights of `role`. A role of the account counts only while `role` is operator.
alter table users add column role_id uuid;
alter table users add constraint users_role_id foreign key (account_id, role_id) references roles (account_id, id);
create index users_role_id on users (account_id, role_id) where role_id is not null;
alter table invitations add column role_id uuid;
alter table invitations add constraint invitations_role_id
  foreign key (account_id, role_id) references roles (account_id, id);
