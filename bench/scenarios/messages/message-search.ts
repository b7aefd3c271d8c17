import { foldText } from '../../../server/search-engine/store/text.ts';
import { fillMessages } from '../../corpus/fill-messages.ts';
import { messageText } from '../../corpus/message-corpus.ts';
import { Random } from '../../corpus/random.ts';
import { Truth } from '../../corpus/truth.ts';
import { type Client, openClient, percentile } from '../../load/client.ts';
import { residentMb } from '../../load/resident.ts';
import type { Measure, Scenario } from '../../scenario.ts';

const perRecord = 10;
const asks = 100;
const judged = 12;
const sent = 20;
/** Of a judged query all pages are read; more would take minutes. */
const mostRead = 3_000;
const goalMs = 60;

const kinds = [
  'word',
  'beginning',
  'typo1',
  'typo2',
  'twoWords',
  'threeWords',
  'oneLetter',
  'filtered',
  'newest',
] as const;
type Kind = (typeof kinds)[number];

/** Ten times as many messages as `--records`: a million by default. */
export const messageSearch: Scenario = {
  name: 'message-search',
  about: 'GET /messages/search on ten messages per record: times, recall against brute force, memory',
  onRequest: true,
  fillsItself: true,
  async measure(stage) {
    const { service, workspace, options, pool, say } = stage;
    const count = options.records * perRecord;
    say(`filling ${count} messages`);
    const all = await fillMessages(pool, workspace.accountId, count, new Random(options.seed));
    const client = openClient(service.url, workspace.token);
    stage.onClose(() => client.close());
    const random = new Random(options.seed + 1);
    const before = residentMb(service);
    const first = await client.call('GET', '/messages/search?q=warm');
    const measures: Measure[] = [
      { name: 'messages', value: count, goal: null },
      { name: 'first search after a start, ms', value: first.ms, goal: null },
      { name: 'resident memory for the index, MB', value: residentMb(service) - before, goal: null },
    ];
    for (let i = 0; i < asks; i++) await client.call('GET', pathOf(kinds[i % kinds.length]!, random));
    const every: number[] = [];
    for (const kind of kinds) {
      const times: number[] = [];
      for (let i = 0; i < asks; i++) times.push((await client.call('GET', pathOf(kind, random))).ms);
      every.push(...times);
      say(
        `  ${kind}: p50 ${percentile(times, 0.5).toFixed(1)} ms, p95 ${percentile(times, 0.95).toFixed(1)} ms`,
      );
      measures.push({ name: `${kind} p50`, value: percentile(times, 0.5), goal: null });
      measures.push({ name: `${kind} p95`, value: percentile(times, 0.95), goal: { atMost: goalMs } });
    }
    measures.push({ name: 'all kinds p95', value: percentile(every, 0.95), goal: { atMost: goalMs } });
    measures.push({
      name: 'resident memory after all, MB more',
      value: residentMb(service) - before,
      goal: null,
    });
    say('  comparing with brute force');
    const truth = new Truth(all.map(({ text }) => foldText(text)));
    const ids = all.map(({ id }) => id);
    // Preparing this takes longer than an idle connection lives.
    const again = openClient(service.url, workspace.token);
    stage.onClose(() => again.close());
    measures.push({ name: 'recall', value: await recall(again, truth, ids, random), goal: { atLeast: 1 } });
    measures.push({
      name: 'found right after their 202, share',
      value: await foundAfterSend(again),
      goal: { atLeast: 1 },
    });
    return measures;
  },
};

function pathOf(kind: Kind, random: Random): string {
  const parameters = new URLSearchParams({ q: textOf(kind, random) });
  if (kind === 'filtered') {
    parameters.set('author', 'customer');
    parameters.set('from', String(Date.now() - 90 * 86_400_000));
  }
  return `/messages/search?${parameters}`;
}

/** What people type, from texts like those that were filled in. */
function textOf(kind: Kind, random: Random): string {
  if (kind === 'newest') return '';
  if (kind === 'oneLetter') return random.pick([...'abcdefghijklmnopqrstuvwxyz']);
  for (;;) {
    const words = messageText(random)
      .split(/\s+/)
      .map((word) => foldText(word).replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
      .filter((word) => word.length >= 4);
    const [one, two, three] = words;
    if (kind === 'beginning' && one) return one.slice(0, random.between(2, 4));
    if ((kind === 'word' || kind === 'filtered') && one) return one;
    if (kind === 'typo1' && one) return misspelt(one, random);
    const long = words.find((word) => word.length >= 8);
    if (kind === 'typo2' && long) return misspelt(misspelt(long, random), random);
    if (kind === 'twoWords' && two) return `${one} ${two}`;
    if (kind === 'threeWords' && three) return `${one} ${two} ${three}`;
  }
}

function misspelt(word: string, random: Random): string {
  const at = random.between(1, word.length - 2);
  const swapped = word.slice(0, at) + word[at + 1] + word[at] + word.slice(at + 2);
  return random.chance(0.5) ? swapped : word.slice(0, at) + word.slice(at + 1);
}

/** The share of what brute force finds; a message or a total too many is an error. */
async function recall(client: Client, truth: Truth, ids: readonly string[], random: Random): Promise<number> {
  let wanted = 0;
  let found = 0;
  for (const kind of ['word', 'typo1', 'typo2', 'twoWords', 'beginning'] as const) {
    for (let i = 0; i < judged; i++) {
      const q = textOf(kind, random);
      // The engine tolerates two typos of any kind: all of them must be found.
      const sets = q.split(' ').map((term) => truth.find(term, 'typo2', [5, 8]));
      const expected = new Set(
        [...sets[0]!].filter((n) => sets.every((set) => set.has(n))).map((n) => ids[n]!),
      );
      const got = new Set<string>();
      const path = `/messages/search?pageSize=100&q=${encodeURIComponent(q)}`;
      const { body } = await client.call('GET', path);
      for (const { id } of body.items) got.add(id);
      for (let page = 2; page <= body.totalPages && body.total <= mostRead; page++)
        for (const { id } of (await client.call('GET', `${path}&page=${page}`)).body.items) got.add(id);
      if ([...got].some((id) => !expected.has(id))) throw new Error(`${q}: found what does not match`);
      if (body.total > expected.size) throw new Error(`${q}: the total is too high`);
      wanted += expected.size;
      found += body.total <= mostRead ? got.size : body.total;
    }
  }
  return found / wanted;
}

async function foundAfterSend(client: Client): Promise<number> {
  let found = 0;
  for (let i = 0; i < sent; i++) {
    const content = `Visible${i}at${Date.now()}`;
    const message = { content, fromChannelIdentifier: 'api', sessionId: `sent-${i % 4}` };
    const { body } = await client.call('POST', '/messages', message);
    const answer = await client.call('GET', `/messages/search?author=customer&q=${content}`);
    if (answer.body.items.some(({ id }: { id: string }) => id === body.userMessage.id)) found++;
  }
  return found / sent;
}
