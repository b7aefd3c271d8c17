-- The language a person has chosen for the dashboard; null: their browser's. Which there are is the contract's to say, so
-- that a new one needs no migration.
alter table users add column language text;
