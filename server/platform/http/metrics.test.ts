import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTestService, type TestService } from '../../../test/support/service.ts';
import { createMetrics, type Metrics } from './metrics.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.close());

const create = (cell: string | null): Metrics =>
  createMetrics(service.context.db, {
    cell,
    readQueues: async () => [],
    dataDir: service.context.config.dataDir,
    backupSchedule: null,
  });
const sent = { name: 'sent_total', help: 'Sent.', labels: ['outcome'] } as const;
const open = { name: 'open', help: 'Open.' };

async function linesOf({ registry }: Metrics, name: string): Promise<string[]> {
  const text = await registry.getSingleMetricAsString(name);
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

describe('the metrics of features', () => {
  it('are one metric for one name, however often they are asked for', async () => {
    const metrics = create(null);
    metrics.counter(sent).inc({ outcome: 'ok' });
    metrics.counter(sent).inc({ outcome: 'ok' });
    metrics.gauge(open).inc();
    metrics.gauge(open).dec();
    assert.deepEqual(await linesOf(metrics, 'sent_total'), ['sent_total{outcome="ok"} 2']);
    assert.deepEqual(await linesOf(metrics, 'open'), ['open 0']);
  });

  it('have the label of their cell, unless they are of the process', async () => {
    const home = create('home');
    const other = home.ofCell('other', service.context.db);
    home.counter(sent).inc({ outcome: 'ok' });
    other.counter(sent).inc({ outcome: 'ok' });
    other.ofProcess.gauge(open).set(3);
    assert.deepEqual(await linesOf(home, 'sent_total'), [
      'sent_total{outcome="ok",cell="home"} 1',
      'sent_total{outcome="ok",cell="other"} 1',
    ]);
    assert.deepEqual(await linesOf(home, 'open'), ['open 3']);
  });

  it('that are read at a scrape are summed until they end', async () => {
    const metrics = create(null);
    const indexes = { name: 'indexes', help: 'Indexes.', labels: ['kind'] } as const;
    const end = metrics.watch(indexes, () => ({ labels: { kind: 'a' }, value: 2 }));
    metrics.watch(indexes, () => ({ labels: { kind: 'a' }, value: 3 }));
    assert.deepEqual(await linesOf(metrics, 'indexes'), ['indexes{kind="a"} 5']);
    end();
    assert.deepEqual(await linesOf(metrics, 'indexes'), ['indexes{kind="a"} 3']);
  });
});
