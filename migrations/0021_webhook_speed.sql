-- A delivery is claimed and finished by changing its row. As long as an index knew of the lease, a claim wrote the row's
-- entries in all indexes anew (no HOT update). So the lease is in none; the queue holds what is claimed too, which is
-- little, and the claims of a dead process are found by reading the queue, which is seldom.
-- Built before anything is dropped: until then the table can be read.
create index webhook_deliveries_queue on webhook_deliveries (account_id, webhook_id, next_attempt_at)
  where status in ('pending', 'retrying');
drop index webhook_deliveries_leased;
drop index webhook_deliveries_due;
-- Room for the claimed version of a row beside the one that waits.
alter table webhook_deliveries set (fillfactor = 60);

-- An attempt is written by the statement that finishes its delivery, so the delivery is there; asking for it again cost
-- as much as writing the attempt. What the foreign key did when a delivery went, a trigger does for all that go at once.
alter table webhook_attempts drop constraint webhook_attempts_account_id_delivery_id_fkey;
create function delete_attempts_of_deliveries() returns trigger language plpgsql as $$
begin
  delete from webhook_attempts a using gone g where a.account_id = g.account_id and a.delivery_id = g.id;
  return null;
end $$;
create trigger webhook_deliveries_take_their_attempts after delete on webhook_deliveries
  referencing old table as gone for each statement execute function delete_attempts_of_deliveries();
