import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { eventually } from '../test/support/eventually.ts';
import { connectLive, type LiveClient, listen } from '../test/support/live.ts';
import { startTestService, type TestService } from '../test/support/service.ts';
import { sql } from './platform/db/sql.ts';

const perSecond = 5;

describe('a service that nobody uses', () => {
  let service: TestService;
  let window: LiveClient;
  before(async () => {
    service = await startTestService({ worker: true });
    window = await connectLive(await listen(service.app), service.call, service.admin.jwt);
  });
  after(async () => {
    mock.restoreAll();
    await window?.end();
    await service?.close();
  });

  it('sends at most five statements a second, with its worker and an open window', async () => {
    // Runs of rules that wait cost nothing.
    await service.context.db.query(sql`
      insert into automation_runs (account_id, id, rule_id, rule_name, version, cause_row, cause_type, cause_id, subject,
        state, due_at, chain, created_at)
      select ${service.admin.accountId}::uuid, gen_random_uuid(), gen_random_uuid(), 'Rule', 1, gen_random_uuid(), 'message', 'm', 's:' || n,
        'waiting', 253402300799000, '[]', 0
      from generate_series(1, 10000) n`);
    const { mock: sent } = mock.method(pg.Client.prototype, 'query');
    const { database } = service.connection;
    const countFor = async (seconds: number) => {
      sent.resetCalls();
      await sleep(seconds * 1_000);
      return sent.calls.filter((call) => (call.this as unknown as pg.Client).database === database).length;
    };
    // What follows its start takes a moment.
    await eventually(async () => (await countFor(1)) <= perSecond);
    const count = await countFor(4);
    assert.ok(count > 4, `only ${count} statements were counted`);
    assert.ok(count <= 4 * perSecond, `${count} statements in four seconds`);
  });
});
