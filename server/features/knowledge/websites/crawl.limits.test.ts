/** The limits of a run, with a website that is a function and a clock that the test moves. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createSemaphore, type Turns } from '../../../platform/concurrency/semaphore.ts';
import { ExtractionProblem, type ProblemCode } from '../extraction/extraction.problem.ts';
import type { Extracted } from '../extraction/extraction.ts';
import { type CrawlDeps, crawl, RunFailed } from './crawl.ts';
import type { Fetched } from './web-client.ts';

describe('the limits of a crawl', () => {
  const site = 'https://one.example';
  let now = 0;
  /** How far each look moves the clock. */
  let step = 0;
  beforeEach(() => {
    now = 1_000;
    step = 0;
    mock.method(performance, 'now', () => (now += step));
  });
  afterEach(() => mock.restoreAll());

  const page = (body: string): Fetched => ({
    kind: 'content',
    status: 200,
    type: 'text/html',
    charset: null,
    bytes: Buffer.from(body),
    etag: null,
    robotsTag: '',
  });
  const problem = (status: number, isHostFailing: boolean): Fetched => ({
    kind: 'problem',
    status,
    code: 'http_error',
    reason: `the site answered ${status}`,
    isHostFailing,
  });
  const missing = problem(404, false);
  const failing = problem(500, true);
  const numbered = (count: number, origin = site) =>
    Array.from({ length: count }, (_, n) => `${origin}/${n}`);

  /** What is read at an address is a text of its own, with these links at the first one. */
  function read(
    request: (url: string) => Fetched | Promise<Fetched>,
    options: {
      startUrls?: string[];
      links?: string[];
      extract?: (url: string) => void;
      ownRobots?: boolean;
      visits?: Turns;
      known?: CrawlDeps['known'];
      maxPages?: number;
      save?: CrawlDeps['save'];
      checkQuota?: CrawlDeps['checkQuota'];
    } = {},
  ) {
    const {
      startUrls = [`${site}/`],
      links = [],
      extract,
      ownRobots = false,
      visits = createSemaphore(100),
      known = [],
      maxPages = 5_000,
      save = async () => {},
      checkQuota = () => {},
    } = options;
    const stopped = new AbortController();
    return crawl({
      accountId: 'one',
      client: {
        async request(url) {
          return url.endsWith('/robots.txt') && !ownRobots ? missing : request(url);
        },
      },
      extraction: {
        async extract({ url }): Promise<Extracted> {
          extract?.(url!);
          const found = { links: url === startUrls[0] ? links : [], canonical: null };
          const html = { ...found, isNoindex: false, isNofollow: false };
          return { title: url!, text: `The text of ${url}.`, language: 'en', page: html };
        },
      },
      settings: {
        startUrls,
        sitemapUrls: [],
        include: [],
        exclude: [],
        maxPages,
        maxDepth: 5,
        schedule: 'never',
        publish: 'automatic',
        headers: {},
      },
      known,
      pages: [],
      texts: [],
      isSeeded: false,
      isRepeated: false,
      visits,
      save,
      linksOf: async () => [],
      isPrivate: async () => false,
      checkQuota,
      signal: stopped.signal,
      abort: () => stopped.abort(),
    });
  }

  const sends = (url: string) => (url.endsWith('.xml') ? missing : page('<p>x'));
  const failsWith = (message: RegExp) => (error: unknown) =>
    error instanceof RunFailed && message.test(error.message);

  it('others of the process have their turn while many links are compared with robots.txt', async () => {
    let turns = 0;
    let isDone = false;
    const others = (async () => {
      while (!isDone) {
        await nextTurn();
        turns++;
      }
    })();
    const robots = page(`User-agent: *\n${'Disallow: /private\n'.repeat(10)}`);
    const startUrls = [`${site}/`];
    await read(
      (url) => {
        if (url.endsWith('/robots.txt')) return robots;
        return sends(url);
      },
      {
        startUrls,
        links: Array.from({ length: 2_000 }, (_, n) => `${site}/private/${n}`),
        ownRobots: true,
        extract: () => {
          // From here on every look at the clock is a millisecond later.
          step = 1;
          turns = 0;
        },
      },
    );
    const during = turns;
    isDone = true;
    await others;
    assert.ok(during > 100, String(during));
  });

  it('a host is silent from its first request without a page on, not while nothing is asked', async () => {
    const slowSitemap = (url: string) => {
      if (url.endsWith('.xml')) now += 10 * 60_000;
      if (url.endsWith('/0')) {
        now += 1_000;
        return failing;
      }
      return sends(url);
    };
    const counts = await read(slowSitemap, { startUrls: [`${site}/0`, `${site}/`] });
    assert.deepEqual([counts.added, counts.failed], [1, 1]);
    const silent = (url: string) => {
      if (url.endsWith('.xml')) return missing;
      now += 4 * 60_000;
      return failing;
    };
    await assert.rejects(
      read(silent, { startUrls: numbered(3) }),
      failsWith(/has sent no page for 5 minutes$/),
    );
  });

  it('pages whose text cannot be extracted are failures in a row; those that are missing are not', async () => {
    for (const code of ['timeout', 'too_large', 'broken'] satisfies ProblemCode[]) {
      let asked = 0;
      const extract = (url: string) => {
        if (url === `${site}/`) return;
        asked++;
        throw new ExtractionProblem(code, `it is ${code}`);
      };
      const run = read(sends, { links: numbered(60), extract });
      await assert.rejects(
        run,
        failsWith(new RegExp(`^20 pages in a row failed, the last one with: it is ${code}$`)),
      );
      assert.ok(asked <= 22, String(asked));
    }
    const empty = (url: string) => {
      if (url !== `${site}/`) throw new ExtractionProblem('no_text', 'nothing in it');
    };
    assert.equal((await read(sends, { links: numbered(60), extract: empty })).skipped, 60);
    const gone = (url: string) => (url === `${site}/` ? sends(url) : missing);
    assert.equal((await read(gone, { links: numbered(60) })).failed, 60);
  });

  it('a run has at most six visits at once over all hosts', async () => {
    const startUrls = Array.from({ length: 10 }, (_, n) => numbered(3, `https://h${n}.example`)).flat();
    let open = 0;
    let most = 0;
    const counting = async (url: string) => {
      if (url.endsWith('.xml')) return missing;
      most = Math.max(most, ++open);
      await nextTurn();
      open--;
      return page('<p>x');
    };
    assert.equal((await read(counting, { startUrls })).added, 30);
    assert.equal(most, 6);
  });

  it('runs share the visits of the process', async () => {
    let open = 0;
    let most = 0;
    const counting = async (url: string) => {
      if (url.endsWith('.xml')) return missing;
      most = Math.max(most, ++open);
      await nextTurn();
      open--;
      return page('<p>x');
    };
    const visits = createSemaphore(3);
    const runs = Array.from({ length: 3 }, () => read(counting, { startUrls: numbered(5), visits }));
    assert.deepEqual(
      (await Promise.all(runs)).map(({ added }) => added),
      [5, 5, 5],
    );
    assert.equal(most, 3);
  });

  it('documents come before new pages, and the limit lets none of them go', async () => {
    const robots = page('User-agent: *\nDisallow: /private');
    const listed = new Map<string, string>();
    const reasons = new Map<string, string | null>();
    const save: CrawlDeps['save'] = async ({ pages }) => {
      for (const { url, verdict, reasonCode, reason } of pages) {
        const path = url.slice(site.length);
        listed.set(path, `${verdict} ${reasonCode}`);
        reasons.set(path, reason);
      }
    };
    const document = (path: string) =>
      ({ id: path, url: site + path, title: path, state: 'published', hash: 'h', etag: null }) as const;
    const privates = Array.from({ length: 1_100 }, (_, n) => `${site}/private/${n}`);
    const links = [...privates, ...numbered(20), `${site}/read`, `${site}/late`];
    const withRobots = (url: string) => (url.endsWith('/robots.txt') ? robots : sends(url));
    const options = { links, known: ['/read', '/late', '/unnamed'].map(document), ownRobots: true, save };
    await read(withRobots, { ...options, maxPages: 2 });
    assert.equal(listed.get('/read'), 'changed null');
    for (const path of ['/late', '/unnamed']) {
      assert.deepEqual(
        [listed.get(path), reasons.get(path)],
        ['skipped limit', 'the limit of 2 pages was reached'],
      );
    }
    listed.clear();
    await read(withRobots, { ...options, maxPages: 30 });
    assert.deepEqual([listed.get('/late'), listed.get('/unnamed')], ['changed null', 'gone null']);
    assert.equal(reasons.get('/unnamed'), 'neither a page nor a sitemap names it any more');
  });

  it('a page that is back is not another document', async () => {
    const counted: number[] = [];
    const back = { id: 'x', url: `${site}/`, title: 'x', state: 'gone', hash: null, etag: null } as const;
    const checkQuota = (documents: number) => void counted.push(documents);
    assert.equal((await read(sends, { links: [`${site}/new`], known: [back], checkQuota })).added, 2);
    assert.deepEqual(counted, [0, 1]);
  });

  it('a run that takes longer than two hours fails and says so', async () => {
    const slow = (url: string) => {
      now += 30 * 60_000;
      return sends(url);
    };
    const reason = failsWith(/within 2 hours: lower its maximum number of pages$/);
    await assert.rejects(read(slow, { links: numbered(20) }), reason);
    let sitemaps = 0;
    const endless = (url: string) => {
      if (!url.endsWith('.xml')) return sends(url);
      now += 30 * 60_000;
      sitemaps++;
      return page(`<sitemapindex><sitemap><loc>${site}/${sitemaps}.xml</loc></sitemap></sitemapindex>`);
    };
    await assert.rejects(read(endless), reason);
    assert.equal(sitemaps, 4);
  });
});
