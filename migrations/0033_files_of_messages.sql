-- Finds the messages that name a file. Partial, so that messages without files cost nothing.
create index messages_files on messages using gin (attachment_file_keys(attachments) jsonb_path_ops)
  where attachments <> '[]';
