/** Any three conditions on a board of the whole corpus over HTTP, with the exact total; then sorted by any field. */
import { comparisonOf, type FilterCondition } from '../../contract/crm/filters.ts';
import type { FieldType } from '../../contract/limits.ts';
import { prepareCorpusWorkspace } from '../api.ts';
import { type CorpusField, type CorpusRecord, corpusFields, corpusRecords } from '../corpus/corpus.ts';
import { fillCorpus } from '../corpus/fill.ts';
import { Random } from '../corpus/random.ts';
import { openClient, percentile } from '../load/client.ts';
import type { Measure, Scenario } from '../scenario.ts';

const asks = 300;
/** Conditions are made of the values of these. */
const sampled = 5_000;
const conditionsEach = 3;

export const filters: Scenario = {
  name: 'filters',
  about: 'GET /crm/search and /crm/records by any three conditions, and sorted by any field, on one board',
  fillsItself: true,
  async measure(stage) {
    const { records, seed } = stage.options;
    const { service, workspace, pool } = stage;
    const corpus = await prepareCorpusWorkspace(service.url, workspace.jwt, seed, 1);
    await fillCorpus(pool, corpus, seed, records, 1);
    const kanbanId = [...corpus.kanbanIds.values()][0]!;
    const client = openClient(service.url, corpus.token);
    const random = new Random(seed + 2);
    const sample = [...corpusRecords(seed, Math.min(records, sampled), 1)];
    const fields = corpusFields(seed, 1);
    const filter = () => {
      const parts = Array.from({ length: conditionsEach }, () => anyCondition(random, fields, sample));
      const named = parts.map((part) => ({ ...part, field: corpus.fieldIds.get(part.field) ?? part.field }));
      return JSON.stringify(random.chance(0.7) ? { and: named } : { or: named });
    };
    const sort = () =>
      (random.chance(0.5) ? '-' : '') + (corpus.fieldIds.get(random.pick(fields).id) ?? 'title');
    const kinds: { [kind: string]: () => string } = {
      'three conditions, search': () => `/crm/search?${new URLSearchParams({ kanbanId, filter: filter() })}`,
      'three conditions, list': () => `/crm/records?${new URLSearchParams({ kanbanId, filter: filter() })}`,
      'three conditions, sorted': () =>
        `/crm/search?${new URLSearchParams({ kanbanId, filter: filter(), sort: sort() })}`,
      'all records, sorted': () => `/crm/search?${new URLSearchParams({ kanbanId, sort: sort() })}`,
      'counts and totals of columns': () =>
        `/kanbans/${kanbanId}/board-summary?${new URLSearchParams({ filter: filter() })}`,
    };
    try {
      await client.call('GET', '/crm/search?q=warm');
      const measures: Measure[] = [];
      for (const [kind, path] of Object.entries(kinds)) {
        const times: number[] = [];
        for (let i = 0; i < asks; i++) times.push((await client.call('GET', path())).ms);
        stage.say(
          `  ${kind}: p95 ${percentile(times, 0.95).toFixed(1)} ms, max ${Math.max(...times).toFixed(1)}`,
        );
        measures.push({ name: `${kind} p50`, value: percentile(times, 0.5), goal: null });
        measures.push({ name: `${kind} p95`, value: percentile(times, 0.95), goal: { atMost: 50 } });
      }
      return measures;
    } finally {
      await client.close();
    }
  },
};

/** On a field's value of some record, so that most conditions find something. `field` is an id of the corpus. */
function anyCondition(
  random: Random,
  fields: readonly CorpusField[],
  sample: readonly CorpusRecord[],
): FilterCondition {
  const field = random.pick(fields);
  const record = random.pick(sample);
  if (random.chance(0.1)) return { field: 'title', op: 'contains', value: record.title.slice(0, 3) };
  if (random.chance(0.05)) return { field: 'createdAt', op: 'after', value: record.createdAt };
  const value = record.customFields[field.id];
  if (value === undefined || random.chance(0.05)) return { field: field.id, op: 'empty' };
  const part = () => {
    const text = String(value);
    const from = random.below(Math.max(1, text.length - 4));
    return text.slice(from, from + random.between(1, 5)).trim() || text;
  };
  switch (comparisonOf(field.id, field.type as FieldType)) {
    case 'text':
      return random.chance(0.2)
        ? { field: field.id, op: random.pick(['is', 'isNot', 'startsWith'] as const), value: String(value) }
        : { field: field.id, op: random.pick(['contains', 'notContains'] as const), value: part() };
    case 'number':
      return { field: field.id, op: random.pick(['gt', 'lte', 'is'] as const), value: value as number };
    case 'options':
      return {
        field: field.id,
        op: random.pick(['anyOf', 'allOf', 'noneOf'] as const),
        value: value as string[],
      };
    case 'option':
      return { field: field.id, op: random.pick(['is', 'isNot'] as const), value: value as string };
    case 'boolean':
      return { field: field.id, op: 'is', value: value as boolean };
    default:
      return {
        field: field.id,
        op: random.pick(['before', 'onOrAfter'] as const),
        value: value as string | number,
      };
  }
}
