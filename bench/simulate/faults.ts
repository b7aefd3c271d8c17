/** What happens to the service on the way: processes are killed, a cell is stopped and started, accounts are moved. */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { SimulatedAccount } from './accounts.ts';
import type { Balancer } from './balancer.ts';
import type { Books } from './books.ts';
import type { Deployment, Node } from './deployment.ts';
import type { Window } from './outcomes.ts';

export interface FaultDeps {
  deployment: Deployment;
  accounts: readonly SimulatedAccount[];
  balancer: Balancer;
  books: Books;
  say(line: string): void;
}

export interface FaultReport {
  windows: Window[];
  killed: string[];
  stoppedCell: string | null;
  /** Each with how long the command took, in milliseconds. */
  moved: { tag: string; records: number; ms: number }[];
  /** What the command said. */
  failedMoves: string[];
  /** Steps that could not be taken, and why. */
  leftOut: string[];
}

export interface FaultPlan {
  seconds: number;
  moves: number;
  /** How long a killed process and a stopped cell stay down. */
  downMs: number;
}

const cli = fileURLToPath(new URL('../../cli/talkboard.mjs', import.meta.url));
/** Shares of the run at which each step begins. */
const killApiAt = 0.15;
const killWorkerAt = 0.3;
const stopCellAt = 0.45;
const moveAt = 0.65;

/** Ends after its last step. What a client may notice of it is in the windows. */
export async function runFaults(deps: FaultDeps, plan: FaultPlan): Promise<FaultReport> {
  const { deployment, say } = deps;
  const report: FaultReport = {
    windows: [],
    killed: [],
    stoppedCell: null,
    moved: [],
    failedMoves: [],
    leftOut: [],
  };
  const began = performance.now();
  const until = (share: number) =>
    sleep(Math.max(0, began + share * plan.seconds * 1000 - performance.now()));
  const last = (role: Node['role']) => deployment.nodes.findLast((node) => node.role === role)!;

  for (const [share, node] of [
    [killApiAt, last('api')],
    [killWorkerAt, last('worker')],
  ] as const) {
    await until(share);
    say(`  kill -9 of ${node.name}`);
    await killAndStart(deps, node, plan.downMs, report);
  }
  await until(stopCellAt);
  await stopAndStartCell(deps, plan.downMs, report);
  await until(moveAt);
  await moveAccounts(deps, plan.moves, report);
  return report;
}

async function killAndStart(
  { deployment }: FaultDeps,
  node: Node,
  downMs: number,
  { windows, killed }: FaultReport,
): Promise<void> {
  const window: Window = { fault: 'node', node: node.name, from: performance.now(), to: Infinity };
  windows.push(window);
  await deployment.kill(node);
  await sleep(downMs);
  // New requests go elsewhere until it has started.
  await deployment.start(node);
  window.to = performance.now();
  killed.push(node.name);
}

async function stopAndStartCell(
  { deployment, say }: FaultDeps,
  downMs: number,
  report: FaultReport,
): Promise<void> {
  const cell = deployment.cells.at(-1)!;
  say(`  the cell ${cell.name} is stopped`);
  const window: Window = { fault: 'cell', cell: cell.name, from: performance.now(), to: Infinity };
  report.windows.push(window);
  await cell.stop();
  await sleep(downMs);
  await cell.start();
  await deployment.whole();
  window.to = performance.now();
  report.stoppedCell = cell.name;
}

async function moveAccounts(deps: FaultDeps, moves: number, report: FaultReport): Promise<void> {
  const { deployment, accounts, say } = deps;
  if (deployment.cells.length === 1) {
    report.leftOut.push('moving accounts: there is one cell');
    return;
  }
  if ((await runCli(deployment, ['account', 'move', '--help'])).code !== 0) {
    report.leftOut.push('moving accounts: this version has no command "account move"');
    return;
  }
  // From the busiest to the quietest: each has some times the rank of the one before.
  const ranks = Array.from({ length: moves }, (_, index) =>
    Math.max(index, Math.floor(accounts.length ** ((index + 1) / (moves + 1))) - 1),
  );
  const chosen = ranks.flatMap((rank) => accounts[rank] ?? []);
  for (const account of new Set(chosen)) {
    const names = deployment.cells.map(({ name }) => name);
    const to = names[(names.indexOf(account.cell) + 1) % names.length]!;
    say(`  ${account.tag} moves from ${account.cell} to ${to}`);
    await moveOne(deps, account, to, report);
  }
}

async function moveOne(
  { deployment, balancer, books, say }: FaultDeps,
  account: SimulatedAccount,
  to: string,
  { windows, moved, failedMoves }: FaultReport,
): Promise<void> {
  const window: Window = { fault: 'move', accountId: account.id, from: performance.now(), to: Infinity };
  windows.push(window);
  const { code, stderr } = await runCli(deployment, ['account', 'move', '--account', account.id, '--to', to]);
  window.to = performance.now();
  if (code !== 0) {
    say(stderr);
    failedMoves.push(`${account.tag}: ended with ${code}: ${stderr.trim().split('\n').at(-1)}`);
    return;
  }
  account.cell = to;
  const records = account.size + books.of(account.id).records.size;
  moved.push({ tag: account.tag, records, ms: window.to - window.from });
  const path = `/crm/search?q=${account.tag}&pageSize=1`;
  const answer = await balancer.ask({ kind: 'search after a move', account, method: 'GET', path });
  if (answer && answer.body.total < records) {
    books.wrong(
      `search of ${account.tag} after its move found ${answer.body.total} of at least ${records} records`,
    );
  }
}

function runCli(
  { env }: Deployment,
  args: readonly string[],
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [cli, ...args],
      { env: { PATH: process.env.PATH, ...env } },
      (error, stdout, stderr) =>
        resolve({ code: error ? (typeof error.code === 'number' ? error.code : 1) : 0, stdout, stderr }),
    );
  });
}
