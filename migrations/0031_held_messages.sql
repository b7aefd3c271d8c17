-- Finds the held replies of a conversation.
create index messages_held on messages (account_id, session_id) where held;
