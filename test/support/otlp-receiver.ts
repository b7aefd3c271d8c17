/** A collector for OTLP over HTTP in JSON: it keeps the spans and metrics that it gets. */
import type { IncomingHttpHeaders } from 'node:http';
import { eventually } from './eventually.ts';
import { startReceiver } from './receivers.ts';
import type { Json } from './service.ts';

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: number;
  startedAt: bigint;
  endedAt: bigint;
  attributes: Record<string, string | number | boolean>;
  isError: boolean;
}

export async function startCollector() {
  const spans: CollectedSpan[] = [];
  const metrics = new Map<string, Json>();
  const resources: Record<string, unknown>[] = [];
  const headers: IncomingHttpHeaders[] = [];
  /** Everything as it came: for what must not be in it. */
  let text = '';
  const receiver = await startReceiver((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const sent = Buffer.concat(chunks).toString('utf8');
      text += sent;
      headers.push(request.headers);
      const body = JSON.parse(sent) as Json;
      if (request.url === '/v1/traces') {
        for (const { resource, scopeSpans } of body.resourceSpans) {
          resources.push(valuesOf(resource.attributes));
          for (const scope of scopeSpans) spans.push(...scope.spans.map(toSpan));
        }
      } else if (request.url === '/v1/metrics') {
        for (const { scopeMetrics } of body.resourceMetrics)
          for (const scope of scopeMetrics) for (const one of scope.metrics) metrics.set(one.name, one);
      } else {
        response.statusCode = 404;
      }
      response.setHeader('content-type', 'application/json');
      response.end('{}');
    });
  });
  return {
    url: receiver.origin,
    spans,
    metrics,
    resources,
    headers,
    text: () => text,
    /** The spans of a trace, once all of these names are among them. */
    async trace(traceId: string, names: readonly string[], withinMs?: number): Promise<CollectedSpan[]> {
      const found = () => spans.filter((span) => span.traceId === traceId);
      await eventually(() => names.every((name) => found().some((span) => span.name === name)), withinMs);
      return found().sort((a, b) => Number(a.startedAt - b.startedAt));
    },
    close: () => receiver.close(),
  };
}

/** A trace as text, each span below its parent. */
export function treeOf(spans: readonly CollectedSpan[]): string {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const below = (parent: string | null, depth: number): string[] =>
    spans
      .filter(({ parentSpanId }) => (parent === null ? !ids.has(parentSpanId) : parentSpanId === parent))
      .flatMap(({ name, spanId }) => [`${'  '.repeat(depth)}${name}`, ...below(spanId, depth + 1)]);
  return below(null, 0).join('\n');
}

/** The same for docs/observability.md: when each span began and how long it took, in milliseconds, and its attributes. */
export function printedTrace(spans: readonly CollectedSpan[]): string {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const began = spans.reduce(
    (first, { startedAt }) => (startedAt < first ? startedAt : first),
    spans[0]!.startedAt,
  );
  const ms = (time: bigint) => (Number(time) / 1e6).toFixed(1).padStart(8);
  const below = (parent: string | null, depth: number): string[] =>
    spans
      .filter(({ parentSpanId }) => (parent === null ? !ids.has(parentSpanId) : parentSpanId === parent))
      .flatMap(({ name, spanId, startedAt, endedAt, attributes }) => {
        const shown = Object.entries(attributes).map(([key, value]) => `${key}=${value}`);
        const head = `${ms(startedAt - began)} ${ms(endedAt - startedAt)}  ${'  '.repeat(depth)}${name}`;
        return [`${head}  {${shown.join(' ')}}`, ...below(spanId, depth + 1)];
      });
  return [`trace ${spans[0]!.traceId}`, '   begin     took  span', ...below(null, 0)].join('\n');
}

function toSpan(span: Json): CollectedSpan {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId ?? '',
    name: span.name,
    kind: span.kind,
    startedAt: BigInt(span.startTimeUnixNano),
    endedAt: BigInt(span.endTimeUnixNano),
    attributes: valuesOf(span.attributes) as CollectedSpan['attributes'],
    isError: span.status?.code === 2,
  };
}

function valuesOf(attributes: Json[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
