-- kind: expand
-- Business hours as one thing of the account, which channels and teams refer to.
create table business_hours (
  account_id uuid not null,
  id uuid not null,
  name text not null,
  is_default boolean not null default false,
  time_zone text not null,
  week jsonb not null,
  closed_dates text[] not null default '{}',
  -- Of closed dates.
  names jsonb not null default '{}',
  -- The channel whose `hours` made them. No reference: channels refer to hours.
  made_for uuid,
  primary key (account_id, id),
  foreign key (account_id) references accounts (id)
);
create unique index business_hours_default on business_hours (account_id) where is_default;

alter table channels add column hours_id uuid;
alter table teams add column hours_id uuid;

-- Every account begins with a default that closes nothing.
insert into business_hours (account_id, id, name, is_default, time_zone, week)
select id, gen_random_uuid(), 'Always open', true, 'UTC',
  (select jsonb_agg(jsonb_build_object('day', day, 'from', '00:00', 'to', '24:00')) from generate_series(1, 7) as day)
from accounts;

-- The hours of a widget become those of its channel. The column widget_settings.hours is no longer read.
insert into business_hours (account_id, id, name, time_zone, week, closed_dates, made_for)
select w.account_id, gen_random_uuid(), c.name, w.hours ->> 'timeZone', w.hours -> 'week',
  array(select jsonb_array_elements_text(w.hours -> 'closedDates')), c.id
from widget_settings w join channels c on c.account_id = w.account_id and c.id = w.channel_id
where w.hours is not null;
update channels c set hours_id = h.id from business_hours h
where h.account_id = c.account_id and h.made_for = c.id;

alter table channels add foreign key (account_id, hours_id) references business_hours (account_id, id);
alter table teams add foreign key (account_id, hours_id) references business_hours (account_id, id);
