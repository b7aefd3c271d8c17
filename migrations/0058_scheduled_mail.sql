-- kind: expand
-- Copies and subject of a reply by e-mail that is sent later. Null: those of the thread.
alter table scheduled_messages add column mail jsonb;
