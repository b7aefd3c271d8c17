-- kind: expand
-- The deletion of one conversation runs as an erasure without a contact.
alter table erasures alter column contact_id drop not null;
create unique index erasures_of_session on erasures (account_id, (person #>> '{sessionIds,0}'))
  where state = 'running' and contact_id is null;
