-- The manual order of cards (docs/filters.md). A card that was never moved by hand has its place by created_at and id. A
-- card that was moved has a time and an id between those of its neighbours instead.
alter table records
  add column place_at bigint,
  add column place_id uuid;

-- A move has no event: it changes nothing that a record contains. Others who see the board are notified.
drop trigger live_records on records;
create trigger live_records after update on records for each row
  when ((old.event_sequence <> new.event_sequence and old.changed_xid <> new.changed_xid)
    or old.place_at is distinct from new.place_at or old.place_id is distinct from new.place_id)
  execute function live_note_record();
