import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Conversations, conversationsOf, unique } from '../../../test/support/conversations.ts';
import { startTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { backfillBatch } from './contacts.backfill.ts';

describe('contacts of older conversations', () => {
  let service: TestService;
  let talk: Conversations;
  before(async () => {
    service = await startTestService();
    talk = conversationsOf(service);
  });
  after(() => service.close());

  /** The database of a release without contacts. */
  const forget = () =>
    service.context.db.transaction(async (tx) => {
      await tx.query(sql`update sessions set contact_id = null`);
      await tx.query(sql`delete from contact_identifiers`);
      await tx.query(sql`delete from contacts`);
      await tx.query(sql`delete from contact_backfill`);
    });
  const batch = (size: number) => service.context.db.transaction((tx) => backfillBatch(tx, size));
  const contactsOf = async (sessionIds: string[]) =>
    Promise.all(sessionIds.map(async (id) => (await talk.session(id)).contactId));

  it('are created in batches, resumed after a crash, while messages arrive', async () => {
    const people = ['+55 11 93000-0001', 'backfill@example.com', 'crm-1'];
    const ids: string[] = [];
    for (let n = 0; n < 9; n++) {
      const sessionId = unique('older');
      await talk.accepted({
        sessionId,
        externalUserId: people[n % 3],
        ...(n < 3 && { sessionName: `Person ${n}` }),
      });
      ids.push(sessionId);
    }
    const [none, blocked] = [unique('none'), unique('blocked')];
    await talk.accepted({ sessionId: none });
    await talk.accepted({ sessionId: blocked, externalUserId: blocked });
    await forget();
    await talk.expect(201, service.call('POST', `/blocked-contacts/${blocked}`));
    assert.equal(await batch(2), 'more');
    await assert.rejects(
      service.context.db.transaction(async (tx) => {
        await backfillBatch(tx, 4);
        throw new Error('killed');
      }),
    );
    let result = 'more';
    const writing = Promise.all(people.map((externalUserId) => talk.accepted({ externalUserId })));
    while (result === 'more') result = await batch(2);
    assert.equal(result, 'done');
    const written = (await writing).map((one) => one.sessionId);
    const contacts = await contactsOf([...ids, ...written]);
    assert.equal(new Set(contacts).size, 3);
    for (const [index, contactId] of contacts.entries()) assert.equal(contactId, contacts[index % 3]);
    const { items } = await talk.expect(200, service.call('GET', '/contacts'));
    assert.deepEqual(
      items.map((one: { sessionCount: number }) => one.sessionCount),
      [4, 4, 4],
    );
    assert.deepEqual(await contactsOf([none, blocked]), [null, null]);
    assert.equal(await batch(2), 'done');
  });
});
