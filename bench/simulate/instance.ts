/** A deployment with its accounts, its clients and their books: everything that traffic needs. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Random } from '../corpus/random.ts';
import { createAccounts, type Disk, databaseSize, type SimulatedAccount } from './accounts.ts';
import { type Balancer, openBalancer } from './balancer.ts';
import { type Books, openBooks } from './books.ts';
import { type Deployment, openDeployment } from './deployment.ts';
import { type Outcomes, openOutcomes } from './outcomes.ts';
import { openReceiver, type SimulationReceiver } from './receiver.ts';
import { trafficOver } from './skew.ts';
import { openTraffic, type Traffic } from './traffic.ts';
import { openUsageMeter, type UsageMeter } from './usage.ts';

export interface InstanceOptions {
  cells: number;
  accounts: number;
  seed: number;
  durable: boolean;
  apis: number;
  workers: number;
  say(line: string): void;
  onClose(step: () => unknown): void;
}

export interface Instance {
  deployment: Deployment;
  /** The largest and busiest first. */
  accounts: SimulatedAccount[];
  balancer: Balancer;
  books: Books;
  receiver: SimulationReceiver;
  usage: UsageMeter;
  traffic: Traffic;
  drawAccount(): SimulatedAccount;
  outcomes(): Outcomes;
  /** Counts anew from here on; the previous count is returned. */
  newOutcomes(): Outcomes;
  disk: Disk;
  /** Of all cells: connections of clients, and bytes. */
  sizes(): Promise<{ connections: number; bytes: number }>;
  /** Until there is no reply and no delivery left to do. */
  drained(): Promise<void>;
  /** When the accounts were ready, in milliseconds since 1970. */
  beganAt: number;
}

const lookEveryMs = 200;
const connections = `select count(*) from pg_stat_activity where backend_type = 'client backend'`;
const unfinished = `select (select count(*) from pending_replies)
  + (select count(*) from webhook_deliveries where status in ('pending', 'retrying'))`;
/** Clocks of this machine and of PostgreSQL are the same; the accounts' first records are a minute older. */
const marginMs = 5_000;

export async function openInstance(options: InstanceOptions): Promise<Instance> {
  const { cells, accounts: count, say, onClose } = options;
  say(`starting ${cells} ${cells === 1 ? 'cell' : 'cells'}, ${options.apis} api, ${options.workers} worker`);
  const deployment = await openDeployment(options);
  const random = new Random(options.seed);
  let began = performance.now();
  const { accounts, disk } = await createAccounts(deployment, count, random);
  const records = accounts.reduce((sum, { size }) => sum + size, 0);
  say(`${count} accounts with ${records} records in ${seconds(began)} s`);
  const books = openBooks();
  let outcomes = openOutcomes();
  const balancer = openBalancer(deployment, () => outcomes);
  onClose(() => balancer.close());
  const receiver = await openReceiver(books);
  onClose(() => receiver.close());
  began = performance.now();
  await receiver.subscribe(accounts, balancer);
  say(`webhooks in ${seconds(began)} s`);
  const usage = openUsageMeter(deployment);
  onClose(() => usage.close());
  const newOutcomes = () => {
    const before = outcomes;
    outcomes = openOutcomes();
    return before;
  };
  newOutcomes();
  const pools = deployment.cells.map(({ connection }) => {
    const pool = new pg.Pool({ ...connection, max: 1 });
    // A cell is stopped on the way.
    pool.on('error', () => {});
    onClose(() => pool.end());
    return pool;
  });
  const sumOf = async (query: string): Promise<number> => {
    const answers = await Promise.all(pools.map((pool) => pool.query(query)));
    return answers.reduce((sum, { rows }) => sum + Number(Object.values(rows[0])[0]), 0);
  };
  return {
    deployment,
    accounts,
    balancer,
    books,
    receiver,
    usage,
    traffic: openTraffic({ balancer, books, random }),
    drawAccount: trafficOver(accounts, random),
    outcomes: () => outcomes,
    newOutcomes,
    disk,
    sizes: async () => ({ connections: await sumOf(connections), bytes: await sumOf(databaseSize) }),
    async drained() {
      while ((await sumOf(unfinished)) > 0) await sleep(lookEveryMs);
    },
    beganAt: Date.now() - marginMs,
  };
}

const seconds = (since: number) => ((performance.now() - since) / 1000).toFixed(1);
