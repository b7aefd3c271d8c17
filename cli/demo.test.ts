import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { fieldTypes } from '../contract/limits.ts';
import { runCli, settingsFor } from '../test/support/cli.ts';
import { dumpTables, queryRows } from '../test/support/dump.ts';
import { type Json, startTestService, type TestService } from '../test/support/service.ts';

/** Boards have a version that only ever rises, and a token remembers its last use. */
const changing = { accounts: ['definitions_version'], api_tokens: ['last_used_at'] };

describe('talkboard demo', () => {
  let service: TestService;
  let settings: Record<string, string>;
  before(async () => {
    service = await startTestService();
    settings = settingsFor(service.connection, service.context.config.dataDir);
  });
  after(() => service.close());

  const demo = (...args: string[]) => runCli(['demo', ...args], settings);
  const demoBoards = async (): Promise<Json[]> => {
    const { body } = await service.call('GET', '/kanbans');
    return body.items.filter((kanban: Json) => kanban.name.startsWith('Demo '));
  };
  const recordsOf = async (kanbanId: string): Promise<Json[]> => {
    const { body } = await service.call('GET', `/crm/records?limit=100&kanbanId=${kanbanId}`);
    return body.items;
  };

  it('fills boards with fields of every type and about two hundred records', async () => {
    const { code, stdout, stderr } = await demo('--password', 'for the people of the demo');
    assert.equal(code, 0, stderr);
    assert.equal(stdout, '');
    const boards = await demoBoards();
    assert.equal(boards.length, 3);
    const types = new Set(boards.flatMap((board) => board.fields.map((field: Json) => field.type)));
    assert.deepEqual([...types].sort(), [...fieldTypes].sort());
    const [{ count }] = (await queryRows<{ count: number }>(
      service.connection,
      'select count(*)::int as count from records',
    )) as [{ count: number }];
    assert.ok(count >= 180 && count <= 220, String(count));
    for (const board of boards) {
      const values = (await recordsOf(board.id)).flatMap((record) => Object.keys(record.customFields));
      assert.equal(new Set(values).size, board.fields.length, `every field of ${board.name} has values`);
    }
    assert.ok(await service.login(await emailOfOnePerson(), 'for the people of the demo'));
  });

  it('left an event for every record and every change, in order', async () => {
    const wrong = await queryRows(
      service.connection,
      `select r.id from records r where r.event_sequence <> (select count(*) from events e
         where e.account_id = r.account_id and e.subject_id = r.id::text)
       union all
       select e.id from events e join events f on f.account_id = e.account_id and f.subject_id = e.subject_id
         and f.sequence = e.sequence + 1 and (f.created_at < e.created_at or f.id < e.id)`,
    );
    assert.deepEqual(wrong, []);
    const names = await queryRows<{ event: string }>(
      service.connection,
      'select distinct event from events order by 1',
    );
    assert.deepEqual(
      names.map(({ event }) => event),
      ['crm_field_update', 'crm_record_created', 'crm_record_deleted'],
    );
  });

  it('is not made twice', async () => {
    const { code, stderr } = await demo();
    assert.equal(code, 1);
    assert.match(stderr, /there already/);
  });

  it('is not removed while a record of somebody else stands on it, unless forced', async () => {
    const [board] = await demoBoards();
    const body = { title: 'A real customer' };
    await service.call('POST', `/crm/records?kanbanId=${board.id}`, { body });
    const { code, stderr } = await demo('--remove');
    assert.equal(code, 1);
    assert.match(stderr, /1 record\(s\) .* made by somebody else/);
    assert.equal((await demoBoards()).length, 3);
    assert.equal((await demo('--remove', '--force')).code, 0);
    assert.equal((await demoBoards()).length, 0);
  });

  it('is removed without a trace, whatever was done with it', async () => {
    // The search's tombstones are no trace of the demo: they say only that an id is gone, and go within a day.
    const dump = async () => ({ ...(await dumpTables(service.connection, changing)), record_deletions: [] });
    const before = await dump();
    assert.equal((await demo('--password', 'for the people of the demo')).code, 0);
    const boards = await demoBoards();
    const [record] = await recordsOf(boards[0].id);
    await service.call('PUT', `/crm/records/${record.recordId}`, { body: { title: 'Changed by hand' } });
    await service.call('DELETE', `/crm/records/${(await recordsOf(boards[1].id))[0].recordId}`);
    await service.call('PATCH', `/kanbans/${boards[2].id}`, { body: { name: 'Renamed' } });
    await service.login(await emailOfOnePerson(), 'for the people of the demo');
    assert.equal((await demo('--remove')).code, 0);
    assert.deepEqual(await dump(), before);
  });

  it('takes its people off the records of others with an event', async () => {
    assert.equal((await demo()).code, 0);
    const { body: users } = await service.call('GET', '/users');
    const person = users.items.find((user: Json) => user.name === 'Mei Tanaka');
    const { body: mine } = await service.call('POST', '/crm/records', {
      body: { title: 'Mine', assignedUserIds: [person.id, service.admin.userId] },
    });
    assert.equal((await demo('--remove')).code, 0);
    const { body } = await service.call('GET', `/crm/records/${mine.recordId}`);
    assert.deepEqual(body.assignedUserIds, [service.admin.userId]);
    const events = await queryRows<{ field_id: string }>(
      service.connection,
      `select field_id from events where subject_id = $1 and event = 'crm_field_update'`,
      [mine.recordId],
    );
    assert.deepEqual(events, [{ field_id: 'assignedUserIds' }]);
  });

  it('stays while one of its boards is the default one', async () => {
    assert.equal((await demo()).code, 0);
    const [board] = await demoBoards();
    const { body: all } = await service.call('GET', '/kanbans');
    const original = all.items.find((kanban: Json) => kanban.isDefault);
    await service.call('PATCH', `/kanbans/${board.id}`, { body: { isDefault: true } });
    const { code, stderr } = await demo('--remove');
    assert.equal(code, 1);
    assert.match(stderr, /make another one the default first/);
    await service.call('PATCH', `/kanbans/${original.id}`, { body: { isDefault: true } });
    assert.equal((await demo('--remove')).code, 0);
    const nothing = await demo('--remove');
    assert.equal(nothing.code, 1);
    assert.match(nothing.stderr, /has no demo/);
  });

  async function emailOfOnePerson(): Promise<string> {
    const { body } = await service.call('GET', '/users');
    return body.items.find((user: Json) => user.name === 'Ana Ribeiro').email;
  }
});
