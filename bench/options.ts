/** The options of `npm run bench`. Defaults follow the method that the goals were set with. */
import { parseArgs } from 'node:util';
import { type Corpus, corpora } from './corpus/corpora.ts';

export interface Options {
  /** Names of scenarios; empty means all. */
  scenarios: string[];
  records: number;
  pairs: number;
  /** Length of one burst. */
  seconds: number;
  warmUpSeconds: number;
  clients: number;
  seed: number;
  jsonFile: string | null;
  /** CPU profiles of the service and the floor are written here when they stop. */
  profileDir: string | null;
  /** Of the scenario "regression": a checkout of another version, with its dependencies installed, or a commit. */
  before: string | null;
  /** Of the scenario "regression"; null means all. */
  works: string[] | null;
  /** Of the scenario "search". */
  corpus: Corpus;
  /** Of the scenario "knowledge": a folder with one more judged set. */
  banking: string | null;
  /** Of the scenario "record-peers"; null means all. */
  peers: string[] | null;
  /** Of the scenario "simulate". */
  accounts: number;
  cells: number;
  simulatedSeconds: number;
  perSecond: number;
}

const usage = `npm run bench -- [scenario…] [options]
  --json FILE      also write the results as JSON
  --records N      rows in the table before the first request (100000)
  --pairs N        alternating bursts of each side (5)
  --seconds S      length of one burst (2.5)
  --warm-up S      load on each side before anything counts (10)
  --clients N      requests in flight (16)
  --seed N         for titles, values and ids that are asked for
  --quick          2000 records, 3 pairs of 1 s, 2 s of warm-up: shows whether it works, not how fast it is
  --profile DIR    write a CPU profile of each side
  --before DIR     the other version of "regression" and "start": a checkout with its dependencies installed;
                   for "regression" also a commit
  --works A,B      only these of the scenario "regression": get, list, lookup, create, send, search, inbound, deliveries,
                   replies
  --corpus NAME    of the scenario "search": customers (default), tickets, catalogue
  --banking DIR    of the scenario "knowledge": also measure the quality on the articles.jsonl and tasks.jsonl of DIR
  --peers A,B      only these of the scenario "record-peers": parse-server, directus, strapi
  --accounts N     accounts of the scenario "simulate" (10000)
  --cells N        databases of the scenario "simulate" (4); its --seconds is the length of the whole traffic (300)
  --rate N         requests a second of the scenario "simulate" (100)`;

const known = {
  json: { type: 'string' },
  records: { type: 'string' },
  pairs: { type: 'string' },
  seconds: { type: 'string' },
  'warm-up': { type: 'string' },
  clients: { type: 'string' },
  seed: { type: 'string' },
  quick: { type: 'boolean' },
  profile: { type: 'string' },
  before: { type: 'string' },
  works: { type: 'string' },
  corpus: { type: 'string' },
  banking: { type: 'string' },
  peers: { type: 'string' },
  accounts: { type: 'string' },
  cells: { type: 'string' },
  rate: { type: 'string' },
  help: { type: 'boolean' },
} as const;

export class UsageError extends Error {}

export function readOptions(args: string[], scenarioNames: readonly string[]): Options {
  const { values, positionals } = parse(args);
  if (values.help) throw new UsageError(`${usage}\n\nScenarios: ${scenarioNames.join(', ')}`);
  for (const name of positionals) {
    if (!scenarioNames.includes(name)) {
      throw new UsageError(`${name} is no scenario; there are ${scenarioNames.join(', ')}`);
    }
  }
  const quick = values.quick === true;
  return {
    scenarios: positionals,
    records: readNumber('--records', values.records, quick ? 2_000 : 100_000, 100),
    pairs: readNumber('--pairs', values.pairs, quick ? 3 : 5, 1),
    seconds: readNumber('--seconds', values.seconds, quick ? 1 : 2.5, 0.1),
    warmUpSeconds: readNumber('--warm-up', values['warm-up'], quick ? 2 : 10, 0),
    clients: readNumber('--clients', values.clients, 16, 1),
    seed: readNumber('--seed', values.seed, Math.floor(Math.random() * 1e9), 0),
    jsonFile: values.json ?? null,
    profileDir: values.profile ?? null,
    before: values.before ?? null,
    works: values.works?.split(',') ?? null,
    corpus: readCorpus(values.corpus),
    banking: values.banking ?? null,
    peers: values.peers?.split(',') ?? null,
    accounts: readNumber('--accounts', values.accounts, quick ? 200 : 10_000, 20),
    cells: readNumber('--cells', values.cells, quick ? 2 : 4, 1),
    simulatedSeconds: readNumber('--seconds', values.seconds, quick ? 20 : 300, 0.1),
    perSecond: readNumber('--rate', values.rate, 100, 1),
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: known, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${usage}`);
  }
}

function readCorpus(name = 'customers'): Corpus {
  const corpus = corpora.find((one) => one.name === name);
  if (!corpus)
    throw new UsageError(`${name} is no corpus; there are ${corpora.map((one) => one.name).join(', ')}`);
  return corpus;
}

function readNumber(name: string, text: string | undefined, fallback: number, minimum: number): number {
  const value = text === undefined ? fallback : Number(text);
  if (!Number.isFinite(value) || value < minimum)
    throw new UsageError(`${name} must be a number of at least ${minimum}`);
  return value;
}
