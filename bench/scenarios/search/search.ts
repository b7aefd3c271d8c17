/** Sequential searches over HTTP on the corpus: what an operator waits for. */
import type { CorpusWorkspace } from '../../api.ts';
import { customers } from '../../corpus/corpora.ts';
import type { CorpusRecord } from '../../corpus/corpus.ts';
import { makeLookup, makeQuery, QUERY_KINDS } from '../../corpus/queries.ts';
import { Random } from '../../corpus/random.ts';
import { openClient, percentile } from '../../load/client.ts';
import type { Measure, Scenario } from '../../scenario.ts';

const asks = 200;
/** Queries are made of these, which are like all others. */
const sampled = 20_000;
/** At 100,000 records; ten times as many may take six times as long. */
const goalMs = (records: number) => (records > 200_000 ? 150 : 25);

export const search: Scenario = {
  name: 'search',
  about: 'GET /crm/search by substring, typos, two terms, a letter and a value; suggestions; counts',
  fillsItself: true,
  async measure(stage) {
    const { records, seed } = stage.options;
    const corpus = await stage.corpus(stage.options.corpus);
    const client = openClient(stage.service.url, corpus.token);
    try {
      const built = await client.call('GET', '/crm/search?q=warm');
      const measures: Measure[] = [{ name: 'first search after a start, ms', value: built.ms, goal: null }];
      for (const [kind, path] of Object.entries(searchPaths(seed, records, corpus, stage.options.corpus))) {
        const times: number[] = [];
        for (let i = 0; i < asks; i++) times.push((await client.call('GET', path())).ms);
        stage.say(`  ${kind}: p95 ${percentile(times, 0.95).toFixed(1)} ms`);
        const goal = { atMost: goalMs(records) };
        measures.push({ name: `${kind} p50`, value: percentile(times, 0.5), goal: null });
        measures.push({ name: `${kind} p95`, value: percentile(times, 0.95), goal });
      }
      return measures;
    } finally {
      await client.close();
    }
  },
};

/** One path after the other for each kind of query. */
export function searchPaths(
  seed: number,
  records: number,
  { fieldIds }: CorpusWorkspace,
  corpus = customers,
): { [kind: string]: () => string } {
  const random = new Random(seed + 1);
  const fields = corpus.fields(seed);
  const types = new Map(fields.map((field) => [field.id, field.type]));
  const sample: CorpusRecord[] = [...corpus.records(seed, Math.min(records, sampled))];
  const paths: { [kind: string]: () => string } = {};
  for (const kind of QUERY_KINDS) {
    const route = kind === 'suggest' ? '/crm/search/suggest' : '/crm/search';
    paths[kind] = () => `${route}?q=${encodeURIComponent(makeQuery(kind, sample, types, random))}`;
  }
  paths.lookup = () => {
    const [id, value] = makeLookup(sample, fields, random);
    return `/crm/search?customFieldId=${fieldIds.get(id)}&customFieldValue=${encodeURIComponent(value)}`;
  };
  paths.aggregations = () => '/crm/search/aggregations';
  return paths;
}
