/** Sends traces and metrics with OpenTelemetry. Loaded only if it is switched on (telemetry.ts). */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Span as ApiSpan,
  type Context,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Registry } from 'prom-client';
import { version } from '../../../contract/version.ts';
import { createMetricProducer } from './otel-metrics.ts';
import type { Telemetry } from './telemetry.ts';
import type { SamplerSettings, TelemetrySettings } from './telemetry-settings.ts';
import { type OpenSpan, type SpanOptions, setTracer, type Tracer } from './tracing.ts';

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

export function openTelemetry(settings: TelemetrySettings, instanceId: string): Telemetry {
  const resource = resourceFromAttributes({
    'service.name': settings.serviceName,
    'service.version': version.slice(1),
    'service.instance.id': instanceId,
    ...settings.attributes,
  });
  const traces = settings.tracesUrl === '' ? null : startTraces(settings, resource);
  let metrics: MeterProvider | null = null;
  return {
    exportMetrics(registry) {
      if (settings.metricsUrl !== '') metrics = startMetrics(settings, resource, registry);
    },
    async stop() {
      setTracer(null);
      // A collector that is away must not fail the stop.
      await Promise.allSettled([traces?.shutdown(), metrics?.shutdown()]);
    },
  };
}

function startTraces(settings: TelemetrySettings, resource: Resource) {
  const { tracesUrl, headers, sampler, traceDelayMs, trustsCallers } = settings;
  const exporter = new OTLPTraceExporter({ url: tracesUrl, headers });
  const provider = new TracerProvider({
    resource,
    sampler: samplerOf(sampler),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: traceDelayMs })],
  });
  setTracer(createTracer(provider, trustsCallers));
  return provider;
}

function startMetrics(
  { metricsUrl, headers, metricIntervalMs }: TelemetrySettings,
  resource: Resource,
  registry: Registry,
): MeterProvider {
  return new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter({ url: metricsUrl, headers }),
        exportIntervalMillis: metricIntervalMs,
        exportTimeoutMillis: Math.min(metricIntervalMs, 10_000),
        metricProducers: [createMetricProducer(registry, resource)],
      }),
    ],
  });
}

function samplerOf({ isParentBased, ratio }: SamplerSettings): Sampler {
  const root =
    ratio === 1
      ? new AlwaysOnSampler()
      : ratio === 0
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}

function createTracer(provider: TracerProvider, trustsCallers: boolean): Tracer {
  const spans = provider.getTracer('talkboard', version.slice(1));
  const running = new AsyncLocalStorage<Context>();
  return {
    open({ name, kind, attributes, parent }: SpanOptions): OpenSpan {
      const known = kind === 'server' && !trustsCallers ? null : parent;
      const from = known === undefined ? (running.getStore() ?? ROOT_CONTEXT) : contextOf(known);
      const span = spans.startSpan(name, { kind: kinds[kind], ...(attributes && { attributes }) }, from);
      const context = trace.setSpan(from, span);
      return {
        set: (more) => void span.setAttributes(more),
        fail(code) {
          span.setAttribute('error.type', code).setStatus({ code: SpanStatusCode.ERROR });
        },
        rename: (other) => void span.updateName(other),
        run: (work) => running.run(context, work),
        end: () => span.end(),
      };
    },
    current() {
      const span = trace.getSpan(running.getStore() ?? ROOT_CONTEXT);
      return span ? headerOf(span) : null;
    },
    within: (traceparent, work) => running.run(contextOf(traceparent), work),
  };
}

function headerOf(span: ApiSpan): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/** What cannot be read begins a new trace. */
function contextOf(traceparent: string | null): Context {
  const [, traceId, spanId, flags] =
    /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/.exec(traceparent ?? '') ?? [];
  if (!traceId || !spanId || traceparent!.startsWith('ff')) return ROOT_CONTEXT;
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags!, 16) & 1, isRemote: true };
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}
