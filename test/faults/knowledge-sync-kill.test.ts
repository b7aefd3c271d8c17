/**
 * kill -9 while websites are read, and in the middle of a publication: a search finds all pages of one run or all of the
 * other, no document is lost, and a page that is stored is not requested again.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Json, password } from '../support/service.ts';
import { article, linksTo, startWebsite, type Website } from '../support/website.ts';
import { eventually, isFull, openWorkshop, type Program, type Workshop } from './support.ts';

const kills = isFull ? 20 : 2;
const sites = 6;
const pagesEach = isFull ? 7 : 4;
/** With the first page of each site, and the one page that only a generation has. */
const pagesInAll = sites * (pagesEach + 1) + 1;
const inFlightEach = 2;
const searchEveryMs = 150;

describe('kill -9 during the syncs of a website', () => {
  let workshop: Workshop;
  let program: Program;
  let auth: Record<string, string>;
  const websites: Website[] = [];
  let generation = 1;
  before(async () => {
    workshop = openWorkshop();
    for (let n = 0; n < sites; n++) {
      const site = await startWebsite({ '*': ({ url }) => pageAt(n, url!) });
      site.pages.set('/robots.txt', { status: 404 }).set('/sitemap.xml', { status: 404 });
      websites.push(site);
    }
  });
  after(async () => {
    await workshop.close();
    await Promise.all(websites.map((site) => site.close()));
  });

  const pageAt = (site: number, path: string) => {
    const numbered = Array.from({ length: pagesEach }, (_, n) => `/page-${n}`);
    const onlyNow = site === 0 ? [`/only-${generation}`] : [];
    const paths = [...numbered, ...onlyNow];
    const more = path === '/' ? linksTo(...paths) : '';
    if (path !== '/' && !paths.includes(path)) return { status: 404 };
    return article(`Site ${site} ${path}`, `Marmalade of generation${generation}. ${site} ${path} ${more}`);
  };

  const start = () => workshop.start({ OUTBOUND_ALLOW: '127.0.0.0/8' });
  const call = async (method: string, path: string, body?: object): Promise<Json> => {
    const reply = await program.call(method, `/knowledge${path}`, body, auth);
    assert.ok(reply.status < 300, JSON.stringify(reply.body));
    return reply.body;
  };
  /** The generations that a search finds, each with the number of its pages. */
  const found = async (): Promise<Record<string, number>> => {
    // The API allows 600 requests a minute.
    await sleep(searchEveryMs);
    const { passages } = await call('POST', '/search', { q: 'marmalade', limit: 50 });
    const counts: Record<string, number> = {};
    for (const { excerpt } of passages) {
      const [name] = /generation\d+/.exec(excerpt)!;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  };
  /** Its only text. */
  const onlyGeneration = (number: number) => ({ [`generation${number}`]: pagesInAll });
  const settled = (number: number) =>
    eventually(
      `generation ${number} is published`,
      async () => {
        const now = await found();
        const isNew = `generation${number}` in now;
        assert.deepEqual(now, onlyGeneration(isNew ? number : number - 1));
        return isNew;
      },
      60_000,
    );
  const stored = async (runId: string): Promise<string[]> => {
    const rows = await workshop.query<{ url: string }>(
      'select url from knowledge_run_pages where run_id = $1 and verdict is not null',
      [runId],
    );
    return rows.map(({ url }) => url);
  };
  const asked = () => websites.flatMap(({ origin, asked: paths }) => paths.map((path) => origin + path));

  it('never publishes half of a run, loses no document and requests no stored page again', async () => {
    program = await start();
    const login = await program.call('POST', '/auth/login', { email: 'admin@example.com', password });
    auth = { authorization: `Bearer ${login.body.token}` };
    const settings = { startUrls: websites.map(({ origin }) => `${origin}/`) };
    const { id } = await call('POST', '/sources', { name: 'Sites', kind: 'website', settings });
    await call('POST', `/sources/${id}/sync`);
    await eventually('the first run is published', async () => Object.keys(await found()).length > 0, 60_000);
    assert.deepEqual(await found(), onlyGeneration(1));
    const documentIds = () =>
      workshop.query<{ id: string }>(
        "select id from knowledge_documents where url not like '%/only-%' order by id",
      );
    const documents = await documentIds();
    assert.equal(documents.length, pagesInAll - 1);

    for (let kill = 1; kill <= kills; kill++) {
      generation++;
      for (const site of websites) site.asked.length = 0;
      const isInPublication = kill % 2 === 0;
      const held = await workshop.connect();
      if (isInPublication) {
        // The publication waits for it when it puts the new versions into use.
        await held.query('begin');
        await held.query('select from knowledge_documents where id = $1 for no key update', [
          documents.at(-1)!.id,
        ]);
      }
      const { runId } = await call('POST', `/sources/${id}/sync`);
      if (isInPublication) {
        await eventually(
          'the publication waits',
          async () => {
            const waiting = await workshop.query(
              "select from pg_stat_activity where wait_event_type = 'Lock' and query like '%update knowledge_documents%'",
            );
            return waiting.length > 0;
          },
          60_000,
        );
        assert.equal((await stored(runId)).length, pagesInAll + 1, 'all, and the one that goes');
      } else {
        const wanted = Math.floor(workshop.random() * (pagesInAll - 2 * sites)) + sites;
        await eventually('some are read', async () => (await stored(runId)).length >= wanted, 60_000);
      }
      assert.deepEqual(await found(), onlyGeneration(generation - 1), 'before the kill');
      await program.kill();
      await held.end();
      const before = asked();
      const kept = new Set(await stored(runId));
      for (const site of websites) site.asked.length = 0;
      program = await start();
      await settled(generation);
      const again = asked();
      assert.deepEqual(
        again.filter((url) => kept.has(url)),
        [],
        'no stored page is requested again',
      );
      for (const { origin } of websites) {
        const twice = again.filter((url) => url.startsWith(`${origin}/`) && before.includes(url));
        assert.ok(twice.length <= inFlightEach, `only those in flight: ${twice}`);
      }
      assert.deepEqual(await documentIds(), documents, 'no document is lost, and none is new');
      const versions = await workshop.query<{ version: number; published: number }>(
        'select distinct version, published_version as published from knowledge_documents where id = any($1)',
        [documents.map((document) => document.id)],
      );
      assert.deepEqual(versions, [{ version: generation, published: generation }]);
      await eventually(
        'nothing is left of what was staged and of what was in use before',
        async () => {
          const left = await workshop.query(`
            select run_id from knowledge_run_texts
            union all select document_id from knowledge_passages p where not exists (
              select from knowledge_documents d where d.id = p.document_id and d.published_version = p.version)
            union all select id from knowledge_documents d where not exists (
              select from knowledge_sources s where s.id = d.source_id)`);
          return left.length === 0;
        },
        60_000,
      );
      const { state, counts } = await call('GET', `/runs/${runId}`);
      assert.deepEqual(
        [state, counts.changed, counts.added, counts.gone],
        ['published', pagesInAll - 1, 1, 1],
      );
    }
  });
});
