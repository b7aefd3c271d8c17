-- A token belongs to a user and ends with them. Until now a token could be made by another token or by the command
-- line: such a token goes to the user at the start of the chain, or to the account's first administrator.
alter table api_tokens add column user_id uuid;
with recursive makers as (
  select account_id, id, created_by as maker from api_tokens
  union all
  select m.account_id, m.id, t.created_by
  from makers m join api_tokens t on t.account_id = m.account_id and t.id::text = m.maker
)
update api_tokens t set user_id = coalesce(
  (select u.id from makers m join users u on u.account_id = m.account_id and u.id::text = m.maker
    where m.account_id = t.account_id and m.id = t.id),
  (select u.id from users u where u.account_id = t.account_id
    order by u.role = 'admin' desc, u.created_at, u.id limit 1));
-- An account without users cannot have tokens that anyone may see or revoke.
delete from api_tokens where user_id is null;
alter table api_tokens
  alter column user_id set not null,
  add constraint api_tokens_maker foreign key (account_id, user_id) references users (account_id, id) on delete cascade,
  drop column created_by;
create index api_tokens_user on api_tokens (account_id, user_id);

-- Where the request came from; null for background work and the command line.
alter table audit_log add column address text;

-- The values of deleted fields, until the crm_field_update of each record is emitted.
create table deleted_field_values (
  account_id uuid not null,
  field_id uuid not null,
  record_id uuid not null,
  value jsonb not null,
  primary key (account_id, field_id, record_id)
);
