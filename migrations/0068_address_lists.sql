-- kind: expand
-- From which addresses administrators and API tokens may call, as CIDRs. Empty: from everywhere.
alter table accounts add column admin_addresses text[] not null default '{}';
alter table api_tokens add column allowed_addresses text[] not null default '{}';
