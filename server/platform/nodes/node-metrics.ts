import type { Metrics } from '../http/metrics.ts';

export const nodeMetrics = ({ ofProcess }: Metrics) => ({
  nodes: ofProcess.gauge({
    name: 'talkboard_nodes',
    help: 'Live processes that search for each other, as this one sees them; 0: it searches alone.',
  }),
  calls: ofProcess.counter({
    name: 'talkboard_node_calls_total',
    help: 'Searches sent to the node that owns the account, by outcome.',
    labels: ['outcome'],
  }),
});
