/** The metrics of /metrics in the form of OpenTelemetry: each is counted once, and both show the same. */
import { type HrTime, ValueType } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValue, MetricValueWithName, Registry } from 'prom-client';

type Exported = MetricObjectWithValues<MetricValue<string>>;

export function createMetricProducer(registry: Registry, resource: Resource): MetricProducer {
  const startTime = hrTime(Date.now());
  return {
    async collect() {
      const exported = (await registry.getMetricsAsJSON()) as Exported[];
      const endTime = hrTime(Date.now());
      const metrics = exported.map((metric) => toMetricData(metric, startTime, endTime));
      const scope = { name: 'talkboard' };
      return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] };
    },
  };
}

const hrTime = (ms: number): HrTime => [Math.floor(ms / 1000), (ms % 1000) * 1_000_000];

function toMetricData(metric: Exported, startTime: HrTime, endTime: HrTime): MetricData {
  const { name, help, type, values } = metric;
  const common = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const point = <T>(labels: Labels, value: T): DataPoint<T> => ({
    startTime,
    endTime,
    attributes: attributesOf(labels),
    value,
  });
  // prom-client has names here and numbers in its types, depending on its release.
  switch (String(type)) {
    case 'counter':
      return {
        ...common,
        dataPointType: DataPointType.SUM,
        isMonotonic: true,
        dataPoints: values.map(({ labels, value }) => point(labels, value)),
      };
    case 'histogram':
      return {
        ...common,
        dataPointType: DataPointType.HISTOGRAM,
        dataPoints: histogramsOf(metric).map(({ labels, value }) => point(labels, value)),
      };
    default:
      return {
        ...common,
        dataPointType: DataPointType.GAUGE,
        dataPoints: values.map(({ labels, value }) => point(labels, value)),
      };
  }
}

type Labels = MetricValue<string>['labels'];

function attributesOf(labels: Labels): Record<string, string> {
  const entries = Object.entries(labels).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

interface Series {
  labels: Labels;
  /** Cumulative, by upper bound. */
  upTo: { bound: number; count: number }[];
  sum: number;
  count: number;
}

function histogramsOf({ name, values }: Exported): { labels: Labels; value: Histogram }[] {
  const series = new Map<string, Series>();
  for (const { labels, value, metricName } of values as MetricValueWithName<string>[]) {
    const { le, ...own } = labels;
    const key = JSON.stringify(own);
    let one = series.get(key);
    if (!one) {
      one = { labels: own, upTo: [], sum: 0, count: 0 };
      series.set(key, one);
    }
    if (metricName === `${name}_sum`) one.sum = value;
    else if (metricName === `${name}_count`) one.count = value;
    else if (le !== '+Inf') one.upTo.push({ bound: Number(le), count: value });
  }
  return [...series.values()].map(({ labels, upTo, sum, count }) => {
    const sorted = upTo.toSorted((a, b) => a.bound - b.bound);
    const cumulative = [...sorted.map((bucket) => bucket.count), count];
    return {
      labels,
      value: {
        buckets: {
          boundaries: sorted.map(({ bound }) => bound),
          counts: cumulative.map((upToHere, index) => upToHere - (cumulative[index - 1] ?? 0)),
        },
        sum,
        count,
      },
    };
  });
}
