-- kind: expand
-- Limits of AI replies against floods: per network address and channel of the widget, and per hour of the account
-- (docs/decisions.md, D-453). Counted in the hour since 1970; only the latest hour is kept.
alter table ai_reply_usage add column hour int not null default 0, add column hour_replies int not null default 0;
-- Of the visitor who wrote the message; null: it came another way.
alter table pending_replies add column address text;

-- As in migration 0022, whose function the release before still calls. `refused_by` is `visitor`, `address`, `channel`,
-- `hour` or `account`. The row of the account is locked first: two replies that count several buckets cannot wait for
-- each other. What a narrow limit refuses is taken back from the account, so that it uses up nothing for others.
create function admit_ai_reply(
  p_account uuid, p_session text, p_messages uuid[], p_day date, p_hour int, p_visitor_limit int, p_address_limit int,
  p_channel_limit int, p_hour_percent int, out refused_by text, out limit_of int
) language plpgsql as $$
declare
  v_counted int;
  v_address text;
  v_channel uuid;
  v_day date;
  v_day_limit int;
  v_hour_limit int;
begin
  perform set_config('synchronous_commit', 'off', true);
  perform from pending_replies
    where account_id = p_account and session_id = p_session and message_id = any(p_messages)
    order by position for update;
  -- Taken away meanwhile: the commit of the reply notices.
  if not found then return; end if;
  select count(counted_on), (array_agg(address order by position desc))[1] into v_counted, v_address
    from pending_replies
    where account_id = p_account and session_id = p_session and message_id = any(p_messages);
  if v_counted > 0 then return; end if;
  select ai_replies_per_day, greatest(100, ceil(ai_replies_per_day / 100.0 * p_hour_percent))
    into v_day_limit, v_hour_limit from accounts where id = p_account;
  insert into ai_reply_usage as u (account_id, day, replies, hour, hour_replies)
    values (p_account, p_day, 1, p_hour, 1)
    on conflict (account_id) do update
      set day = greatest(u.day, excluded.day),
        replies = case when u.day >= excluded.day then u.replies else 0 end + 1,
        hour = greatest(u.hour, excluded.hour),
        hour_replies = case when u.hour >= excluded.hour then u.hour_replies else 0 end + 1
      where (u.day < excluded.day or u.replies < v_day_limit) and (u.hour < excluded.hour or u.hour_replies < v_hour_limit)
    returning day into v_day;
  if not found then
    if exists (select from ai_reply_usage where account_id = p_account and day >= p_day and replies >= v_day_limit) then
      refused_by := 'account';
      limit_of := v_day_limit;
    else
      refused_by := 'hour';
      limit_of := v_hour_limit;
    end if;
    return;
  end if;
  select c.id into v_channel
    from sessions s join channels c on c.account_id = s.account_id and c.id = s.channel_id
    where s.account_id = p_account and s.session_id = p_session and c.type = 'web';
  if found then
    if (select granted = 0 from take_permits(p_account, 'widget-ai:' || p_session, array[p_visitor_limit],
        array[3600], p_account, 0, 1, 0)) then
      refused_by := 'visitor';
      limit_of := p_visitor_limit;
    elsif v_address is not null and (select granted = 0 from take_permits(p_account, 'widget-ai-address:' || v_address,
        array[p_address_limit], array[3600], p_account, 0, 1, 0)) then
      refused_by := 'address';
      limit_of := p_address_limit;
    elsif (select granted = 0 from take_permits(p_account, 'widget-ai-channel:' || v_channel, array[p_channel_limit],
        array[3600], p_account, 0, 1, 0)) then
      refused_by := 'channel';
      limit_of := p_channel_limit;
    end if;
    if refused_by is not null then
      update ai_reply_usage set replies = replies - 1, hour_replies = hour_replies - 1 where account_id = p_account;
      return;
    end if;
  end if;
  update pending_replies set counted_on = v_day
    where account_id = p_account and session_id = p_session and message_id = any(p_messages);
end $$;
