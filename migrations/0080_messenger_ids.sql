-- kind: expand
-- A Messenger or Instagram id of digits was taken for a phone number (D-439). Where a conversation of such a channel shows
-- that it is one, it becomes what it is; an identifier that is there already stays, and the wrong one with it.
create temporary table renamed on commit drop as
  select distinct i.account_id, i.key, i.value from contact_identifiers i
    join sessions s on s.account_id = i.account_id and s.contact_id = i.contact_id and s.external_user_id = i.value
    join connectors c on c.account_id = s.account_id and c.channel_id = s.channel_id and c.kind = 'messenger'
  where i.kind = 'phone' and not exists (
    select from contact_identifiers o where o.account_id = i.account_id and o.key = 'chatapp:' || i.value);
update contact_identifiers i set via_key = 'chatapp:' || r.value from renamed r
  where i.account_id = r.account_id and i.via_key = r.key;
update contact_identifiers i set kind = 'chatapp', key = 'chatapp:' || r.value from renamed r
  where i.account_id = r.account_id and i.key = r.key;
