-- For a transaction whose last statement tells whether what it was made from still holds: unlike
-- definitions_are_current, which answers no, this ends the transaction, so that it is rolled back and tried again.
create function require_current_definitions(p_account uuid, p_version bigint) returns boolean language plpgsql as $$
begin
  if not definitions_are_current(p_account, p_version) then
    raise exception 'the definitions have changed' using errcode = 'serialization_failure';
  end if;
  return true;
end $$;

-- An agent reads the notes of a conversation before each reply, and most conversations have none.
create index messages_notes on messages (account_id, session_id, position) where is_note;
