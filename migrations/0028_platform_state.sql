-- Secrets of the instance itself, sealed with SECRET_KEY. The row `check` tells at start whether the key is the right
-- one; the others are keys that must outlive a rotation of SECRET_KEY.
create table instance_secrets (
  name text primary key,
  sealed text not null,
  created_at timestamptz not null default now()
);

-- When each step of housekeeping last succeeded, over all processes and restarts.
create table housekeeping_steps (
  step text primary key,
  last_success_at timestamptz,
  last_error text,
  last_error_at timestamptz
);

-- Housekeeping enqueues its own next run. One that used up its attempts in an earlier release is brought back.
delete from jobs where kind = 'housekeeping' and failed_at is not null
  and id <> (select id from jobs where kind = 'housekeeping' order by failed_at nulls first, id limit 1);
update jobs set failed_at = null, attempts = 0, run_at = now(), lease_token = null, lease_until = null
where kind = 'housekeeping' and failed_at is not null;
update jobs set max_attempts = 2147483647 where kind = 'housekeeping';
