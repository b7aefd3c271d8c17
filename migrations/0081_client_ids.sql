-- kind: expand
-- The id that the client gave a reply or a note before it sent it. Its own client recognizes the message by it, whatever
-- the text is. Text, not uuid: it is returned exactly as it was sent.
alter table messages add column client_id text;
