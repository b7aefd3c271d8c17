-- A reply to a voice message waits for the transcript: until not_before at most, less if it is there sooner. Messages
-- behind it wait along, and a burst that is answered as one ends before it.
alter table pending_replies add column awaits_transcript boolean not null default false;
