-- When the call that sent a part began: a provider's "everything up to then is read" is compared with it. Null for what
-- was sent before; then the time of the message counts.
alter table message_parts add column sent_at bigint;
