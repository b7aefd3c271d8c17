/** The part of autocannon that load.ts uses; the package has no types. */
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events';

  interface Request {
    method: string;
    path: string;
    body?: string;
    headers?: Record<string, string>;
  }
  interface Client {
    setRequests(requests: Request[]): void;
  }
  interface Options {
    url: string;
    connections: number;
    duration: number;
    sampleInt: number;
    timeout: number;
    headers: Record<string, string>;
    requests: Request[];
    setupClient(client: Client): void;
  }
  interface Result {
    errors: number;
    '2xx': number;
    non2xx: number;
    statusCodeStats: Record<string, { count: number }>;
    latency: { p50: number; p97_5: number; p99: number };
  }
  export default function autocannon(
    options: Options,
    done: (error: Error | null, result: Result) => void,
  ): EventEmitter;
}
