-- kind: expand
-- Customers who wait already. The lock of 0132 is released by now: only these conversations are locked.
update sessions s set waiting_since = w.since
from (
  select o.account_id, o.session_id, first.created_at as since
  from sessions o
    cross join lateral (
      select coalesce((
        select m.position from messages m
        where m.account_id = o.account_id and m.session_id = o.session_id and not m.is_note and not m.held
          and (m.is_echo or m.role = 'assistant' or m.role = 'operator' and not m.by_rule)
        order by m.position desc limit 1), 0) as position) answer
    cross join lateral (
      select m.created_at from messages m
      where m.account_id = o.account_id and m.session_id = o.session_id and m.position > answer.position
        and m.role = 'user' and not m.is_echo
      order by m.position limit 1) first
  where o.status <> 'resolved') w
where s.account_id = w.account_id and s.session_id = w.session_id and s.waiting_since is null;
