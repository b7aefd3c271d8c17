/** Reads back, through the API, what the accounts of a simulation have. */
import type { SimulatedAccount } from './accounts.ts';
import type { Balancer } from './balancer.ts';
import type { Books } from './books.ts';
import {
  addFindings,
  checkAccount,
  type Findings,
  type FoundAccount,
  type FoundMessage,
  isWaiting,
  noFindings,
} from './check.ts';
import type { SimulationReceiver } from './receiver.ts';

export interface CollectDeps {
  balancer: Balancer;
  books: Books;
  receiver: SimulationReceiver;
  /** When the traffic began, by the clock of this machine, which is also PostgreSQL's. */
  beganAt: number;
}

const atOnce = 8;
const kind = 'check';
const lookAgainMs = 1_000;

/** Waits for replies and events that are still to come, for `withinMs` at most. */
export async function collectFindings(
  deps: CollectDeps,
  accounts: readonly SimulatedAccount[],
  withinMs: number,
): Promise<Findings> {
  const deadline = performance.now() + withinMs;
  const sum = noFindings();
  let waiting = accounts.filter(({ id }) => deps.books.all().has(id));
  for (;;) {
    const isLast = performance.now() > deadline;
    const again: SimulatedAccount[] = [];
    const left = [...waiting];
    const lane = async () => {
      for (let account = left.pop(); account; account = left.pop()) {
        const findings = await checkOne(deps, account);
        if (isWaiting(findings) && !isLast) again.push(account);
        else addFindings(sum, findings);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, lane));
    if (again.length === 0) return sum;
    waiting = again;
    await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
  }
}

async function checkOne(deps: CollectDeps, account: SimulatedAccount): Promise<Findings> {
  const book = deps.books.of(account.id);
  const found = await readAccount(deps, account);
  const isCard = (title: string) => /^t\d+q (customer|visitor) /.test(title) && title.startsWith(account.tag);
  return checkAccount(book, found, deps.receiver.eventsOf(account), isCard);
}

async function readAccount(
  { balancer, beganAt }: CollectDeps,
  account: SimulatedAccount,
): Promise<FoundAccount> {
  const records = new Map<string, string>();
  const newest = pages<RecordItem>(balancer, account, '/crm/records');
  reading: for await (const items of newest) {
    for (const { recordId, title, createdAt } of items) {
      // The newest come first: what follows was there before.
      if (createdAt < beganAt) break reading;
      records.set(recordId, title);
    }
  }
  const messages: FoundMessage[] = [];
  for await (const sessions of pages<SessionItem>(balancer, account, '/sessions')) {
    for (const { sessionId, channelId } of sessions) {
      const path = `/sessions/${encodeURIComponent(sessionId)}/messages`;
      const isForwarded = channelId === account.apiChannelId;
      for await (const items of pages<FoundMessage>(balancer, account, path)) {
        for (const { id, role, content, inReplyTo } of items) {
          messages.push({ id, role, content, inReplyTo, isForwarded });
        }
      }
    }
  }
  return { records, messages };
}

interface RecordItem {
  recordId: string;
  title: string;
  createdAt: number;
}

interface SessionItem {
  sessionId: string;
  channelId: string;
}

async function* pages<T>(balancer: Balancer, account: SimulatedAccount, path: string): AsyncGenerator<T[]> {
  let next = '';
  do {
    const answer = await balancer.ask({ kind, account, method: 'GET', path: `${path}?limit=100${next}` });
    // All faults are over.
    if (!answer) throw new Error(`${path} of ${account.tag} could not be read after the traffic`);
    yield answer.body.items as T[];
    next = answer.body.nextToken ? `&nextToken=${encodeURIComponent(answer.body.nextToken)}` : '';
  } while (next !== '');
}
