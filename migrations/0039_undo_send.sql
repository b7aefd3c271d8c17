-- How long a reply can be taken back before it leaves the browser, in seconds. A preference of each user.
alter table users add column undo_send_seconds int not null default 5
  check (undo_send_seconds in (0, 5, 10, 20));
