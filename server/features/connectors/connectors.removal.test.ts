import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { scriptedProvider } from '../../../test/support/providers/scripted-provider.ts';
import { joinTestService, type TestService } from '../../../test/support/service.ts';
import { sql } from '../../platform/db/sql.ts';
import { newId } from '../../platform/ids.ts';
import type { Job } from '../../platform/jobs/jobs.ts';
import { removalHandler, removalJobKind } from './connectors.removal.ts';
import { startSplitter } from './inbound/connectors.split.ts';

let service: TestService;
let agentId: string;
const connector = { kind: 'telegram', mode: 'webhook', credentials: { botToken: 'good-token' } };

// Without a worker: the test sees what the request itself does.
before(async () => {
  service = await joinTestService();
  service.context.providers.set('telegram', scriptedProvider().provider);
  agentId = (await service.call('GET', '/agents')).body.items[0].id;
});
after(() => service.close());

async function channelWithItems(identifier: string, items: number): Promise<string> {
  const body = { name: identifier, identifier, type: 'chatbot', defaultAgentId: agentId, connector };
  const { id } = (await service.call('POST', '/channels', { body })).body;
  const { accountId } = service.admin;
  const ids = Array.from({ length: items }, () => newId());
  await service.context.db.autocommit(sql`
    insert into connector_items (account_id, channel_id, key, id, customer, type, state, received_at)
    select ${accountId}::uuid, ${id}::uuid, id::text, id, 'c', 'message', 'done', 1 from unnest(${ids}::uuid[]) as i (id)`);
  await service.context.db.autocommit(sql`
    insert into connector_inbound (account_id, channel_id, id, body, received_at)
    values (${accountId}, ${id}, ${newId()}, '[]', 1)`);
  return id;
}

const countOf = async (channelId: string): Promise<number[]> => {
  const rows = await service.context.db.query<{ items: number; inbound: number }>(sql`
    select (select count(*)::int from connector_items where channel_id = ${channelId}) as items,
      (select count(*)::int from connector_inbound where channel_id = ${channelId}) as inbound`);
  return [rows[0]!.items, rows[0]!.inbound];
};

/** The job that the request has left, once. */
async function runJob(channelId: string): Promise<number> {
  const { db } = service.context;
  const jobs = await db.autocommit(sql`
    delete from jobs where kind = ${removalJobKind} and payload ->> 'channelId' = ${channelId} returning 1`);
  let batches = 0;
  const job = {
    accountId: service.admin.accountId,
    payload: { channelId },
    isStopping: () => false,
    keep: async () => void batches++,
  } as unknown as Job;
  if (jobs.length > 0) await removalHandler({ db })(job);
  return batches;
}

const change = async (id: string, to: object | null) => {
  assert.equal((await service.call('PATCH', `/channels/${id}`, { body: { connector: to } })).status, 200);
};

it('a job deletes the items of a removed connector in batches, not the request', async () => {
  const id = await channelWithItems('removed', 4_500);
  const other = await channelWithItems('other', 1);
  await change(id, null);
  assert.deepEqual(await countOf(id), [4_500, 1]);
  assert.ok((await runJob(id)) >= 3);
  assert.deepEqual(
    [await countOf(id), await countOf(other)],
    [
      [0, 0],
      [1, 1],
    ],
  );
});

it('a deleted channel leaves its items to the job, and one that is connected again keeps them', async () => {
  const deleted = await channelWithItems('deleted', 3);
  assert.equal((await service.call('DELETE', `/channels/${deleted}`)).status, 200);
  assert.deepEqual(await countOf(deleted), [3, 1]);
  await runJob(deleted);
  assert.deepEqual(await countOf(deleted), [0, 0]);
  const again = await channelWithItems('again', 3);
  await change(again, null);
  await change(again, connector);
  await runJob(again);
  assert.deepEqual(await countOf(again), [3, 1]);
});

it('what came in for a removed connector becomes nothing', async () => {
  const id = await channelWithItems('late', 0);
  await change(id, null);
  const splitter = startSplitter(service.context);
  try {
    await eventually(async () => (await countOf(id))[1] === 0);
  } finally {
    await splitter.stop();
  }
  assert.deepEqual(await countOf(id), [0, 0]);
});
