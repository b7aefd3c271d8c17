-- The pace of a provider that takes several messages to one customer at once. `next_at` of the customer runs ahead of the
-- clock by a gap for each message; it may be ahead by the whole burst, which is paid back at the customer's pace.
create function reserve_burst_send(p_account uuid, p_channel uuid, p_customer text, p_gap float8, p_customer_gap float8,
  p_burst int, out reserved boolean, out wait_ms float8)
language plpgsql as $$
declare
  v_next timestamptz;
begin
  insert into connector_pace as p (account_id, channel_id, customer, next_at)
  values (p_account, p_channel, p_customer, clock_timestamp())
  on conflict (account_id, channel_id, customer) do update set next_at = greatest(p.next_at, clock_timestamp())
  returning next_at into v_next;
  wait_ms := extract(epoch from v_next - make_interval(secs => p_customer_gap * (p_burst - 1)) - clock_timestamp()) * 1000;
  if wait_ms > 0 then
    reserved := false;
    return;
  end if;
  select r.reserved, r.wait_ms into reserved, wait_ms
    from reserve_send(p_account, p_channel, p_customer, p_gap, null) r;
  -- Not reserved: the channel is paused.
  if not reserved then
    return;
  end if;
  if reserved then
    update connector_pace p set next_at = p.next_at + make_interval(secs => p_customer_gap)
      where p.account_id = p_account and p.channel_id = p_channel and p.customer = p_customer;
  end if;
end $$;
