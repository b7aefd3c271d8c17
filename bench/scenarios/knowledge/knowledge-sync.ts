import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { newId } from '../../../server/platform/ids.ts';
import { startChild } from '../../child.ts';
import { messageText } from '../../corpus/message-corpus.ts';
import { Random } from '../../corpus/random.ts';
import { openClient, percentile } from '../../load/client.ts';
import { residentMb } from '../../load/resident.ts';
import type { Scenario } from '../../scenario.ts';
import { login } from '../../stage.ts';

const pages = 500;
const publishedPages = 5_000;
const partsEach = 8;
/** A change that waits for longer than 4.5 s is refused. */
const goal = { seconds: 60, mb: 200, waitMs: 4_500 };
const secretKey = 'a key for the benchmark that is long enough';

export const knowledgeSync: Scenario = {
  name: 'knowledge-sync',
  about: `a sync of ${pages} pages without pauses, its memory, and the publication of ${publishedPages} pages`,
  onRequest: true,
  fillsItself: true,
  async measure({ startTwin, connection, options, say, onClose }) {
    const { service, workspace, pool } = await startTwin('syncs', {
      role: 'api',
      env: { SECRET_KEY: secretKey },
    });
    const { body: signedIn } = await openClient(service.url, '').call('POST', '/auth/login', login);
    const scopes = ['manage', 'knowledge:read', 'knowledge:write'];
    const signedInClient = openClient(service.url, signedIn.token);
    const { body: made } = await signedInClient.call('POST', '/api-tokens', { name: 'syncs', scopes });
    const client = openClient(service.url, made.token);
    onClose(() => client.close());
    const random = new Random(options.seed);
    const website = await startSite(random);
    onClose(() => website.close());
    const createSource = async (startUrl: string): Promise<string> => {
      const settings = { startUrls: [startUrl], maxPages: publishedPages, publish: 'review' };
      const source = { name: 'Site', kind: 'website', settings };
      return (await client.call('POST', '/knowledge/sources', source)).body.id;
    };
    const runOf = async (id: string) => (await client.call('GET', `/knowledge/runs/${id}`)).body;

    const dataDir = mkdtempSync(join(tmpdir(), 'talkboard-bench-'));
    onClose(() => rmSync(dataDir, { recursive: true, force: true }));
    const crawler = startChild('scenarios/knowledge/crawler.process.ts', {
      DATABASE_URL: `postgres://${connection.user}@${encodeURIComponent(connection.host!)}:${connection.port}/syncs`,
      DATA_DIR: dataDir,
      SECRET_KEY: secretKey,
      OUTBOUND_ALLOW: '127.0.0.0/8',
    });
    onClose(() => crawler.stop());
    await crawler.ask({});
    const atRest = residentMb(crawler);
    say(`reading ${pages} pages`);
    const sourceId = await createSource(`${website.origin}/`);
    const began = performance.now();
    const { runId } = (await client.call('POST', `/knowledge/sources/${sourceId}/sync`)).body;
    let run = await runOf(runId);
    while (run.state === 'running') {
      await sleep(200);
      run = await runOf(runId);
    }
    const syncSeconds = (performance.now() - began) / 1_000;
    if (run.state !== 'review' || run.counts.added !== pages) throw new Error(JSON.stringify(run));
    const memory = peakMb(crawler.pid) - atRest;
    await crawler.stop();

    const publish = async (version: number) => {
      const id = await stageRun(pool, workspace.accountId, largeId, version, random);
      const times: number[] = [];
      const waits: number[] = [];
      let isDone = false;
      const startedAt = performance.now();
      const publishing = client.call('POST', `/knowledge/runs/${id}/publish`).finally(() => {
        isDone = true;
      });
      // Slowly: both together have a limit of 600 a minute.
      const searching = (async () => {
        for (; !isDone; await sleep(150)) {
          times.push((await client.call('POST', '/knowledge/search', { q: 'order number delivery' })).ms);
        }
      })();
      const changing = (async () => {
        for (; !isDone; await sleep(600)) {
          const change = client.call('PATCH', `/knowledge/documents/${articleId}`, { audience: 'internal' });
          waits.push(
            await change.then(
              ({ ms }) => ms,
              () => Number.POSITIVE_INFINITY,
            ),
          );
        }
      })();
      const seconds = publishing.then(() => (performance.now() - startedAt) / 1_000);
      await Promise.all([seconds, searching, changing]);
      return { seconds: await seconds, slowest: percentile(times, 1), longestWait: percentile(waits, 1) };
    };
    say(`publishing ${publishedPages} pages`);
    const { body: sources } = await client.call('GET', '/knowledge/sources');
    const articles = sources.items.find(({ kind }: { kind: string }) => kind === 'articles');
    const article = { sourceId: articles.id, title: 'Returns', text: 'Within 30 days.' };
    const articleId: string = (await client.call('POST', '/knowledge/documents', article)).body.id;
    const largeId = await createSource(`${website.origin}/large/`);
    const first = await publish(1);
    const second = await publish(2);
    return [
      { name: `sync of ${pages} pages, s`, value: syncSeconds, goal: { atMost: goal.seconds } },
      { name: 'memory of the crawler beyond its start, MB', value: memory, goal: { atMost: goal.mb } },
      { name: `publication of ${publishedPages} new pages, s`, value: first.seconds, goal: null },
      { name: `publication of ${publishedPages} changed pages, s`, value: second.seconds, goal: null },
      { name: 'slowest search meanwhile, ms', value: Math.max(first.slowest, second.slowest), goal: null },
      {
        name: 'longest wait of a change of an article meanwhile, ms',
        value: Math.max(first.longestWait, second.longestWait),
        goal: { atMost: goal.waitMs },
      },
    ];
  },
};

function peakMb(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

/** One page that links to the others, each with menus and a text of some passages. */
async function startSite(random: Random): Promise<{ origin: string; close(): void }> {
  const links = Array.from({ length: pages - 1 }, (_, n) => `<li><a href="/page-${n}">Page ${n}</a></li>`);
  const server = createServer((request, response) => {
    const path = request.url!;
    if (path === '/robots.txt' || path === '/sitemap.xml') {
      response.writeHead(404).end();
      return;
    }
    const menu = links.slice(0, path === '/' ? links.length : 60).join('');
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(`<!doctype html><html lang="en"><head><title>${path}</title></head><body><nav><ul>${menu}</ul></nav>
      <main><article><h1>${path}</h1>${partsOf(random)
        .map(({ heading, text }) => `<h2>${heading}</h2><p>${text}</p>`)
        .join('')}</article></main><footer><p>All rights reserved.</p></footer></body></html>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function partsOf(random: Random): { heading: string; text: string }[] {
  const words = () => messageText(random).replace(/[<>&\s]+/g, ' ');
  return Array.from({ length: partsEach }, () => {
    let text = '';
    while (text.length < 700) text += `${words()} `;
    return { heading: words().slice(0, 60).toWellFormed(), text };
  });
}

/** As a crawler leaves it for a person to publish. */
async function stageRun(
  pool: Pool,
  accountId: string,
  sourceId: string,
  version: number,
  random: Random,
): Promise<string> {
  const id = newId();
  await pool.query(
    `insert into knowledge_runs (account_id, id, source_id, state, counts, started_at, started_by, is_seeded)
     select $1, $2, $3, 'review', '{"found":0,"added":0,"changed":0,"unchanged":0,"gone":0,"skipped":0,"failed":0}',
       1, 'bench', true`,
    [accountId, id, sourceId],
  );
  const verdict = version === 1 ? 'added' : 'changed';
  for (let from = 0; from < publishedPages; from += 500) {
    const rows = Array.from({ length: 500 }, (_, n) => ({
      number: from + n + 1,
      text: partsOf(random)
        .map(({ heading, text }) => `## ${heading}\n\n${text}`)
        .join('\n\n'),
    }));
    await pool.query(
      `insert into knowledge_run_pages (account_id, run_id, number, url, depth, hops, document_id, verdict, http_status)
       select $1, $2, r.number, 'https://large.example/' || r.number, 0, 0, d.id, $4, 200
       from json_to_recordset($3) as r (number int)
       left join knowledge_documents d on d.account_id = $1 and d.url = 'https://large.example/' || r.number`,
      [accountId, id, JSON.stringify(rows), verdict],
    );
    await pool.query(
      `insert into knowledge_run_texts (account_id, run_id, number, title, text, bytes, hash, links)
       select $1, $2, r.number, 'Page ' || r.number, r.text, octet_length(r.text), md5(r.text), '[]'
       from json_to_recordset($3) as r (number int, text text)`,
      [accountId, id, JSON.stringify(rows)],
    );
  }
  return id;
}
