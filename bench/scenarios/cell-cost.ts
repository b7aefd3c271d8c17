import { plainTable } from '../report.ts';
import type { Scenario } from '../scenario.ts';
import { type KindCost, measureCosts } from '../simulate/cost.ts';
import { openInstance } from '../simulate/instance.ts';
import type { Kind } from '../simulate/traffic.ts';
import type { Micros } from '../simulate/usage.ts';

const measured: readonly Kind[] = ['get', 'create', 'send'];
const accountsAtMost = 1_000;

/**
 * What a request costs on several cells beside one, both new and with the same accounts. With the same clients each cell has
 * a part of the traffic, so fewer requests share a statement or a commit. With as many clients for each cell as the one
 * cell has in all, each cell has the same traffic as the one: that is what an instance with more customers pays.
 */
export const cellCost: Scenario = {
  name: 'cell-cost',
  about:
    'processor time of a request on several cells beside one: with the same traffic, and with as much for each cell',
  onRequest: true,
  async alone({ options, say, onClose }) {
    const { seed, cells, clients, pairs, seconds, warmUpSeconds } = options;
    const accounts = Math.min(options.accounts, accountsAtMost);
    const common = { accounts, seed, durable: true, apis: 1, workers: 1, say, onClose };
    const one = await openInstance({ ...common, cells: 1 });
    const all = await openInstance({ ...common, cells });
    const { byKind, idle } = await measureCosts([one, all, all], {
      ...{ rounds: pairs, burstSeconds: seconds, warmUpSeconds, kinds: measured, say },
      clients: [clients, clients, clients * cells],
    });
    const text = plainTable({
      headings: [
        'call',
        'one cell',
        `${cells} cells`,
        'ratio',
        `${cells} cells, ${cells} times the clients`,
        'ratio',
      ],
      rows: [
        ...byKind.map((cost) => rowOf(cost, micros)),
        rowOf({ kind: 'without traffic', costs: idle }, percent),
      ],
    });
    const mix = byKind.at(-1)!;
    return {
      text: `Processor time of one call, µs, service + PostgreSQL, ${clients} clients:\n\n${text}`,
      measures: [
        { name: `mix on ${cells} cells / on one, same clients`, value: ratio(mix, 1), goal: null },
        { name: 'the same traffic for each cell', value: ratio(mix, 2), goal: { atMost: 1.1 } },
      ],
    };
  },
};

type Costs = Pick<KindCost, 'costs'>;
const sum = ({ nodes, database }: Micros) => nodes + database;
const ratio = ({ costs }: Costs, index: number) => sum(costs[index]!) / sum(costs[0]!);
const micros = ({ nodes, database }: Micros) => `${Math.round(nodes)} + ${Math.round(database)}`;
const percent = ({ nodes, database }: Micros) =>
  `${(nodes / 10_000).toFixed(1)} % + ${(database / 10_000).toFixed(1)} %`;

function rowOf({ kind, costs }: Costs & { kind: string }, text: (cost: Micros) => string): string[] {
  const [one, same, more] = costs.map(text) as [string, string, string];
  return [kind, one, same, ratio({ costs }, 1).toFixed(2), more, ratio({ costs }, 2).toFixed(2)];
}
