/** A whole instance on this machine: cells, and processes of the roles api and worker. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Side, startService, startWorkerProcess } from '../processes.ts';
import { type CellServer, startCellServer } from './cell-server.ts';

export interface Node {
  name: string;
  role: 'api' | 'worker';
  /** Null while it is down. */
  side: Side | null;
}

export interface Deployment {
  /** Home first. */
  cells: readonly CellServer[];
  nodes: readonly Node[];
  /** The settings that processes and commands share. */
  env: Record<string, string>;
  secretKey: string;
  dataDir: string;
  start(node: Node): Promise<void>;
  kill(node: Node): Promise<void>;
  /** Until every process that answers requests reaches every cell. */
  whole(): Promise<void>;
}

export interface DeploymentOptions {
  cells: number;
  apis: number;
  workers: number;
  durable: boolean;
  onClose(step: () => unknown): void;
}

const secretKey = 'a key for the time of one simulation';
const wholeWithinMs = 60_000;
const lookEveryMs = 50;

/** Removed at the end. */
export function openSimulationDir(onClose: DeploymentOptions['onClose']): string {
  const dir = mkdtempSync(join(tmpdir(), 'talkboard-sim-'));
  onClose(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export async function openDeployment(options: DeploymentOptions): Promise<Deployment> {
  const { onClose, durable } = options;
  const dir = openSimulationDir(onClose);
  const names = Array.from({ length: options.cells }, (_, index) => (index === 0 ? 'home' : `c${index + 1}`));
  const cells = await Promise.all(
    names.map(async (name) => {
      const cell = await startCellServer(dir, name, durable);
      onClose(() => cell.stop());
      return cell;
    }),
  );
  const env = {
    DATA_DIR: dir,
    DATABASE_URL: cells[0]!.url,
    CELLS: cells
      .slice(1)
      .map(({ name, url }) => `${name}=${url}`)
      .join(','),
    SECRET_KEY: secretKey,
    ADMIN_EMAIL: 'admin@simulation.example',
    ADMIN_PASSWORD: 'a password for one run',
    // The receiver of webhooks is a process of this run.
    OUTBOUND_ALLOW: '127.0.0.0/8',
    // Each visitor of a website has its own address.
    TRUST_PROXY: '127.0.0.0/8',
  };
  const nodesOf = (role: Node['role'], count: number): Node[] =>
    Array.from({ length: count }, (_, index) => ({ name: `${role} ${index + 1}`, role, side: null }));
  const nodes = [...nodesOf('api', options.apis), ...nodesOf('worker', options.workers)];
  onClose(() => Promise.all(nodes.map(({ side }) => side?.stop())));
  const start = async (node: Node) => {
    node.side =
      node.role === 'api'
        ? await startService({ ...env, PROCESS_ROLE: 'api' }, [])
        : await startWorkerProcess(env);
  };
  const whole = async () => {
    const deadline = performance.now() + wholeWithinMs;
    const apis = nodes.filter(({ role, side }) => role === 'api' && side !== null);
    while (!(await Promise.all(apis.map(({ side }) => isWhole(side!.url)))).every(Boolean)) {
      if (performance.now() > deadline) throw new Error('the cells were not all reachable in time');
      await sleep(lookEveryMs);
    }
  };
  // The first one creates the tables of all cells.
  await start(nodes[0]!);
  await whole();
  await Promise.all(nodes.slice(1).map(start));
  await whole();
  return {
    cells,
    nodes,
    env,
    secretKey,
    dataDir: dir,
    start,
    async kill(node) {
      const { side } = node;
      node.side = null;
      await side?.kill();
    },
    whole,
  };
}

async function isWhole(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/health/ready`).catch(() => null);
  if (!answer?.ok) return false;
  const { cells = [] } = (await answer.json()) as { cells?: { status: string }[] };
  return cells.every(({ status }) => status === 'ok');
}
