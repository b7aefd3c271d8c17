/**
 * Spans, as the rest of the service uses them. Nothing here depends on OpenTelemetry: until `setTracer` is called (see
 * otel.ts) each function does nothing but run the work it was given.
 *
 * A trace goes from a request through the rows that it queues to the calls of providers. A row keeps its trace as the text
 * of a `traceparent` header. Attributes hold ids, names of routes and codes; never texts, addresses of people or secrets.
 */
export type SpanKind = 'server' | 'client' | 'consumer' | 'internal';
export type SpanAttributes = Record<string, string | number | boolean>;

export interface SpanOptions {
  name: string;
  kind: SpanKind;
  attributes?: SpanAttributes;
  /** The trace that it continues; null: it begins one. Left out: that of the running work. */
  parent?: string | null;
}

export interface Span {
  set(attributes: SpanAttributes): void;
  /** It did not succeed: a code, never a message. */
  fail(code: string): void;
}

/** A span that is ended by hand. */
export interface OpenSpan extends Span {
  rename(name: string): void;
  /** What is called in here belongs to it. */
  run<T>(work: () => T): T;
  end(): void;
}

export interface Tracer {
  open(options: SpanOptions): OpenSpan;
  /** The `traceparent` of the running work. */
  current(): string | null;
  within<T>(traceparent: string | null, work: () => T): T;
}

const nothing: Span = { set: () => {}, fail: () => {} };
let tracer: Tracer | null = null;

/** Null switches tracing off. */
export function setTracer(used: Tracer | null): void {
  tracer = used;
}

export const isTracing = (): boolean => tracer !== null;

/** To be kept with what is queued; null: there is none. */
export const currentTrace = (): string | null => tracer?.current() ?? null;

/** Null: tracing is off. */
export const openSpan = (options: SpanOptions): OpenSpan | null => tracer?.open(options) ?? null;

export async function inSpan<T>(options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  if (!tracer) return work(nothing);
  const span = tracer.open(options);
  try {
    return await span.run(() => work(span));
  } catch (error) {
    span.fail(codeOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** Runs the work as a part of the trace; null: of none. */
export function inTrace<T>(traceparent: string | null, work: () => T): T {
  return tracer ? tracer.within(traceparent, work) : work();
}

/** For wake-ups: what a worker does next is for everybody, not only for the one who woke it. */
export const outsideTraces = <T>(work: () => T): T => inTrace(null, work);

/** The trace in the form of a job's payload. */
export function tracedPayload(payload: object): object {
  const traceparent = currentTrace();
  return traceparent === null ? payload : { ...payload, traceparent };
}

/** Messages of errors may quote a customer or an address: only their kind is recorded. */
function codeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  if (typeof code === 'string') return code;
  return typeof name === 'string' ? name : 'Error';
}
