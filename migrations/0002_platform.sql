-- What the platform keeps for every feature: events, jobs, idempotency keys, rate limits.

-- No foreign keys: an event is written together with its subject, which has them, and checking them again costs as much
-- as writing the row.
create table events (
  account_id uuid not null,
  id uuid not null,
  event text not null,
  subject_id text not null,
  sequence int not null,
  kanban_id uuid,
  field_id text,
  created_at bigint not null,
  -- The exact bytes that every delivery sends.
  body text not null,
  primary key (account_id, id)
);

create table jobs (
  account_id uuid not null,
  id uuid not null,
  kind text not null,
  payload jsonb not null,
  -- At most one job of a kind with the same key is waiting; null: no such rule.
  dedupe_key text,
  run_at timestamptz not null default now(),
  attempts int not null default 0,
  max_attempts int not null,
  lease_token uuid,
  lease_until timestamptz,
  last_error text,
  -- Set when max_attempts are used up; the row stays for the operator to see.
  failed_at timestamptz,
  created_at timestamptz not null default now(),
  primary key (account_id, id)
);
-- A claimed job moves its run_at to the end of its lease, so one index finds due, retried and abandoned work alike.
create index jobs_due on jobs (run_at) where failed_at is null;
create unique index jobs_dedupe on jobs (account_id, kind, dedupe_key) where dedupe_key is not null and failed_at is null;

create table idempotency_keys (
  account_id uuid not null references accounts (id),
  place bytea not null,
  key text not null,
  body_hash bytea not null,
  status int,
  body text,
  created_at timestamptz not null,
  primary key (account_id, place, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);

-- Counting requests must not cost a disk write each: unlogged. A crash of the database empties the windows.
create unlogged table rate_limit_counters (
  account_id uuid not null,
  bucket text not null,
  total bigint not null,
  primary key (account_id, bucket)
);
-- One row per moment at which requests were counted; `before` and `after` are running totals, so that the
-- number inside any window is one subtraction and one index look-up, however many requests there were.
create unlogged table rate_limit_hits (
  account_id uuid not null,
  bucket text not null,
  at bigint not null,
  before bigint not null,
  after bigint not null,
  primary key (account_id, bucket, at)
);
create index rate_limit_hits_at on rate_limit_hits (at);

-- What a process may admit by itself before it reports: for everyone else these requests count as used.
create unlogged table rate_limit_leases (
  account_id uuid not null,
  bucket text not null,
  holder uuid not null,
  permits bigint not null,
  until bigint not null,
  primary key (account_id, bucket, holder)
);

-- Counts `p_reported` requests that the holder admitted under its lease, then grants up to `p_wanted` more. Limits
-- and seconds null: the account's own. Answers for the tighter window. Where its limit is above 10,000 the holder
-- gets a new lease of one `p_lease_share`th of what is left (0: none); an earlier lease of the same holder ends.
create function take_permits(
  p_account uuid, p_bucket text, p_limits int[], p_seconds int[], p_holder uuid, p_reported int, p_wanted int,
  p_lease_share int,
  out granted int, out leased int, out limit_of int, out remaining int, out reset_at bigint, out retry_after_ms bigint
) language plpgsql as $$
declare
  v_total bigint;
  v_used bigint;
  v_now bigint;
  v_held bigint;
  v_lost bigint;
  v_had_lease boolean;
  v_first record;
  v_first_at bigint[];
  v_first_before bigint[];
  v_left bigint;
  v_tightest bigint;
  v_wait bigint;
begin
  if p_limits is null then
    select case p_bucket when 'crm' then array[crm_per_minute, crm_per_hour] else array[messages_per_minute] end,
           case p_bucket when 'crm' then array[60, 3600] else array[60] end
      into p_limits, p_seconds from accounts where id = p_account;
  end if;
  insert into rate_limit_counters as c (account_id, bucket, total) values (p_account, p_bucket, 0)
    on conflict (account_id, bucket) do update set total = c.total returning total into v_total;
  -- Read the clock and the hits only now that the row is locked: each statement here sees what others committed.
  -- A clock that was set back must not go behind the last hit: the running totals have to grow with the time.
  v_now := greatest((extract(epoch from clock_timestamp()) * 1000)::bigint, (
    select h.at from rate_limit_hits h where h.account_id = p_account and h.bucket = p_bucket order by h.at desc limit 1));
  select coalesce(sum(l.permits) filter (where l.holder <> p_holder and l.until > v_now), 0),
         coalesce(sum(l.permits) filter (where l.holder <> p_holder and l.until <= v_now), 0),
         coalesce(bool_or(l.holder = p_holder), false)
    into v_held, v_lost, v_had_lease
    from rate_limit_leases l where l.account_id = p_account and l.bucket = p_bucket;
  -- The holder of a lease that ran out has died; it may have used it up.
  if v_lost > 0 then
    delete from rate_limit_leases l
      where l.account_id = p_account and l.bucket = p_bucket and l.holder <> p_holder and l.until <= v_now;
  end if;
  v_used := v_total + p_reported + v_lost;
  granted := p_wanted;
  for i in 1 .. cardinality(p_limits) loop
    select h.at, h.before into v_first from rate_limit_hits h
      where h.account_id = p_account and h.bucket = p_bucket and h.at > v_now - p_seconds[i] * 1000
      order by h.at limit 1;
    v_first_at[i] := v_first.at;
    v_first_before[i] := v_first.before;
    v_left := p_limits[i] - (v_used - coalesce(v_first_before[i], v_total)) - v_held;
    granted := greatest(0, least(granted, v_left));
  end loop;
  v_used := v_used + granted;
  retry_after_ms := 0;
  for i in 1 .. cardinality(p_limits) loop
    v_left := p_limits[i] - (v_used - coalesce(v_first_before[i], v_total)) - v_held;
    if v_tightest is null or v_left < v_tightest then
      v_tightest := v_left;
      limit_of := p_limits[i];
      reset_at := coalesce(v_first_at[i], v_now) + p_seconds[i] * 1000;
    end if;
    if v_left + v_held <= 0 then
      select h.at + p_seconds[i] * 1000 - v_now into v_wait from rate_limit_hits h
        where h.account_id = p_account and h.bucket = p_bucket and h.at > v_now - p_seconds[i] * 1000
          and h.after > v_used - p_limits[i]
        order by h.at limit 1;
      retry_after_ms := greatest(retry_after_ms, coalesce(v_wait, p_seconds[i] * 1000));
    elsif v_left <= 0 then
      retry_after_ms := greatest(retry_after_ms, 1000);
    end if;
  end loop;
  remaining := greatest(0, least(v_tightest, 2147483647));
  leased := 0;
  if p_lease_share > 0 and limit_of > 10000 then
    leased := remaining / p_lease_share;
  end if;
  if leased > 0 then
    insert into rate_limit_leases as l (account_id, bucket, holder, permits, until)
      values (p_account, p_bucket, p_holder, leased, v_now + 5000)
      on conflict (account_id, bucket, holder) do update set permits = excluded.permits, until = excluded.until;
  elsif v_had_lease then
    delete from rate_limit_leases l
      where l.account_id = p_account and l.bucket = p_bucket and l.holder = p_holder;
  end if;
  if v_used > v_total then
    insert into rate_limit_hits as h (account_id, bucket, at, before, after)
      values (p_account, p_bucket, v_now, v_total, v_used)
      on conflict (account_id, bucket, at) do update set after = excluded.after;
    update rate_limit_counters c set total = v_used where c.account_id = p_account and c.bucket = p_bucket;
  end if;
end $$;

-- The counters to delete are locked by a statement of their own: the next one then sees the hits of a request that
-- was counted meanwhile. A counter deleted under its hits would begin again at 0 and let thousands through.
create function prune_rate_limits() returns void language plpgsql as $$
begin
  delete from rate_limit_hits where at < (extract(epoch from now()) * 1000)::bigint - 3600000;
  perform from rate_limit_counters c
    where not exists (select from rate_limit_hits h where h.account_id = c.account_id and h.bucket = c.bucket)
    order by c.account_id, c.bucket for update;
  delete from rate_limit_counters c where not exists (
    select from rate_limit_hits h where h.account_id = c.account_id and h.bucket = c.bucket);
  delete from rate_limit_leases l
    where l.until < (extract(epoch from now()) * 1000)::bigint
      and not exists (select from rate_limit_counters c where c.account_id = l.account_id and c.bucket = l.bucket);
end $$;
