/** Searches over HTTP, one after the other, on the records of the run: what an operator waits for. */
import { openClient, percentile } from '../client.ts';
import { misspell } from '../queries.ts';
import type { Random } from '../random.ts';
import type { Measure, Scenario } from '../scenario.ts';

const asks = 200;
/** At 100,000 records; ten times as many may take six times as long. */
const goalMs = (records: number) => (records > 200_000 ? 150 : 25);

export const search: Scenario = {
  name: 'search',
  about: 'GET /crm/search by substring, typos, two terms, a letter and a value; suggestions; counts',
  async measure({ options, pool, random, service, workspace }) {
    const client = openClient(service.url, workspace.token);
    try {
      const { rows } = await pool.query(
        'select title, custom_fields from records order by random() limit 2000',
      );
      const words = rows.flatMap((row) => String(row.title).split(/\s+/)).filter((word) => word.length >= 7);
      const built = await client.call('GET', '/crm/search?q=warm');
      const measures: Measure[] = [{ name: 'first search after a start, ms', value: built.ms, goal: null }];
      for (const [kind, path] of Object.entries(kinds(random, words, rows, workspace.fieldIds))) {
        const times: number[] = [];
        for (let i = 0; i < asks; i++) times.push((await client.call('GET', path())).ms);
        const goal = { atMost: goalMs(options.records) };
        measures.push({ name: `${kind} p50`, value: percentile(times, 0.5), goal: null });
        measures.push({ name: `${kind} p95`, value: percentile(times, 0.95), goal });
      }
      return measures;
    } finally {
      await client.close();
    }
  },
};

interface Row {
  title: string;
  custom_fields: { [id: string]: unknown };
}

function kinds(
  random: Random,
  words: string[],
  rows: Row[],
  fieldIds: string[],
): { [kind: string]: () => string } {
  const word = () => random.pick(words);
  const find = (q: string) => `/crm/search?q=${encodeURIComponent(q)}`;
  return {
    substring: () => find(word().slice(1, 6)),
    'one typo': () => find(misspell(word(), 1, random)),
    'two typos': () => find(misspell(word(), 2, random)),
    'two terms': () => find(`${word().slice(0, 4)} ${word()}`),
    'one letter': () => find(word().slice(0, 1)),
    'exact value': () => {
      const row = random.pick(rows);
      const [id, value] = random.pick(
        Object.entries(row.custom_fields).filter(([field]) => fieldIds.includes(field)),
      );
      return `/crm/search?customFieldId=${id}&customFieldValue=${encodeURIComponent(String(value))}`;
    },
    suggest: () => `/crm/search/suggest?q=${encodeURIComponent(word().slice(0, 4))}`,
    aggregations: () => '/crm/search/aggregations',
  };
}
