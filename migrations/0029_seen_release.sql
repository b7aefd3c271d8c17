-- The newest release that a user has read about. Null: none yet, as for users of releases before v1.7.232.
alter table users add column seen_release text;
