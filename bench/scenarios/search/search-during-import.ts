import { Readable } from 'node:stream';
import { request } from 'undici';
import { sampleRecord } from '../../corpus/sample-records.ts';
import { type Client, openClient, percentile } from '../../load/client.ts';
import type { Scenario } from '../../scenario.ts';
import type { Stage } from '../../stage.ts';
import { searchPaths } from './search.ts';

const imported = 100_000;
const kinds = ['substring', 'typo1', 'typo2', 'twoTerms', 'lookup', 'suggest'];
const quietSeconds = 8;
const pauseMs = 20;

/** An operator of one account searches, with a short pause after each response, while another account imports. */
export const searchDuringImport: Scenario = {
  name: 'search-during-import',
  about: 'searches of one account, alone and while another account imports 100,000 records',
  onRequest: true,
  fillsItself: true,
  async measure(stage) {
    const corpus = await stage.corpus();
    const client = openClient(stage.service.url, corpus.token);
    stage.onClose(() => client.close());
    const paths = searchPaths(stage.options.seed, stage.options.records, corpus);
    const asked = kinds.map((kind) => paths[kind]!);
    await client.call('GET', '/crm/search?q=warm');
    await searchUntil(client, asked, after(quietSeconds));
    // Before and after, so that noise is not mistaken for an effect.
    const alone = await searchUntil(client, asked, after(quietSeconds));
    let isOver = false;
    const began = performance.now();
    const importing = importRecords(stage).finally(() => {
      isOver = true;
    });
    const [meanwhile] = await Promise.all([searchUntil(client, asked, () => isOver), importing]);
    const seconds = (performance.now() - began) / 1000;
    alone.push(...(await searchUntil(client, asked, after(quietSeconds))));
    const p95 = { alone: percentile(alone, 0.95), meanwhile: percentile(meanwhile, 0.95) };
    return [
      { name: 'the import, s', value: seconds, goal: null },
      { name: 'searches meanwhile', value: meanwhile.length, goal: null },
      { name: 'search p95 alone, ms', value: p95.alone, goal: null },
      { name: 'search p95 during the import, ms', value: p95.meanwhile, goal: null },
      { name: 'factor', value: p95.meanwhile / p95.alone, goal: { atMost: 2 } },
    ];
  },
};

function after(seconds: number): () => boolean {
  const end = performance.now() + seconds * 1000;
  return () => performance.now() > end;
}

async function searchUntil(
  client: Client,
  paths: (() => string)[],
  isOver: () => boolean,
): Promise<number[]> {
  const times: number[] = [];
  while (!isOver()) {
    times.push((await client.call('GET', paths[times.length % paths.length]!())).ms);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  return times;
}

async function importRecords({ service, workspace, random }: Stage): Promise<void> {
  const header = ['title', 'status', ...workspace.fieldIds].join(',');
  async function* lines() {
    yield `${header}\n`;
    for (let done = 0; done < imported; done += 1_000) {
      const rows = Array.from({ length: 1_000 }, () => {
        const { title, status, customFields } = sampleRecord(random, workspace.fieldIds);
        return `${[title, status, ...Object.values(customFields)].join(',')}\n`;
      });
      yield rows.join('');
    }
  }
  const { statusCode, body } = await request(`${service.url}/crm/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${workspace.token}`, 'content-type': 'text/csv' },
    body: Readable.from(lines()),
  });
  let end = '';
  for await (const chunk of body) end = (end + String(chunk)).slice(-500);
  if (statusCode !== 200 || !end.includes(`"created":${imported}`)) {
    throw new Error(`the import answered ${statusCode}: ${end}`);
  }
}
