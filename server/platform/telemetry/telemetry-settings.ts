/** The settings of OpenTelemetry (OTEL_…), described in docs/observability.md. */
export interface TelemetrySettings {
  /** Where traces are sent; empty: they are not. */
  tracesUrl: string;
  metricsUrl: string;
  headers: Record<string, string>;
  serviceName: string;
  /** Of the resource, besides the name and the version of the service. */
  attributes: Record<string, string>;
  sampler: SamplerSettings;
  /** Whether a request continues the trace of its caller. Anyone can send the header, and so decide what is recorded. */
  trustsCallers: boolean;
  /** How long spans are collected before they are sent. */
  traceDelayMs: number;
  metricIntervalMs: number;
}

export interface SamplerSettings {
  /** Whether the caller's decision counts, if it has made one. */
  isParentBased: boolean;
  /** The share of traces that are kept, from 0 to 1. */
  ratio: number;
}

interface SettingReader {
  /** The value, or else the default. */
  text(name: string): string;
  /** Collects what `read` throws as a problem of the setting. */
  check<T>(name: string, read: () => T): T;
  readBoolean(value: string): boolean;
}

/** Null: nothing is sent, and nothing of OpenTelemetry is loaded. */
export function readTelemetry({ text, check, readBoolean }: SettingReader): TelemetrySettings | null {
  const isDisabled = check('OTEL_SDK_DISABLED', () => readBoolean(text('OTEL_SDK_DISABLED')));
  const urlOf = (signal: 'traces' | 'metrics') => {
    const upper = signal.toUpperCase();
    const exporter = check(`OTEL_${upper}_EXPORTER`, () =>
      readChoice(text(`OTEL_${upper}_EXPORTER`), ['otlp', 'none']),
    );
    const own = `OTEL_EXPORTER_OTLP_${upper}_ENDPOINT`;
    const shared = 'OTEL_EXPORTER_OTLP_ENDPOINT';
    if (exporter === 'none') return '';
    if (text(own) !== '') return check(own, () => readEndpoint(text(own)));
    if (text(shared) === '') return '';
    const base = check(shared, () => readEndpoint(text(shared)));
    return base === undefined ? '' : `${base.replace(/\/+$/, '')}/v1/${signal}`;
  };
  const tracesUrl = urlOf('traces');
  const metricsUrl = urlOf('metrics');
  if (isDisabled || (tracesUrl === '' && metricsUrl === '')) return null;
  check('OTEL_EXPORTER_OTLP_PROTOCOL', () => readChoice(text('OTEL_EXPORTER_OTLP_PROTOCOL'), ['http/json']));
  const milliseconds = (name: string) => check(name, () => readMilliseconds(text(name)));
  return {
    tracesUrl,
    metricsUrl,
    headers: check('OTEL_EXPORTER_OTLP_HEADERS', () => readPairs(text('OTEL_EXPORTER_OTLP_HEADERS'))),
    serviceName: text('OTEL_SERVICE_NAME'),
    attributes: check('OTEL_RESOURCE_ATTRIBUTES', () => readPairs(text('OTEL_RESOURCE_ATTRIBUTES'))),
    sampler: check('OTEL_TRACES_SAMPLER', () =>
      readSampler(text('OTEL_TRACES_SAMPLER'), text('OTEL_TRACES_SAMPLER_ARG')),
    ),
    trustsCallers: check('TRUST_TRACEPARENT', () => readBoolean(text('TRUST_TRACEPARENT'))),
    traceDelayMs: milliseconds('OTEL_BSP_SCHEDULE_DELAY'),
    metricIntervalMs: milliseconds('OTEL_METRIC_EXPORT_INTERVAL'),
  };
}

function readEndpoint(value: string): string {
  const url = URL.parse(value);
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error('must be a URL that begins with http:// or https://');
  }
  return value;
}

function readChoice(value: string, allowed: readonly string[]): string {
  if (!allowed.includes(value)) throw new Error(`must be ${allowed.join(' or ')}, not "${value}"`);
  return value;
}

function readMilliseconds(value: string): number {
  const ms = Number(value);
  if (!Number.isInteger(ms) || ms < 1 || ms > 86_400_000) {
    throw new Error(`must be a whole number of milliseconds, 1 or more, not "${value}"`);
  }
  return ms;
}

/** The message never contains a value: it may be a key. */
function readPairs(list: string): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (const part of list.split(',').map((one) => one.trim())) {
    if (part === '') continue;
    const cut = part.indexOf('=');
    if (cut < 1) throw new Error('must be pairs such as name=value,other=value');
    try {
      pairs[part.slice(0, cut).trim()] = decodeURIComponent(part.slice(cut + 1).trim());
    } catch {
      throw new Error('has a value with a wrong percent-encoding: write % as %25');
    }
  }
  return pairs;
}

function readSampler(name: string, argument: string): SamplerSettings {
  const isParentBased = name.startsWith('parentbased_');
  switch (isParentBased ? name.slice('parentbased_'.length) : name) {
    case 'always_on':
      return { isParentBased, ratio: 1 };
    case 'always_off':
      return { isParentBased, ratio: 0 };
    case 'traceidratio': {
      const ratio = Number(argument);
      if (!(ratio >= 0 && ratio <= 1)) {
        throw new Error(`needs OTEL_TRACES_SAMPLER_ARG, a number from 0 to 1, not "${argument}"`);
      }
      return { isParentBased, ratio };
    }
    default:
      throw new Error(
        `must be always_on, always_off or traceidratio, with or without parentbased_ before it, not "${name}"`,
      );
  }
}
