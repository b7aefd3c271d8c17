import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ConfigError, readConfig } from '../../config.ts';

const read = (env: Record<string, string>) => readConfig(env).telemetry;
const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/' };

it('is off without an endpoint, and with OTEL_SDK_DISABLED', () => {
  assert.equal(read({}), null);
  assert.equal(read({ OTEL_SERVICE_NAME: 'shop' }), null);
  assert.equal(read({ ...endpoint, OTEL_SDK_DISABLED: 'true' }), null);
  assert.equal(read({ ...endpoint, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' }), null);
});

it('has an address for each signal, its own or from the shared one', () => {
  const both = read(endpoint)!;
  assert.equal(both.tracesUrl, 'http://127.0.0.1:4318/v1/traces');
  assert.equal(both.metricsUrl, 'http://127.0.0.1:4318/v1/metrics');
  const own = read({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example.com/in' })!;
  assert.deepEqual([own.tracesUrl, own.metricsUrl], ['https://traces.example.com/in', '']);
  assert.equal(read({ ...endpoint, OTEL_METRICS_EXPORTER: 'none' })!.metricsUrl, '');
});

it('reads headers, attributes and the sampler', () => {
  const settings = read({
    ...endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc, x-team=shop',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  })!;
  assert.deepEqual(settings.headers, { authorization: 'Bearer abc', 'x-team': 'shop' });
  assert.deepEqual(settings.attributes, { 'deployment.environment.name': 'test' });
  assert.deepEqual(settings.sampler, { isParentBased: true, ratio: 0.25 });
  assert.equal(settings.trustsCallers, false);
  assert.equal(read({ ...endpoint, TRUST_TRACEPARENT: 'true' })!.trustsCallers, true);
  assert.deepEqual(read({ ...endpoint, OTEL_TRACES_SAMPLER: 'always_off' })!.sampler, {
    isParentBased: false,
    ratio: 0,
  });
});

it('a wrong value ends the start with its name, and never with a key', () => {
  const problems = [
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a-secret-key'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_METRIC_EXPORT_INTERVAL', '0'],
    ['OTEL_TRACES_EXPORTER', 'zipkin'],
  ] as const;
  for (const [name, value] of problems) {
    assert.throws(
      () => read({ ...endpoint, [name]: value }),
      (error) =>
        error instanceof ConfigError &&
        error.message.includes(name) &&
        !error.message.includes('a-secret-key'),
      name,
    );
  }
});
