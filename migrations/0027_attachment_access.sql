-- A file is readable by those who can read a message that names it, and before that by whoever uploaded it.

-- The id of the user or token, or 'visitor'. Null: uploaded before this migration, or made by the service.
alter table attachments add column uploaded_by text;

-- The keys of the files that a message names, converted audio included.
create function attachment_file_keys(attachments jsonb) returns jsonb language sql immutable parallel safe as $$
  select jsonb_path_query_array(attachments, '$[*].**.fileKey')
$$;
