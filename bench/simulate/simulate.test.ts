import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import pg from 'pg';
import { openInstance } from './instance.ts';
import { explain } from './outcomes.ts';
import { measuresOf, reportOf } from './report.ts';
import { checkInstance, runTraffic } from './simulation.ts';

const closers: (() => unknown)[] = [];
const say = () => {};

describe('a short simulation on two cells', () => {
  after(async () => {
    for (const step of closers.splice(0).reverse()) await step();
  });

  it('loses nothing, and notices when something is lost', async () => {
    const onClose = (step: () => unknown) => void closers.push(step);
    const size = { cells: 2, accounts: 40, apis: 2, workers: 1 };
    const seed = 7;
    const instance = await openInstance({ ...size, seed, durable: false, say, onClose });
    const run = await runTraffic(instance, { seconds: 10, perSecond: 15, moves: 2, say });
    const findings = await checkInstance(instance, 60_000);
    const simulated = { instance, run, findings, costs: null, seed };
    const report = reportOf(simulated);
    for (const { name, value, goal } of measuresOf(simulated)) {
      // The others depend on what else the machine does.
      if (goal && 'atMost' in goal && goal.atMost === 0)
        assert.equal(value, 0, `${name}: ${value}\n${report}`);
    }
    assert.ok(run.acknowledged > 40, report);
    assert.ok(run.deliveries > 0);
    assert.deepEqual(run.faults.killed, ['api 2', 'worker 1']);
    assert.equal(run.faults.stoppedCell, 'c2');
    // The cell was really away, for its own accounts only.
    const stopped = run.outcomes
      .failures()
      .filter((one) => explain(one, run.faults.windows) === 'cell stopped');
    assert.ok(stopped.length > 0);
    assert.match(report, /LEFT OUT|moved in/);

    // Removed behind the service's back: the same check must find it.
    const account = instance.accounts.find(({ id }) => instance.books.of(id).records.size > 0)!;
    const [lost] = instance.books.of(account.id).records.keys();
    const cell = instance.deployment.cells.find(({ name }) => name === account.cell)!;
    const client = new pg.Client(cell.connection);
    await client.connect();
    await client.query('delete from records where account_id = $1 and id = $2', [account.id, lost]);
    await client.end();
    const again = await checkInstance(instance, 0);
    assert.equal(again.lost.length, 1);
    assert.ok(again.lost[0]!.includes(lost!));
  });
});
