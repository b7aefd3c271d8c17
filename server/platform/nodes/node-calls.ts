/**
 * Calls of other nodes. Addresses come from api_nodes, which only processes with the database's password can write. They
 * are used for nothing else: one method, one path, no redirects, and an answer that is not signed is dropped unread.
 */
import { Pool } from 'undici';
import { type NodeSignatures, nodeHeader } from './node-signature.ts';
import type { NodeRow } from './nodes.sql.ts';

export const callPath = '/internal/node-calls';
/** Not JSON: the body is checked before it is parsed. */
export const callType = 'application/octet-stream';
export const maxCallBytes = 4 * 1024 * 1024;

export interface CallLimits {
  /** Until the node has read the call and begins to answer. It does so at once, however long the work takes. */
  acceptWithinMs: number;
  /** From then on: building the index of a large account takes seconds, here as there. */
  answerWithinMs: number;
}

export const callLimits: CallLimits = { acceptWithinMs: 1_000, answerWithinMs: 15_000 };
/** As many as a process answers at the same time. */
const connectionsPerNode = 256;
const maxAnswerBytes = 256 * 1024 * 1024;

export interface NodeCalls {
  /** The text of the answer; throws if the node does not give one in time. */
  call(node: NodeRow, body: string): Promise<string>;
  /** Closes the connections to nodes that have left. */
  keepOnly(urls: ReadonlySet<string>): void;
  close(): Promise<void>;
}

export function createNodeCalls(signatures: NodeSignatures, limits = callLimits): NodeCalls {
  const pools = new Map<string, Pool>();
  const poolFor = (url: string) => {
    const known = pools.get(url);
    if (known) return known;
    const { origin, protocol } = new URL(url);
    if (protocol !== 'http:' && protocol !== 'https:') throw new Error('the address of the node is not http');
    const connect = { timeout: limits.acceptWithinMs };
    const pool = new Pool(origin, { connections: connectionsPerNode, connect, allowH2: false });
    pools.set(url, pool);
    return pool;
  };

  return {
    async call({ id, url }, body) {
      const header = signatures.sign({ path: callPath, nodeId: id, body });
      const abort = new AbortController();
      const within = (ms: number, what: string) =>
        setTimeout(() => abort.abort(new Error(`the node did not ${what} in time`)), ms);
      let timer = within(limits.acceptWithinMs, 'accept the call');
      try {
        const response = await poolFor(url).request({
          method: 'POST',
          path: callPath,
          headers: { [nodeHeader]: header, 'content-type': callType },
          body,
          signal: abort.signal,
          headersTimeout: 0,
          bodyTimeout: 0,
        });
        clearTimeout(timer);
        timer = within(limits.answerWithinMs, 'answer');
        if (response.statusCode !== 200) {
          response.body.on('error', () => {}).destroy();
          throw new Error(`the node answered ${response.statusCode}`);
        }
        const chunks: Buffer[] = [];
        let bytes = 0;
        for await (const chunk of response.body as AsyncIterable<Buffer>) {
          bytes += chunk.length;
          if (bytes > maxAnswerBytes) throw new Error('the answer of the node is too large');
          chunks.push(chunk);
        }
        return signatures.openAnswer(header, Buffer.concat(chunks).toString('utf8').trimStart());
      } finally {
        clearTimeout(timer);
      }
    },

    keepOnly(urls) {
      for (const [url, pool] of pools) {
        if (urls.has(url)) continue;
        pools.delete(url);
        // Running calls end first.
        pool.close().catch(() => {});
      }
    },

    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}
