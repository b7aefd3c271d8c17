-- kind: expand
-- Whether the person has set the password, not an administrator: one of somebody else ends with the first sign-in with a
-- provider (docs/decisions.md, D-448). Of earlier passwords the audit log says who set them last; without an entry it was
-- whoever created the user.
alter table users add column password_is_own boolean not null default false;

with events as (
  select account_id, id, action <> 'user.updated' as is_own,
    case when action = 'invitation.accepted' then actor_id else target_id end as user_id
  from audit_log
  where action in ('user.password_changed', 'user.password_reset', 'invitation.accepted')
    or (action = 'user.updated' and changes ? 'password')
), latest as (
  select distinct on (account_id, user_id) account_id, user_id, is_own
  from events order by account_id, user_id, id desc
)
update users u set password_is_own = true
from latest l
where l.account_id = u.account_id and l.user_id = u.id::text and l.is_own;

update users set password_is_own = true where is_instance_admin;
