// The undici pools of all outbound calls. Addresses are checked where the connection is made, so nothing earlier (a
// name that changes, an unusual literal, another caller) can bypass the check.
import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { buildConnector, Pool } from 'undici';
import {
  mayReach,
  type OutboundAllow,
  type OutboundLookup,
  portOf,
  resolveAllowed,
} from './outbound-address.ts';
import { addressRefused, notConnected, toConnectError } from './outbound-error.ts';

export interface OutboundPoolsOptions {
  allow: OutboundAllow;
  lookup: OutboundLookup;
  connections: number;
  connectTimeoutMs: number;
}

/**
 * Callers that resolve the same name share one lookup. getaddrinfo blocks a thread, and libuv gives it two of its
 * four: a single hanging name server would stop all other lookups. Nothing is cached.
 */
export function shareLookups(lookup: OutboundLookup): OutboundLookup {
  const pending = new Map<string, Promise<LookupAddress[]>>();
  return (hostname) => {
    let answer = pending.get(hostname);
    if (!answer) {
      answer = lookup(hostname).finally(() => pending.delete(hostname));
      pending.set(hostname, answer);
    }
    return answer;
  };
}

/** `net.connect` calls `lookup` once per connection and connects only to its result: no window for DNS rebinding. */
function guardedLookup(port: number, { allow, lookup }: OutboundPoolsOptions): LookupFunction {
  return (hostname, options, callback) => {
    resolveAllowed(hostname, port, allow, lookup).then(
      (found) => {
        if (options.all) callback(null, found);
        else callback(null, found[0]!.address, found[0]!.family);
      },
      (error: Error) => callback(error, ''),
    );
  };
}

function guardedConnector(origin: URL, options: OutboundPoolsOptions): buildConnector.connector {
  const port = portOf(origin);
  const dial = buildConnector({
    allowH2: false,
    timeout: options.connectTimeoutMs,
    lookup: guardedLookup(port, options),
    autoSelectFamily: true,
    // Node gives up an address for good when it tries the next one; its 250 ms would lose distant servers.
    autoSelectFamilyAttemptTimeout: 1000,
  });
  return (target, callback) => {
    // Literals never reach `lookup`.
    if (isIP(target.hostname) && !mayReach(target.hostname, port, options.allow)) {
      queueMicrotask(() => callback(addressRefused(), null));
      return;
    }
    // undici's own timer has a resolution of half a second or more; it remains as the one that ends the socket.
    let waiting = true;
    const timer = setTimeout(() => {
      waiting = false;
      callback(notConnected(options.connectTimeoutMs), null);
    }, options.connectTimeoutMs);
    dial(target, (...[error, socket]) => {
      if (!waiting) {
        socket?.destroy();
        return;
      }
      waiting = false;
      clearTimeout(timer);
      if (error) callback(toConnectError(error), null);
      else callback(null, socket);
    });
  };
}

export interface OutboundPools {
  poolFor(origin: string): Pool;
  stats(): { origins: number; connections: number };
  destroy(): Promise<void>;
}

const SWEEP_AT = 64;

/**
 * One pool per origin; a pool without connections is dropped when the map has doubled since the last sweep, so it
 * holds at most 64 or twice what is in use. undici's Agent was rejected: it drops a pool only the moment its last
 * connection ends, and keeps it forever if a request was cut at that moment (seen with 8.12); its `maxOrigins` fails
 * unrelated calls. Idle connections end after 4 s, or up to 30 s if the server asks for it. A Pool ignores the proxy
 * variables of the environment.
 */
export function createOutboundPools(options: OutboundPoolsOptions): OutboundPools {
  const pools = new Map<string, Pool>();
  let sweepAt = SWEEP_AT;

  const sweep = () => {
    for (const [origin, pool] of pools) {
      const { connected, size } = pool.stats;
      if (connected > 0 || size > 0) continue;
      pools.delete(origin);
      pool.destroy().catch(() => {});
    }
    sweepAt = Math.max(SWEEP_AT, pools.size * 2);
  };

  return {
    poolFor(origin) {
      let pool = pools.get(origin);
      if (!pool) {
        if (pools.size >= sweepAt) sweep();
        pool = new Pool(origin, {
          allowH2: false,
          connections: options.connections,
          keepAliveTimeout: 4_000,
          keepAliveMaxTimeout: 30_000,
          connect: guardedConnector(new URL(origin), options),
        });
        pools.set(origin, pool);
      }
      return pool;
    },
    stats() {
      const connected = [...pools.values()].map((pool) => pool.stats.connected);
      return { origins: pools.size, connections: connected.reduce((sum, each) => sum + each, 0) };
    },
    async destroy() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}
