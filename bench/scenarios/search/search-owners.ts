import { prepareAccount } from '../../api.ts';
import { fillRecords } from '../../corpus/fill.ts';
import type { Side } from '../../processes.ts';
import type { Measure, Scenario } from '../../scenario.ts';
import type { Stage } from '../../stage.ts';

const accounts = 24;
const passes = 10;
const words = ['london', 'mar', 'lovelcae', 'gmail', 'an'];
const database = 'search_owners';

/** Two processes that own accounts beside two that do not, on the same database. */
export const searchOwners: Scenario = {
  name: 'search-owners',
  about: `${accounts} accounts searched in turns on two processes: memory of each with owners and without`,
  onRequest: true,
  fillsItself: true,
  async measure(stage) {
    const SECRET_KEY = 'a key of one run that is long enough';
    const alone = { role: 'api', env: { SECRET_KEY } } as const;
    const shared = { role: 'api', env: { SECRET_KEY, NODE_ADDRESS: '127.0.0.1' } } as const;
    const twin = await stage.startTwin(database, alone);
    const records = Math.ceil(stage.options.records / accounts);
    stage.say(`filling ${accounts} accounts with ${records} records each`);
    const tokens: string[] = [];
    for (let i = 0; i < accounts; i++) {
      const account = await prepareAccount(twin.service.url, twin.workspace.jwt, `owned-${i}`);
      await fillRecords(twin.pool, account, records, stage.random);
      tokens.push(account.token);
    }
    const without = [twin.service, await stage.startBeside(database, alone)];
    const before = await measureSearches(stage, without, tokens);
    // Their connections would be too many for PostgreSQL together with those of the next two.
    for (const side of without) await side.stop();
    const owners = [await stage.startBeside(database, shared), await stage.startBeside(database, shared)];
    await untilKnown(owners);
    const after = await measureSearches(stage, owners, tokens);
    return [
      ...before.measures('without owners'),
      ...after.measures('with owners'),
      {
        name: 'memory with owners / without, both processes',
        value: after.bytes / before.bytes,
        goal: { atMost: 0.6 },
      },
    ];
  },
};

async function measureSearches({ say }: Stage, nodes: readonly Side[], tokens: readonly string[]) {
  const times: number[] = [];
  for (let pass = 0; pass <= passes; pass++) {
    for (const [i, token] of tokens.entries()) {
      // Each account on both processes by turns, as behind a load balancer.
      const { url } = nodes[(pass + i) % nodes.length]!;
      const q = words[(pass + i) % words.length]!;
      const begun = performance.now();
      const response = await fetch(`${url}/crm/search?q=${q}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      if (!response.ok) throw new Error(`a search answered ${response.status}: ${await response.text()}`);
      await response.arrayBuffer();
      // By then every process has read its indexes.
      if (pass > 1) times.push(performance.now() - begun);
    }
  }
  const memory = await Promise.all(nodes.map(memoryOf));
  for (const [i, { indexes, bytes }] of memory.entries())
    say(`process ${i + 1}: ${indexes} indexes, ${(bytes / 2 ** 20).toFixed(1)} MB`);
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)]!;
  return {
    bytes: memory.reduce((sum, { bytes }) => sum + bytes, 0),
    measures: (what: string): Measure[] => [
      {
        name: `${what}: largest process, MB of indexes`,
        value: Math.max(...memory.map(({ bytes }) => bytes)) / 2 ** 20,
        goal: null,
      },
      { name: `${what}: search, median ms`, value: at(0.5), goal: null },
      { name: `${what}: search, p95 ms`, value: at(0.95), goal: null },
    ],
  };
}

async function untilKnown(nodes: readonly Side[]): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const counts = await Promise.all(
      nodes.map(async (node) => /^talkboard_nodes (\d+)$/m.exec(await metricsOf(node))?.[1]),
    );
    if (counts.every((count) => Number(count) === nodes.length)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('the processes do not know each other');
}

const metricsOf = async ({ url }: Side) => (await fetch(`${url}/metrics`)).text();

async function memoryOf(node: Side): Promise<{ indexes: number; bytes: number }> {
  const text = await metricsOf(node);
  const figure = (name: string) =>
    Number(new RegExp(`^${name}\\{kind="records"\\} (.+)$`, 'm').exec(text)?.[1]);
  return { indexes: figure('talkboard_search_indexes'), bytes: figure('talkboard_search_index_bytes') };
}
