-- What connectors tell about a message. Nullable columns, so that the table is not rewritten.
alter table messages
  add column reply_to_message_id uuid,
  add column status_reason text,
  add column edited_at bigint,
  add column deleted_at bigint,
  add column data jsonb;

-- What a connector has sent of a message: one row per part. The message itself is linked to the first.
create table message_parts (
  account_id uuid not null,
  channel_id uuid not null,
  session_id text not null,
  message_id uuid not null,
  part int not null,
  provider_msg_id text,
  status text check (status in ('sent', 'delivered', 'read', 'failed')),
  primary key (account_id, message_id, part),
  foreign key (account_id, session_id) references sessions (account_id, session_id) on delete cascade
);
create unique index message_parts_provider on message_parts (account_id, channel_id, provider_msg_id)
  where provider_msg_id is not null;

-- What a connected channel has to send. `seq` orders the rows of a session: they are written under its lock.
create table connector_outbound (
  account_id uuid not null,
  id uuid not null,
  seq bigint generated always as identity,
  channel_id uuid not null,
  session_id text not null,
  kind text not null check (kind in ('message', 'reaction')),
  message_id uuid not null,
  -- Of a reaction: which one, null removes it.
  emoji text,
  -- unknown: the answer to a part was lost and nobody knows whether it was sent.
  state text not null default 'waiting' check (state in ('waiting', 'sending', 'unknown', 'sent', 'failed')),
  attempts int not null default 0,
  -- The parts as they are sent, and how far each is. Null before the first attempt.
  parts jsonb,
  reason text,
  lease_token uuid,
  due_at timestamptz not null default now(),
  created_at bigint not null,
  updated_at bigint not null,
  primary key (account_id, id),
  foreign key (account_id, channel_id) references channels (account_id, id) on delete cascade,
  foreign key (account_id, session_id) references sessions (account_id, session_id) on delete cascade
);
-- By channel, so that a claim is fair between channels; and by session, so that it keeps the order.
create index connector_outbound_due on connector_outbound (account_id, channel_id, due_at)
  where state in ('waiting', 'sending', 'unknown');
create index connector_outbound_order on connector_outbound (account_id, session_id, seq)
  where state in ('waiting', 'sending', 'unknown');
create index connector_outbound_unanswered on connector_outbound (account_id, channel_id)
  where state in ('sending', 'unknown') or (state = 'failed' and parts @> '[{"state": "unknown"}]');
create index connector_outbound_leases on connector_outbound (lease_token) where lease_token is not null;
create index connector_outbound_message on connector_outbound (account_id, message_id);
create index connector_outbound_log on connector_outbound (account_id, channel_id, id);

-- When each channel, and each customer of it, may be sent to next. Customer '' is the channel itself.
create unlogged table connector_pace (
  account_id uuid not null,
  channel_id uuid not null,
  customer text not null,
  next_at timestamptz not null,
  primary key (account_id, channel_id, customer)
);

-- Reserves the next time to send. Returns the ms until then, and whether it is reserved: while the customer has to wait,
-- nothing is reserved, so that the channel's times go to others.
create function reserve_send(p_account uuid, p_channel uuid, p_customer text, p_gap float8, p_customer_gap float8,
  out reserved boolean, out wait_ms float8)
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_next timestamptz;
begin
  if p_customer_gap is not null then
    insert into connector_pace as p (account_id, channel_id, customer, next_at)
    values (p_account, p_channel, p_customer, v_now)
    on conflict (account_id, channel_id, customer) do update set next_at = p.next_at
    returning next_at into v_next;
    v_now := clock_timestamp();
    if v_next > v_now then
      reserved := false;
      wait_ms := extract(epoch from v_next - v_now) * 1000;
      return;
    end if;
  end if;
  insert into connector_pace as p (account_id, channel_id, customer, next_at)
  values (p_account, p_channel, '', v_now + make_interval(secs => p_gap))
  on conflict (account_id, channel_id, customer) do update
    set next_at = greatest(p.next_at, clock_timestamp()) + make_interval(secs => p_gap)
  returning next_at - make_interval(secs => p_gap) into v_next;
  if p_customer_gap is not null then
    update connector_pace p set next_at = v_next + make_interval(secs => p_customer_gap)
    where p.account_id = p_account and p.channel_id = p_channel and p.customer = p_customer;
  end if;
  reserved := true;
  wait_ms := greatest(0, extract(epoch from v_next - clock_timestamp()) * 1000);
end $$;

update webhooks set events = '{message_created,message_transcribed,message_converted,message_updated}' where kind = 'channel';
