-- Apart from the change of the tables, whose lock would be held meanwhile.
-- Nobody is to hear of old conversations: no live update, no notification.
alter table sessions disable trigger live_sessions;
update sessions set has_generated_id = true
  where session_name is null and external_user_id is null
    and session_id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$';
alter table sessions enable trigger live_sessions;
