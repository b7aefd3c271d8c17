-- Sending through connectors. New indexes first: what follows them locks tables, and must not wait for a build.
-- By channel, so that a claim is fair between channels; and by session, so that it keeps the order.
create index connector_outbound_ready on connector_outbound (account_id, channel_id, due_at)
  where state in ('waiting', 'sending');
create index connector_outbound_earlier on connector_outbound (account_id, session_id, seq)
  where state in ('waiting', 'sending');
-- A row whose response was lost is given up at its time, whether its channel may send or not.
create index connector_outbound_unknown on connector_outbound (due_at) where state = 'unknown';
-- For deleting old rows.
create index connector_outbound_finished on connector_outbound (updated_at) where state in ('sent', 'failed');
drop index connector_outbound_due;
drop index connector_outbound_order;

-- A provider that asks to send more slowly pauses the channel, or one customer of it.
alter table connector_pace add column paused_until timestamptz;

-- As before, and nothing is reserved during a pause.
create or replace function reserve_send(p_account uuid, p_channel uuid, p_customer text, p_gap float8,
  p_customer_gap float8, out reserved boolean, out wait_ms float8)
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_next timestamptz;
begin
  select max(p.paused_until) into v_next from connector_pace p
  where p.account_id = p_account and p.channel_id = p_channel and p.customer in ('', p_customer)
    and p.paused_until > v_now;
  if v_next is null and p_customer_gap is not null then
    insert into connector_pace as p (account_id, channel_id, customer, next_at)
    values (p_account, p_channel, p_customer, v_now)
    on conflict (account_id, channel_id, customer) do update set next_at = p.next_at
    returning next_at into v_next;
    v_now := clock_timestamp();
  end if;
  if v_next > v_now then
    reserved := false;
    wait_ms := extract(epoch from v_next - v_now) * 1000;
    return;
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

-- Whether the customer of a conversation is blocked, by the rules of open_session but without its locks: for sends, which
-- are committed long before they go out.
create function is_session_blocked(p_account uuid, p_session text) returns boolean language sql stable as $$
  select exists (
    select from sessions s
    join channels c on c.account_id = s.account_id and c.id = s.channel_id
    cross join lateral (select case when c.type in ('web', 'chatbot') then c.type || ':' else '' end as prefix) t
    where s.account_id = p_account and s.session_id = p_session and (
      exists (select from blocked_contacts b
        where b.account_id = s.account_id and b.contact_key = t.prefix || s.contact_key)
      or exists (select from contact_blocks b where b.account_id = s.account_id and b.contact_id = s.contact_id)
      or (s.contact_id is null and s.external_user_id is not null and exists (
        select from contact_identifiers i
        join contact_blocks b on b.account_id = i.account_id and b.contact_id = i.contact_id
        where i.account_id = s.account_id and i.value = s.contact_key
          and t.prefix = case when i.kind in ('web', 'chatbot') then i.kind || ':' else '' end))))
$$;

-- A job deletes the items of a removed connector in batches: a cascade would delete millions of them in the request.
alter table connector_items drop constraint connector_items_account_id_channel_id_fkey;
alter table connector_inbound drop constraint connector_inbound_account_id_channel_id_fkey;
