import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Histogram, Registry } from 'prom-client';
import { createRequestDurations } from './request-durations.ts';

it('durations of requests read as those of a prom-client histogram', async () => {
  const ours = new Registry();
  const theirs = new Registry();
  const durations = createRequestDurations(ours);
  const histogram = new Histogram({
    name: 'talkboard_http_request_duration_seconds',
    help: 'Time from the request to the end of the response.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [theirs],
  });
  assert.equal(await ours.metrics(), await theirs.metrics());
  const requests = [
    ['GET', '/crm/records/:recordId', 200, [0.0004, 0.001, 0.0011, 0.3]],
    ['GET', '/crm/records/:recordId', 404, [0.002]],
    ['POST', '/crm/records', 201, [0.005, 5, 5.1, 60]],
    ['GET', 'unknown', 404, [0.01]],
  ] as const;
  for (const [method, route, status, times] of requests) {
    for (const seconds of times) {
      durations.observe(method, route, status, seconds);
      histogram.observe({ method, route, status }, seconds);
    }
  }
  assert.equal(await ours.metrics(), await theirs.metrics());
  assert.deepEqual(
    withoutExemplars(await ours.getMetricsAsJSON()),
    withoutExemplars(await theirs.getMetricsAsJSON()),
  );
});

/** There are none. */
function withoutExemplars(metrics: object[]): unknown {
  return JSON.parse(JSON.stringify(metrics, (key, value) => (key === 'exemplar' ? undefined : value)));
}
