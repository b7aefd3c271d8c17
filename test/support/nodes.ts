/** Several services on one database that know each other as nodes. */
import { hashOf, rankFor } from '../../server/platform/nodes/rendezvous.ts';
import { eventually } from './eventually.ts';
import { type SecondService, startTestService, type TestService } from './service.ts';

export interface TestNode extends SecondService {
  base: string;
  /** The process is gone without a word: its connections break, and its row stays. */
  crash(): Promise<void>;
  calls(outcome: 'answered' | 'failed'): Promise<number>;
}

export interface TestNodes {
  service: TestService;
  all: TestNode[];
  /** Which of the nodes owns the account. */
  ownerOf(accountId: string): TestNode;
  close(): Promise<void>;
}

export async function startNodes(count: number, cells: readonly string[] = []): Promise<TestNodes> {
  // The address of a node is known when it listens.
  const service = await startTestService({ cells, env: { NODE_ADDRESS: '127.0.0.1' } });
  const services: SecondService[] = [service];
  while (services.length < count) services.push(await service.startSecond());
  const all = await Promise.all(services.map(join));
  await eventually(() => all.every(({ context }) => context.nodes!.count() === count));
  return {
    service,
    all,
    ownerOf(accountId) {
      const [first] = rankFor(
        accountId,
        all.map((node) => ({ node, id: node.context.nodes!.id, hash: hashOf(node.base) })),
      );
      return first!.node;
    },
    async close() {
      for (const node of all.slice(1)) await node.close();
      await service.close();
    },
  };
}

async function join(service: SecondService): Promise<TestNode> {
  const { app, context } = service;
  const base = await app.listen({ host: '127.0.0.1', port: 0 });
  await context.nodes!.announce(base);
  return {
    ...service,
    base,
    async crash() {
      const closed = new Promise((resolve) => app.server.close(resolve));
      app.server.closeAllConnections();
      await closed;
    },
    async calls(outcome) {
      const { values } = await context.metrics.registry.getSingleMetric('talkboard_node_calls_total')!.get();
      return values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
    },
  };
}
