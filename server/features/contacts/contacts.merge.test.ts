import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { runsOf, seed } from '../../../test/support/sample.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { systemActor } from '../accounts/accounts.ts';
import { openSession } from '../sessions/sessions.ts';

let number = 5_511_920_000_000;
const phone = () => String(++number);

describe('merging contacts', () => {
  let service: TestService;
  let talk: Conversations;
  let call: TestService['call'];
  before(async () => {
    service = await joinTestService();
    talk = conversationsOf(service);
    ({ call } = service);
  });
  after(() => service.close());

  const contact = (id: string) => talk.expect(200, call('GET', `/contacts/${id}`));
  const from = async (externalUserId: string, body: object = {}): Promise<string> => {
    const { sessionId } = await talk.accepted({ sessionId: unique('s'), externalUserId, ...body });
    return (await talk.session(sessionId)).contactId;
  };
  const merge = (id: string, contactId: string) =>
    call('POST', `/contacts/${id}/merge`, { body: { contactId } });
  const undo = (mergeId: string) => call('POST', `/contacts/merges/${mergeId}/undo`);
  const block = (value: string) => call('POST', `/blocked-contacts/${value}`);

  it('takes over identifiers, conversations and cards; the undo gives back exactly what was before', async () => {
    const [a, b] = [phone(), phone()];
    const id = await from(a);
    const otherId = await from(b, { sessionName: 'Bea' });
    await from(b);
    const before = [await contact(id), await contact(otherId)];
    const merged = await talk.expect(200, merge(id, otherId));
    const { mergeId, ...rest } = merged;
    assert.deepEqual(rest, await contact(id));
    assert.equal(rest.name, 'Bea');
    assert.deepEqual(rest.merges, [
      {
        mergeId,
        contactId: otherId,
        name: 'Bea',
        identifiers: [{ kind: 'phone', value: b }],
        at: rest.merges[0]?.at,
      },
    ]);
    assert.equal(rest.sessionCount, 3);
    assert.deepEqual(rest.recordIds, [...before[0].recordIds, ...before[1].recordIds].sort());
    assert.deepEqual(rest.identifiers.map((one: Json) => one.value).sort(), [a, b].sort());
    await talk.expect(404, call('GET', `/contacts/${otherId}`));
    assert.equal(await from(b), id, 'who writes by the other identifier is the same contact');
    const { contacts } = await talk.expect(200, undo(mergeId));
    assert.equal(
      contacts[1].sessionCount,
      3,
      'the new conversation goes to the contact that has its identifier',
    );
    assert.deepEqual(contacts[0], before[0]);
    assert.deepEqual({ ...contacts[1], sessionCount: 2, recordIds: before[1].recordIds }, before[1]);
    const again = await undo(mergeId);
    assert.deepEqual([again.status, again.body.code], [409, 'CONFLICT']);
    const { items } = await talk.expect(200, call('GET', '/audit-log'));
    assert.deepEqual(
      items.slice(0, 2).map((one: Json) => one.action),
      ['contact.merge_undone', 'contact.merged'],
    );
  });

  it('waits for a message that tells identifiers of both, and the message for it, in one order', async () => {
    const { db } = service.context;
    const { accountId } = service.admin;
    const [a, b] = [phone(), phone()];
    const sessionId = unique('s');
    const ids = [await from(a, { sessionId }), await from(b)];
    assert.deepEqual(ids, ids.toSorted());
    const told = {
      externalUserId: a,
      identifiers: [a, b].map((value) => ({ kind: 'phone' as const, value, channelId: null })),
      isTold: true,
      creates: true,
    };
    const lockOf = (id: string) => sql`hashtextextended(${accountId}::text || '/contact/' || ${id}::text, 0)`;
    const opening = await db.transaction(async (tx) => {
      await tx.query(sql`select pg_advisory_xact_lock(${lockOf(ids[0]!)})`);
      const opened = db.transaction((other) => openSession(other, accountId, sessionId, told));
      await eventually(async () => {
        const waiting = await db.query(sql`
          select 1 from pg_locks where locktype = 'advisory' and not granted
            and database = (select oid from pg_database where datname = current_database())`);
        return waiting.length > 0;
      });
      const [row] = await tx.query<{ free: boolean }>(
        sql`select pg_try_advisory_xact_lock(${lockOf(ids[1]!)}) as free`,
      );
      assert.equal(row!.free, true, 'it holds no other contact while it waits for the first');
      return { opened };
    });
    assert.deepEqual([...(await opening.opened).contacts.values()].sort(), ids);
  });

  it('400 with itself or an unknown contact, 404 for an unknown merge, 409 after 30 days', async () => {
    const [id, otherId] = [await from(phone()), await from(phone())];
    const other = await service.createAccount();
    const own = await merge(id, id);
    assert.deepEqual([own.status, own.body.message], [400, 'contactId must be another contact']);
    assert.equal((await merge(id, 'x')).status, 400);
    const { mergeId } = await talk.expect(200, merge(id, otherId));
    assert.equal((await merge(id, otherId)).status, 400, 'it is gone');
    assert.equal((await merge(otherId, id)).status, 404);
    assert.equal((await undo('x')).status, 404);
    const path = `/contacts/merges/${mergeId}/undo`;
    assert.equal((await call('POST', path, { token: other.token })).status, 404);
    await service.context.db.transaction((tx) =>
      tx.query(sql`update contact_merges set at = at - 31 * 86400000::bigint where id = ${mergeId}`),
    );
    assert.equal((await undo(mergeId)).status, 409);
  });

  it('merges on top must be undone first, the 409 names them', async () => {
    const [a, b, c, d] = [await from(phone()), await from(phone()), await from(phone()), await from(phone())];
    const before = [await contact(a), await contact(b), await contact(c), await contact(d)];
    const first = (await talk.expect(200, merge(a, b))).mergeId;
    const second = (await talk.expect(200, merge(a, c))).mergeId;
    const third = (await talk.expect(200, merge(d, a))).mergeId;
    const refused = await undo(first);
    assert.equal(refused.status, 409);
    assert.deepEqual(refused.body.mergeIds, [third, second]);
    assert.ok(refused.body.message.includes(second) && refused.body.message.includes(third));
    for (const mergeId of [third, second, first]) await talk.expect(200, undo(mergeId));
    assert.deepEqual([await contact(a), await contact(b), await contact(c), await contact(d)], before);
  });

  it('an identifier told later follows the one it was told with; later names and blocks stay', async () => {
    const channel = await talk.channel({ type: 'chatapp' });
    const [a, b, id] = [phone(), phone(), unique('US.7')];
    const [first, second] = [await from(a), await from(b)];
    const { mergeId } = await talk.expect(200, merge(first, second));
    const identifiers = [
      { kind: 'phone', value: b },
      { kind: 'chatapp', value: id },
    ] as const;
    await service.context.intake.send(
      systemActor(service.admin.accountId),
      {
        content: 'Hi',
        fromChannelIdentifier: channel.identifier,
        channelType: 'chatapp',
        sessionId: unique('told'),
        externalUserId: b,
      },
      { customer: { identifiers, name: null } },
    );
    await talk.expect(200, call('PATCH', `/contacts/${first}`, { body: { name: 'Renamed' } }));
    await talk.expect(201, block(a));
    const { contacts } = await talk.expect(200, undo(mergeId));
    assert.deepEqual(
      contacts.map((one: Json) => [one.name, one.blocked, one.identifiers.map(({ value }: Json) => value)]),
      [
        ['Renamed', true, [a]],
        [null, true, [b, id]],
      ],
    );
  });

  it('keeps a block over merge and undo', async () => {
    const [a, b] = [phone(), phone()];
    const [first, second] = [await from(a), await from(b)];
    await talk.expect(201, block(b));
    const { mergeId, blocked } = await talk.expect(200, merge(first, second));
    assert.equal(blocked, true);
    assert.equal((await talk.send({ externalUserId: a })).status, 403);
    const { contacts } = await talk.expect(200, undo(mergeId));
    assert.deepEqual(
      contacts.map((one: Json) => one.blocked),
      [false, true],
    );
    assert.equal((await talk.send({ externalUserId: a })).status, 202);
  });

  it('merges and undos in any order: identifiers are never lost or shared, and undoing all restores all', async () => {
    const people = 5;
    const step = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({
          type: fc.constant('merge' as const),
          a: fc.nat(people - 1),
          b: fc.nat(people - 1),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ type: fc.constant('undo' as const), a: fc.nat(9), b: fc.constant(0) }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          type: fc.constant('write' as const),
          a: fc.nat(people - 1),
          b: fc.constant(0),
        }),
      },
    );
    const holds = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 10 }), async (steps) => {
      const phones = Array.from({ length: people }, phone);
      const ids: string[] = [];
      for (const one of phones) ids.push(await from(one));
      const start = await Promise.all(ids.map(contact));
      const counts = phones.map(() => 1);
      /** Which contact has each phone number. */
      let owners = ids.slice();
      const merges: { mergeId: string; owners: string[]; into: string; gone: string }[] = [];
      const isOnTop = (index: number) =>
        merges.slice(index + 1).some(({ into, gone }) => [into, gone].includes(merges[index]!.into));
      for (const { type, a, b } of steps) {
        if (type === 'write') {
          assert.equal(await from(phones[a]!), owners[a]);
          counts[a]!++;
        } else if (type === 'merge') {
          const [into, gone] = [owners[a]!, owners[b]!];
          const { status, body } = await merge(into, gone);
          assert.equal(status, into === gone ? 400 : 200);
          if (status !== 200) continue;
          merges.push({ mergeId: body.mergeId, owners: owners.slice(), into, gone });
          owners = owners.map((owner) => (owner === gone ? into : owner));
        } else if (merges.length > 0) {
          const index = a % merges.length;
          const { mergeId, owners: earlier, gone } = merges[index]!;
          const { status } = await undo(mergeId);
          assert.equal(status, isOnTop(index) ? 409 : 200);
          if (status !== 200) continue;
          owners = owners.map((owner, person) => (earlier[person] === gone ? gone : owner));
          merges.splice(index, 1);
        }
        for (const id of new Set(owners)) {
          const one = await contact(id);
          const own = phones.filter((_, person) => owners[person] === id);
          assert.deepEqual(one.identifiers.map(({ value }: Json) => value).sort(), own.sort());
          const sessions = counts.filter((_, person) => owners[person] === id);
          assert.equal(
            one.sessionCount,
            sessions.reduce((sum, count) => sum + count, 0),
          );
        }
      }
      for (const { mergeId } of merges.toReversed()) await talk.expect(200, undo(mergeId));
      const end = await Promise.all(ids.map(contact));
      const comparable = (list: Json[]) => list.map(({ sessionCount: _, recordIds: __, ...one }) => one);
      assert.deepEqual(comparable(end), comparable(start));
      assert.deepEqual(
        end.map((one) => one.sessionCount),
        counts,
      );
    });
    await fc.assert(holds, { numRuns: runsOf(8), seed });
  });
});
