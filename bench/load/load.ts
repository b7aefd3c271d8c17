/**
 * The load generator, a separate process so that it neither shares an event loop with a side nor favours one. It
 * takes one job at a time from its parent and answers with the figures.
 */
import autocannon from 'autocannon';

export interface LoadRequest {
  method: string;
  path: string;
  body?: string;
  /** Of this request alone, such as its signature. */
  headers?: Record<string, string>;
}

export interface LoadJob {
  url: string;
  headers: Record<string, string>;
  requests: LoadRequest[];
  clients: number;
  seconds: number;
}

export interface Burst {
  perSecond: number;
  succeeded: number;
  /** Responses other than 2xx and broken connections. */
  failed: number;
  statuses: Record<string, number>;
  p50: number;
  p99: number;
}

const answerWithinSeconds = 10;

function runJob(job: LoadJob): Promise<Burst> {
  return new Promise((resolve, reject) => {
    let clients = 0;
    let began = performance.now();
    const run = autocannon(
      {
        url: job.url,
        connections: job.clients,
        duration: job.seconds,
        // A burst ends at a sample's end.
        sampleInt: 50,
        timeout: answerWithinSeconds,
        headers: job.headers,
        requests: job.requests.slice(0, 1),
        // Each client starts elsewhere in the list, or all would request the same row at the same time.
        setupClient(client) {
          const first = Math.floor((clients++ * job.requests.length) / job.clients);
          client.setRequests([...job.requests.slice(first), ...job.requests.slice(0, first)]);
        },
      },
      (error, result) => {
        if (error) return reject(error);
        const seconds = (performance.now() - began) / 1000;
        resolve({
          perSecond: result['2xx'] / seconds,
          succeeded: result['2xx'],
          failed: result.non2xx + result.errors,
          statuses: Object.fromEntries(
            Object.entries(result.statusCodeStats).map(([status, { count }]) => [status, count]),
          ),
          p50: result.latency.p50,
          p99: result.latency.p99,
        });
      },
    );
    // Preparing the requests is not part of the burst.
    run.once('start', () => {
      began = performance.now();
    });
  });
}

process.on('message', (job: LoadJob) => {
  runJob(job).then(
    (burst) => process.send?.({ burst }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
process.on('disconnect', () => process.exit(0));
