import { Random } from '../../corpus/random.ts';
import { openClient, percentile } from '../../load/client.ts';
import { residentMb } from '../../load/resident.ts';
import type { Measure, Scenario } from '../../scenario.ts';
import { login } from '../../stage.ts';
import { fillPassages } from './fill-passages.ts';
import { measureQuality } from './search-quality.ts';

const warmUps = 60;
const asks = 150;
const words = { min: 2, max: 12 };
const goal = { ms: 15, mb: 600 };

export const knowledge: Scenario = {
  name: 'knowledge',
  about:
    'the quality of the search on judged questions; POST /knowledge/search on a made-up passage per record: times and memory',
  onRequest: true,
  fillsItself: true,
  async measure({ service, workspace, options, pool, say, onClose }) {
    const quality = await measureQuality(options);
    say(`filling ${options.records} passages`);
    const texts = await fillPassages(pool, workspace.accountId, options.records, new Random(options.seed));
    await pool.query('vacuum analyze knowledge_documents, knowledge_passages');
    // The token of the workspace has the scopes that every version knows.
    const { body: signedIn } = await openClient(service.url, '').call('POST', '/auth/login', login);
    const client = openClient(service.url, signedIn.token);
    onClose(() => client.close());
    const random = new Random(options.seed + 1);
    const ask = async (hasTypos: boolean) =>
      (await client.call('POST', '/knowledge/search', { q: questionOf(random, texts, hasTypos) })).ms;
    const before = residentMb(service);
    const first = await ask(false);
    for (let i = 0; i < warmUps; i++) await ask(i % 2 === 0);
    const measures: Measure[] = [
      ...quality,
      { name: 'first search after a start, ms', value: first, goal: null },
      {
        name: 'resident memory for the index, MB',
        value: residentMb(service) - before,
        goal: { atMost: goal.mb },
      },
    ];
    for (const hasTypos of [false, true]) {
      const times: number[] = [];
      for (let i = 0; i < asks; i++) times.push(await ask(hasTypos));
      const name = hasTypos ? 'with typos' : 'words as written';
      measures.push({ name: `${name}, p50 ms`, value: percentile(times, 0.5), goal: null });
      measures.push({ name: `${name}, p95 ms`, value: percentile(times, 0.95), goal: { atMost: goal.ms } });
    }
    return measures;
  },
};

/** Words that follow each other in a passage. */
export function questionOf(random: Random, texts: readonly string[], hasTypos: boolean): string {
  const all = random.pick(texts).split(/\s+/);
  const count = random.between(words.min, words.max);
  const from = random.below(Math.max(1, all.length - count));
  const asked = all.slice(from, from + count);
  return asked.map((word) => (hasTypos && random.chance(0.25) ? withTypo(random, word) : word)).join(' ');
}

function withTypo(random: Random, word: string): string {
  const characters = [...word];
  characters.splice(random.below(characters.length), random.below(2), 'x');
  return characters.join('');
}
