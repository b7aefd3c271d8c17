-- What reports need and nothing else keeps: events are removed after `webhook_log_days`.

-- Every change of a record's status, and its deletion. Creations are not written here: the record itself knows when it
-- was created, and the hot create does not pay for reports. `record_created_at` stands in every row, so that the level
-- of a status at any time is a plain sum (docs/reports.md), also for records that are deleted since.
create table record_status_changes (
  account_id uuid not null,
  kanban_id uuid not null,
  record_id uuid not null,
  -- Of the event that told of it: orders the changes of one record.
  sequence int not null,
  at bigint not null,
  from_status text not null,
  -- Null: the record was deleted.
  to_status text,
  -- Since when it had stood in from_status.
  entered_at bigint not null,
  record_created_at bigint not null,
  primary key (account_id, kanban_id, record_id, sequence),
  foreign key (account_id, kanban_id) references kanbans (account_id, id) on delete cascade
);
create index record_status_changes_at on record_status_changes (account_id, kanban_id, at);

-- Every pause and resumption of a conversation's AI.
create table ai_pauses (
  account_id uuid not null,
  session_id text not null,
  -- Of the event that told of it.
  sequence int not null,
  at bigint not null,
  paused boolean not null,
  -- An agent handed the conversation over; otherwise a person or a token did it.
  by_agent boolean not null,
  primary key (account_id, session_id, sequence),
  foreign key (account_id, session_id) references sessions (account_id, session_id) on delete cascade
);
create index ai_pauses_at on ai_pauses (account_id, at);

-- As far back as the events reach. What was before is not known: a record counts as created in its first known status.
insert into record_status_changes (account_id, kanban_id, record_id, sequence, at, from_status, to_status, entered_at,
  record_created_at)
select account_id, kanban_id, record_id, sequence, at, from_status, to_status,
  coalesce(lag(at) over (partition by account_id, record_id order by sequence), record_created_at), record_created_at
from (
  select e.account_id, e.kanban_id, e.subject_id::uuid as record_id, e.sequence, e.created_at as at,
    case e.event when 'crm_field_update' then b.data ->> 'oldValue' else b.data -> 'record' ->> 'status' end
      as from_status,
    case e.event when 'crm_field_update' then b.data ->> 'newValue' end as to_status,
    (b.data -> 'record' ->> 'createdAt')::bigint as record_created_at
  from events e
  join kanbans k on k.account_id = e.account_id and k.id = e.kanban_id
  cross join lateral (select e.body::jsonb -> 'data' as data) b
  where (e.event = 'crm_field_update' and e.field_id = 'status') or e.event = 'crm_record_deleted'
) changes;

insert into ai_pauses (account_id, session_id, sequence, at, paused, by_agent)
select e.account_id, e.subject_id, e.sequence, e.created_at, (b.data ->> 'aiPaused')::boolean,
  exists (select from agents a where a.account_id = e.account_id and a.id::text = b.data ->> 'changedBy')
from events e
join sessions s on s.account_id = e.account_id and s.session_id = e.subject_id
cross join lateral (select e.body::jsonb -> 'data' as data) b
where e.event = 'ai_pause';

-- What reports count of a conversation's messages, worked out some minutes after it fell silent (reports.jobs.ts). A row
-- holds only while message_count and session_updated_at are the conversation's own: whatever changes a conversation
-- makes its row void by itself, and reports read its messages instead. Nobody has to remember to keep this table.
create table conversation_figures (
  account_id uuid not null,
  session_id text not null,
  message_count bigint not null,
  session_updated_at bigint not null,
  -- The customer's first message and the first answer after it.
  asked_at bigint,
  answered_at bigint,
  answered_by_ai boolean,
  -- Quarters of an hour since 1970 with a message in them, in order, and the messages of each. Quarters, because no time
  -- zone in use is off by less.
  slots int[] not null,
  customer int[] not null,
  ai int[] not null,
  human int[] not null,
  echo int[] not null,
  primary key (account_id, session_id),
  foreign key (account_id, session_id) references sessions (account_id, session_id) on delete cascade
);

-- What went well, which is most, never touches it.
create index reply_log_troubled on reply_log (account_id, created_at) where outcome in ('suppressed', 'held', 'failed');
