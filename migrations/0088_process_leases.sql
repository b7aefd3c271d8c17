-- kind: expand
-- One row for each process says that it is alive, and until when. What a process has claimed carries the row's id, so the
-- row must survive a crash of the database.
alter table processes set logged;
alter table processes add column alive_until timestamptz not null default now() + interval '3 seconds';
insert into processes (id, alive_until)
  select token, alive_until from delivery_workers union all select id, alive_until from connector_pollers
  on conflict (id) do nothing;

-- Up to v1.7.249 a process had a row of its own for deliveries and for polling. It still can while it is replaced.
drop table delivery_workers;
create view delivery_workers as select id as token, alive_until from processes;
drop table connector_pollers;
create view connector_pollers as select id, alive_until from processes;
