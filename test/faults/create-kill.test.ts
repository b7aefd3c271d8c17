/** kill -9 at random moments of a load of creates: what was answered is there, with its event, and nothing by halves. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createToken,
  eventually,
  isFull,
  openWorkshop,
  type Program,
  type Reply,
  untilReady,
  type Workshop,
} from './support.ts';

const kills = isFull ? 100 : 1;
const lines = 12;

/** What the clients know: records that were acknowledged, and keyed requests whose answer never came. */
class Ledger {
  readonly name: string;
  readonly acknowledged = new Map<string, string>();
  readonly unanswered = new Set<string>();
  readonly statuses = new Map<number, number>();
  requests = 0;

  constructor(name: string) {
    this.name = name;
  }
}

describe('kill -9 during a load of creates', () => {
  let workshop: Workshop;
  let token: string;
  let survivor: Program | null = null;
  before(() => {
    workshop = openWorkshop();
  });
  after(() => workshop.close());

  /** By turns the single-statement create, the one that looks for duplicates, the one with a key, and a batch. */
  async function create(program: Program, ledger: Ledger, n: number): Promise<void> {
    const title = `${ledger.name}-${ledger.requests++}`;
    const keyed = n % 4 === 2;
    const headers = { authorization: `Bearer ${token}`, ...(keyed && { 'idempotency-key': title }) };
    let reply: Reply;
    try {
      if (n % 4 === 3) {
        const items = [0, 1, 2].map((i) => ({ title: `${title}.${i}` }));
        reply = await program.call('POST', '/crm/records/batch', { items }, headers);
      } else {
        const body = { title, ...(n % 4 === 1 && { channelId: 'c' }) };
        reply = await program.call('POST', '/crm/records', body, headers);
      }
    } catch {
      // The connection broke: whether it was created is not known, and either is right.
      if (keyed) ledger.unanswered.add(title);
      return;
    }
    ledger.statuses.set(reply.status, (ledger.statuses.get(reply.status) ?? 0) + 1);
    if (reply.status === 201) ledger.acknowledged.set(reply.body.recordId, title);
    else if (reply.status === 200) {
      for (const { status, record } of reply.body.results) {
        assert.equal(status, 201);
        ledger.acknowledged.set(record.recordId, record.title);
      }
    } else {
      if (keyed) ledger.unanswered.add(title);
      await sleep(50);
    }
  }

  /** The blow must fall on a load that runs. */
  const someAnswered = (ledger: Ledger) => {
    const before = ledger.acknowledged.size;
    return eventually('creates are answered', async () => ledger.acknowledged.size > before + lines);
  };
  const oddStatuses = (ledger: Ledger) =>
    [...ledger.statuses.keys()].filter((status) => ![200, 201, 503].includes(status));

  async function checkLedger(ledger: Ledger): Promise<void> {
    const stored = await workshop.query<{ id: string; title: string }>(
      'select id, title from records where id = any($1::uuid[])',
      [[...ledger.acknowledged.keys()]],
    );
    const titles = new Map(stored.map((row) => [row.id, row.title]));
    const lost = [...ledger.acknowledged].filter(([id, title]) => titles.get(id) !== title);
    assert.deepEqual(lost, [], 'acknowledged records are missing');
    const [halves] = await workshop.query<Record<string, number>>(`
      select (select count(*) from records)::int as records,
        (select count(*) from events where event = 'crm_record_created')::int as events,
        (select count(*) from records r where not exists (
          select from events e where e.account_id = r.account_id and e.subject_id = r.id::text and e.sequence = 1
            and e.event = 'crm_record_created' and e.body::jsonb #>> '{data,record,recordId}' = r.id::text
        ))::int as "recordsWithoutEvent",
        (select count(*) from events e where not exists (
          select from records r where r.account_id = e.account_id and r.id::text = e.subject_id))::int
          as "eventsWithoutRecord",
        (select count(*) - count(distinct title) from records)::int as "createdTwice"`);
    const { recordsWithoutEvent, eventsWithoutRecord, createdTwice } = halves!;
    assert.deepEqual(
      { recordsWithoutEvent, eventsWithoutRecord, createdTwice },
      { recordsWithoutEvent: 0, eventsWithoutRecord: 0, createdTwice: 0 },
    );
    assert.equal(halves!.records, halves!.events);
    assert.ok(halves!.records! >= ledger.acknowledged.size);
  }

  /** A key whose answer was lost may be sent again: the record is made once, whichever of the two made it. */
  async function sendUnansweredAgain(program: Program, ledger: Ledger): Promise<void> {
    for (const title of ledger.unanswered) {
      const headers = { authorization: `Bearer ${token}`, 'idempotency-key': title };
      const reply = await program.call('POST', '/crm/records', { title }, headers);
      assert.equal(reply.status, 201, JSON.stringify(reply.body));
      ledger.acknowledged.set(reply.body.recordId, title);
    }
    ledger.unanswered.clear();
  }

  it(`${kills} kills of the service: every 201 is there with its event, none without the other`, async () => {
    const ledger = new Ledger('service');
    for (let round = 0; round <= kills; round++) {
      const program = await workshop.start();
      token ??= await createToken(program);
      await sendUnansweredAgain(program, ledger);
      await checkLedger(ledger);
      if (round === kills) {
        // The next case goes on with it.
        survivor = program;
        break;
      }
      const load = workshop.load(lines, (n) => create(program, ledger, n));
      await someAnswered(ledger);
      await sleep(workshop.random() * 500);
      await program.kill();
      await load.stop();
    }
    console.log(`${kills} kills, ${ledger.acknowledged.size} creates acknowledged, none lost`);
  });

  it(`${kills} kills of PostgreSQL: the service survives, answers 201, 200 or 503, and nothing is lost`, async () => {
    const ledger = new Ledger('postgres');
    const program = survivor ?? (await workshop.start());
    token ??= await createToken(program);
    for (let round = 0; round < kills; round++) {
      const load = workshop.load(lines, (n) => create(program, ledger, n));
      await someAnswered(ledger);
      await sleep(workshop.random() * 500);
      process.kill(workshop.postmasterPid(), 'SIGKILL');
      await sleep(workshop.random() * 300);
      const ms = await untilReady(program);
      console.log(`healthy again after ${Math.round(ms)} ms`);
      await load.stop();
      assert.ok(program.isRunning(), program.output());
      await sendUnansweredAgain(program, ledger);
      await checkLedger(ledger);
    }
    assert.deepEqual(oddStatuses(ledger), [], program.output());
    assert.equal(await program.stop(), 0);
    console.log(`${kills} kills of PostgreSQL, ${JSON.stringify([...ledger.statuses])}, none lost`);
  });
});
