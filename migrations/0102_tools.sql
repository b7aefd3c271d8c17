-- kind: expand
-- Tools that agents may call outside of the service. "headers" is sealed; "header_names" has their names only.
create table tools (
  account_id uuid not null references accounts (id),
  id uuid not null,
  name text not null,
  description text not null,
  kind text not null check (kind in ('read', 'write')),
  approval text not null check (approval in ('always', 'never')),
  enabled boolean not null,
  method text,
  url text,
  headers text,
  header_names text[] not null default '{}',
  body jsonb,
  parameters jsonb not null,
  timeout_ms integer not null,
  result_path text,
  max_bytes integer not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id),
  unique (account_id, name)
);
