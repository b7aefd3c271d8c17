import { UsageError } from '../options.ts';
import type { Scenario } from '../scenario.ts';
import { measureCosts } from './cost.ts';
import { openInstance } from './instance.ts';
import { measuresOf, reportOf, type Simulated } from './report.ts';
import { checkInstance, runTraffic } from './simulation.ts';

const apis = 2;
const workers = 2;
const moves = 10;
const finishWithinMs = 120_000;
const fewestSeconds = 5;
const costClients = 8;
const burstSeconds = 2;

/** Many accounts on several cells, with faults on the way. */
export const simulate: Scenario = {
  name: 'simulate',
  about:
    'many accounts on several cells, mixed traffic with faults: nothing lost, nothing wrong, and what it costs',
  onRequest: true,
  async alone({ options, say, onClose }) {
    const { cells, accounts, seed, perSecond, pairs } = options;
    if (options.simulatedSeconds < fewestSeconds) {
      throw new UsageError(`simulate needs --seconds ${fewestSeconds} or more`);
    }
    const common = { accounts, seed, durable: true, apis, workers, say, onClose };
    const instance = await openInstance({ ...common, cells });
    const run = await runTraffic(instance, { seconds: options.simulatedSeconds, perSecond, moves, say });
    say('comparing the books');
    const findings = await checkInstance(instance, finishWithinMs);
    const measured = async () => {
      const oneCell = cells > 1 ? [await openInstance({ ...common, cells: 1 })] : [];
      const { warmUpSeconds } = options;
      const instances = [...oneCell, instance];
      const clients = instances.map(() => costClients);
      return measureCosts(instances, { rounds: pairs, burstSeconds, warmUpSeconds, clients, say });
    };
    // An error here must not hide what was found before.
    const costs = await measured().catch((error: Error) => {
      say(`the processor time could not be measured: ${error.stack}`);
      return null;
    });
    const simulated: Simulated = { instance, run, findings, costs, seed };
    return { measures: measuresOf(simulated), text: reportOf(simulated) };
  },
};
