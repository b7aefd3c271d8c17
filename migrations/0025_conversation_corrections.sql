-- Which rule of normalising the stored contact keys follow. The rule is TypeScript: a start of the service that finds an
-- older version here recomputes the keys (sessions.contact-keys.ts). No row: the first version. An empty database must
-- stay empty, or a backup could not be restored into it.
create table contact_key_version (version int not null);

-- The language of what the service itself writes into the account, such as the titles of new cards.
alter table accounts add column language text not null default 'en' check (language in ('en', 'pt', 'es'));
-- Whether the dashboard pauses the AI when an operator replies.
alter table accounts add column reply_takes_over boolean not null default true;

-- The service made the session's id, so the id is no name for a card.
alter table sessions add column has_generated_id boolean not null default false;

-- Channels may send a third event.
update webhooks set events = '{message_created,message_transcribed,message_converted}' where kind = 'channel';
