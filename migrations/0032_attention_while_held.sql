-- A conversation needs attention for as long as one of its replies is held. Nobody is to be notified of old ones.
alter table sessions disable trigger live_sessions;
update sessions s set needs_attention = true
  where not needs_attention and exists (
    select from messages m where m.account_id = s.account_id and m.session_id = s.session_id and m.held);
alter table sessions enable trigger live_sessions;
