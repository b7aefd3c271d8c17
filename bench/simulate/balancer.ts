/** The clients' side: spreads requests over the processes that are up, as a load balancer would. Nothing is repeated. */
import { Pool } from 'undici';
import type { SimulatedAccount } from './accounts.ts';
import type { Deployment, Node } from './deployment.ts';
import type { Outcomes } from './outcomes.ts';

// biome-ignore lint/suspicious/noExplicitAny: each caller knows the answer's shape; a wrong one is counted
type Json = any;

export interface Ask {
  kind: string;
  account: SimulatedAccount;
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  body?: object;
  /** Instead of the account's token; null: none. */
  token?: string | null;
  /** The visitor's address. */
  address?: string;
}

export interface Answer {
  status: number;
  body: Json;
}

export interface Balancer {
  /** Null: refused or broken, and noted. Every other status than those of success is noted too. */
  ask(ask: Ask): Promise<Answer | null>;
  close(): Promise<void>;
}

/** Long: on a busy machine a late answer is late, not lost. The times of answers are reported. */
const answerWithinMs = 60_000;
const connections = 64;

export function openBalancer(deployment: Deployment, outcomes: () => Outcomes): Balancer {
  const pools = new Map<string, Pool>();
  let turn = 0;
  const poolOf = (url: string): Pool => {
    const known = pools.get(url);
    if (known) return known;
    const pool = new Pool(url, { connections, headersTimeout: answerWithinMs, bodyTimeout: answerWithinMs });
    pools.set(url, pool);
    return pool;
  };
  const next = (): Node => {
    const up = deployment.nodes.filter(({ role, side }) => role === 'api' && side !== null);
    if (up.length === 0) throw new Error('no process is up that answers requests');
    return up[turn++ % up.length]!;
  };
  return {
    async ask({ kind, account, method, path, body, token = account.token, address }) {
      const node = next();
      const from = performance.now();
      const failed = (status: number | null, hasRetryAfter: boolean, text: string) => {
        const { id: accountId, cell } = account;
        const to = performance.now();
        const isWrite = method !== 'GET';
        outcomes().failed({
          kind,
          isWrite,
          node: node.name,
          cell,
          accountId,
          from,
          to,
          status,
          hasRetryAfter,
          text,
        });
        return null;
      };
      try {
        const response = await poolOf(node.side!.url).request({
          method,
          path,
          headers: {
            ...(token && { authorization: `Bearer ${token}` }),
            ...(body && { 'content-type': 'application/json' }),
            ...(address && { 'x-forwarded-for': address }),
          },
          body: body ? JSON.stringify(body) : null,
        });
        const text = await response.body.text();
        const { statusCode: status, headers } = response;
        if (status >= 300) {
          const code = /"code":"(\w+)"/.exec(text)?.[1] ?? '';
          return failed(status, headers['retry-after'] !== undefined, code);
        }
        outcomes().succeeded(kind, performance.now() - from);
        return { status, body: text.startsWith('{') ? JSON.parse(text) : text };
      } catch (error) {
        return failed(null, false, (error as NodeJS.ErrnoException).code ?? (error as Error).message);
      }
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}
