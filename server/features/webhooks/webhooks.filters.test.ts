import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { webhookEvents } from '../../../contract/events.ts';
import { deliveryStatuses } from '../../../contract/webhooks.ts';
import { runsOf, seed } from '../../../test/support/sample.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { type Hooks, hooksOf } from '../../../test/support/webhooks.ts';
import { sql } from '../../platform/db/sql.ts';
import { emit } from '../../platform/events/outbox.ts';
import { newId } from '../../platform/ids.ts';
import { type FilteredEvent, type Filters, filteredBy } from './webhooks.filters.ts';
import { insertFilters, insertWebhook } from './webhooks.settings.sql.ts';

const url = 'https://hooks.invalid/';

describe('which webhook gets which event', () => {
  let service: TestService;
  let hooks: Hooks;
  before(async () => {
    service = await joinTestService();
    hooks = hooksOf(service);
  });
  after(() => service.close());

  it('the rules in words', () => {
    const all: Filters = { events: [...webhookEvents], kanbanIds: [], fieldIds: [] };
    const update: FilteredEvent = { event: 'crm_field_update', kanbanId: 'k1', fieldId: 'title' };
    const note: FilteredEvent = { event: 'note_created', kanbanId: 'k1', fieldId: null };
    const cases: [Partial<Filters>, FilteredEvent, string | null][] = [
      [{}, update, null],
      [{ events: ['ai_pause'] }, update, 'events'],
      [{ kanbanIds: ['k1'] }, update, null],
      [{ kanbanIds: ['k2'] }, update, 'kanbanIds'],
      [{ kanbanIds: ['k2'] }, { ...note, kanbanId: null }, 'kanbanIds'],
      [{ fieldIds: ['title'] }, update, null],
      [{ fieldIds: ['status'] }, update, 'fieldIds'],
      [{ fieldIds: ['status'] }, note, null],
      [{ kanbanIds: ['k2'], fieldIds: ['status'] }, update, 'kanbanIds'],
    ];
    for (const [filters, event, expected] of cases) {
      assert.equal(filteredBy({ ...all, ...filters }, event), expected, JSON.stringify([filters, event]));
    }
  });

  it('deliveries and verdicts follow the rules, over random filters and events', async () => {
    const { accountId } = service.admin;
    const { db } = service.context;
    const kanbans = Array.from({ length: 3 }, () => newId());
    const fields = ['title', 'status', 'assignedUserIds', newId(), newId()];
    const anyFilters = fc.record({
      events: fc.subarray([...webhookEvents], { minLength: 1 }),
      kanbanIds: fc.subarray(kanbans),
      fieldIds: fc.subarray(fields),
    });
    const anyEvent = fc.record({
      event: fc.constantFrom(...webhookEvents),
      kanbanId: fc.constantFrom(null, ...kanbans),
      fieldId: fc.constantFrom(null, ...fields),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyFilters, { minLength: 1, maxLength: 6 }),
        fc.array(anyEvent, { minLength: 1, maxLength: 6 }),
        async (allFilters, events) => {
          const now = service.context.clock.now();
          const filtersOf = new Map<string, Filters>();
          const frozen = await db.transaction(async (tx) => {
            await tx.query(sql`delete from webhooks where account_id = ${accountId}`);
            for (const filters of allFilters) {
              const id = newId();
              filtersOf.set(id, filters);
              await insertWebhook(tx, accountId, webhook(id, filters, now), 'sealed');
              await insertFilters(tx, accountId, id, filters, now - 1);
            }
            const emitted = [];
            for (const [index, event] of events.entries()) {
              const subject = {
                accountId,
                subjectId: newId(),
                sequence: index + 1,
                data: {},
                timestamp: now,
              };
              emitted.push(await emit(tx, { ...event, ...subject }));
            }
            return emitted;
          });
          for (const [index, event] of events.entries()) {
            const verdicts = await hooks.verdicts(frozen[index]!.id);
            for (const [id, filters] of filtersOf) {
              const rule = filteredBy(filters, event);
              assert.equal(verdicts[id], rule === null ? 'held' : `filtered by ${rule}`);
            }
            assert.equal(Object.keys(verdicts).length, filtersOf.size);
          }
        },
      ),
      { numRuns: runsOf(40), seed },
    );
  });

  it('a record on a filtered board and a changed field reach just the webhooks that asked', async () => {
    const [board] = (await service.call('GET', '/kanbans')).body.items;
    const other = (await service.call('POST', '/kanbans', { body: { name: 'Other' } })).body;
    const all = ['crm_record_created', 'crm_field_update', 'crm_record_deleted'];
    const make = (filter: object) => hooks.create(url, { events: all, enabled: false, ...filter });
    const everything = await make({});
    const onOther = await make({ kanbanIds: [other.id] });
    const titles = await make({ fieldIds: ['title'], events: ['crm_field_update'] });
    const phones = await make({ fieldIds: [board.fields[0].id], kanbanIds: [board.id] });

    const record = await hooks.createRecord({ title: 'First' });
    await service.call('PUT', `/crm/records/${record.recordId}`, {
      body: { title: 'Second', status: board.statuses[1].value },
    });
    await service.call('DELETE', `/crm/records/${record.recordId}`);
    const got = async ({ id }: { id: string }) =>
      (await hooks.deliveries(id)).map((one) => one.event).reverse();
    assert.deepEqual(await got(everything), [
      'crm_record_created',
      'crm_field_update',
      'crm_field_update',
      'crm_record_deleted',
    ]);
    assert.deepEqual(await got(onOther), []);
    assert.deepEqual(await got(titles), ['crm_field_update']);
    assert.deepEqual(await got(phones), ['crm_record_created', 'crm_record_deleted']);
  });
});

describe('GET /events/{id}', () => {
  let service: TestService;
  let hooks: Hooks;
  before(async () => {
    service = await joinTestService();
    hooks = hooksOf(service);
  });
  after(() => service.close());

  it('has the event as it is sent, and a verdict for every webhook', async () => {
    const held = await hooks.create(url, { enabled: false });
    const filtered = await hooks.create(url, { events: ['ai_pause'] });
    const record = await hooks.createRecord();
    const [delivery] = await hooks.deliveries(held.id);
    const { body } = await service.call('GET', `/events/${delivery!.eventId}`);
    const { verdicts, ...event } = body;
    assert.deepEqual(event, {
      id: delivery!.eventId,
      event: 'crm_record_created',
      timestamp: record.createdAt,
      body: {
        id: delivery!.eventId,
        event: 'crm_record_created',
        timestamp: record.createdAt,
        accountId: service.admin.accountId,
        sequence: 1,
        data: { record },
      },
    });
    assert.deepEqual(verdicts, [
      { webhookId: held.id, status: 'held' },
      { webhookId: filtered.id, status: 'filtered', filteredBy: 'events' },
    ]);
    for (const status of deliveryStatuses) {
      await hooks.change(sql`update webhook_deliveries set status = ${status} where id = ${delivery!.id}`);
      assert.equal((await hooks.verdicts(delivery!.eventId))[held.id], status);
    }
  });

  it('tells of the filters as they were when the event happened', async () => {
    const hook = await hooks.create(url, { events: ['ai_pause'], enabled: false });
    const change = (body: object) => service.call('PATCH', `/webhooks/${hook.id}`, { body });
    const witness = await hooks.create(url, { enabled: false });
    const eventOf = async () => {
      await hooks.createRecord();
      return (await hooks.deliveries(witness.id))[0]!.eventId;
    };
    const [board] = (await service.call('GET', '/kanbans')).body.items;
    const other = (await service.call('POST', '/kanbans', { body: { name: 'Other' } })).body;

    const byEvents = await eventOf();
    await change({ events: ['crm_record_created'], kanbanIds: [other.id] });
    const byKanban = await eventOf();
    await change({ kanbanIds: [board.id] });
    const passed = await eventOf();
    await change({ events: ['note_deleted'], kanbanIds: [] });
    const later = await hooks.create(url);

    assert.equal((await hooks.verdicts(byEvents))[hook.id], 'filtered by events');
    assert.equal((await hooks.verdicts(byKanban))[hook.id], 'filtered by kanbanIds');
    assert.equal((await hooks.verdicts(passed))[hook.id], 'held');
    assert.equal((await hooks.verdicts(passed))[later.id], 'filtered by createdLater');
  });

  it('a test event is for its own webhook alone', async () => {
    const [one, other] = [await hooks.create(url), await hooks.create(url)];
    const { status, body } = await service.call('POST', `/webhooks/${one.id}/test`);
    assert.equal(status, 202);
    const verdicts = await hooks.verdicts(body.eventId);
    assert.equal(verdicts[one.id], 'pending');
    assert.equal(verdicts[other.id], 'filtered by events');
  });

  it('an event that raced with a change names the rule that was in force', async () => {
    const hook = await hooks.create(url, { events: ['ai_pause'] });
    await hooks.createRecord();
    const [event] = await service.context.db.query<Json>(
      sql`select id, created_at from events order by created_at desc, id desc limit 1`,
    );
    // The change was started before the event and committed after it.
    await hooks.change(sql`
      insert into webhook_filters (account_id, webhook_id, since, events, kanban_ids, field_ids)
      select account_id, webhook_id, ${event.created_at}, '{crm_record_created}', kanban_ids, field_ids
      from webhook_filters where webhook_id = ${hook.id}`);
    assert.equal((await hooks.verdicts(event.id))[hook.id], 'filtered by events');
    await hooks.change(
      sql`delete from webhook_filters where webhook_id = ${hook.id} and since < ${event.created_at}`,
    );
    assert.equal((await hooks.verdicts(event.id))[hook.id], 'filtered by createdLater');
  });
});

function webhook(id: string, filters: Filters, now: number) {
  return {
    id,
    url,
    events: [...filters.events],
    kanbanIds: [...filters.kanbanIds],
    fieldIds: [...filters.fieldIds],
    description: '',
    enabled: false,
    disabledReason: null,
    disabledAt: null,
    createdAt: now,
    updatedAt: now,
  };
}
