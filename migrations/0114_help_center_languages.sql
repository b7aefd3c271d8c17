-- kind: expand
-- The help center says its first page and its collections in each language, and names the chat of its contact button.

alter table help_centers add column home_texts jsonb not null default '{}';
-- A channel that is gone counts as none: a reference would hold up its deletion.
alter table help_centers add column contact_channel_id uuid;
alter table knowledge_collections add column names jsonb not null default '{}';
