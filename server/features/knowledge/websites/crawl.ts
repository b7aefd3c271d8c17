/**
 * Reads a website: from its first addresses along sitemaps and links. Everything that a run knows is saved as it comes, so
 * another process continues where this one stopped. Only a saved page is done.
 */
import { createHash } from 'node:crypto';
import type { PageReason, RunCounts, WebsiteSettings } from '../../../../contract/knowledge.ts';
import { limits } from '../../../../contract/limits.ts';
import type { Turns } from '../../../platform/concurrency/semaphore.ts';
import { createYielder } from '../../../search-engine/query/yielder.ts';
import { ExtractionProblem } from '../extraction/extraction.problem.ts';
import type { Extracted, Extraction } from '../extraction/extraction.ts';
import type { KnownPage, RunPage, RunText, TextSummary } from './knowledge.runs.sql.ts';
import { noCounts } from './knowledge.runs.ts';
import { looksLikeFile, originsOf, pageAddress, placeOf, scopeOf } from './page-addresses.ts';
import { allowAll, maxRobotsBytes, type Robots, readRobots } from './robots.ts';
import { readSitemap } from './sitemaps.ts';
import { type Fetched, type FetchProblem, gunzipped, maxPageBytes, type WebClient } from './web-client.ts';

/** For people: the run ends and changes nothing. */
export class RunFailed extends Error {}

const visitsAtOnce = 2;
/** Over all hosts: each may hold a page of 10 MB. */
const maxVisitsAtOnce = 6;
const longestRunMs = 2 * 60 * 60_000;
const maxRedirects = 5;
const maxFailuresInRow = 20;
const hostSilenceMs = 5 * 60_000;
const maxSitemaps = 50;
const maxSitemapPages = 10_000;
/** Addresses that are listed without being read. */
const maxListed = 1_000;
const maxLinks = 2_000;
/** Others of the process wait no longer than this while addresses are compared with robots.txt. */
const sliceMs = 5;

export interface CrawlDeps {
  accountId: string;
  client: WebClient;
  extraction: Pick<Extraction, 'extract'>;
  settings: WebsiteSettings;
  /** Published documents and those that were. */
  known: readonly KnownPage[];
  /** What an earlier process has saved. */
  pages: readonly RunPage[];
  texts: readonly TextSummary[];
  isSeeded: boolean;
  /** The last attempt failed, or its process died: a page may be the reason. */
  isRepeated: boolean;
  /** Of all runs of the process: a page that waits for its extraction is in memory. */
  visits: Turns;
  /** Throws when the run has ended otherwise. */
  save(changes: CrawlChanges): Promise<void>;
  /** Of the newest version of a document. */
  linksOf(documentId: string): Promise<string[]>;
  /** Whether the address is a private one, as far as it says so itself. */
  isPrivate(url: string): Promise<boolean>;
  /** Throws if the account may not have so much. */
  checkQuota(documents: number, bytes: number): void;
  signal: AbortSignal;
  /** Aborts `signal`: one visit has ended the run, and the others need not end. */
  abort(): void;
  hostSilenceMs?: number;
}

export interface CrawlChanges {
  pages: readonly RunPage[];
  texts: readonly RunText[];
  isSeeded: boolean;
  /** It got further than the last attempt. */
  isProgress: boolean;
  counts(): RunCounts;
}

export async function crawl(deps: CrawlDeps): Promise<RunCounts> {
  const reading = new Crawl(deps);
  await reading.run();
  return reading.counts();
}

type Outcome = Pick<RunPage, 'verdict'> &
  Partial<Pick<RunPage, 'reasonCode' | 'reason' | 'httpStatus' | 'documentId' | 'canonical'>>;

class Crawl {
  readonly #deps: CrawlDeps;
  readonly #origins: readonly string[];
  readonly #outsideOf: (url: string) => string | null;
  readonly #robots = new Map<string, Robots>();
  readonly #known: ReadonlyMap<string, KnownPage>;
  readonly #pages: RunPage[];
  readonly #byUrl: Map<string, RunPage>;
  /** The page that has a text. */
  readonly #owners = new Map<string, RunPage>();
  /** Still to be read, by host. */
  readonly #waiting = new Map<string, RunPage[]>();
  /** When the first request began that brought no page, since the last one that did. */
  readonly #silentSince = new Map<string, number>();
  readonly #startedAt = performance.now();
  readonly #dirty = new Set<RunPage>();
  readonly #texts = new Map<number, RunText>();
  /** The pages that the last attempt may have died of. They are read first, one at a time. */
  readonly #suspects: Set<RunPage>;
  /** Pages were left out because of `maxPages`. */
  #isLimited: boolean;
  #isSeeded: boolean;
  #isProgress = false;
  #failuresInRow = 0;
  #requested: number;
  #listed: number;
  #addedDocuments = 0;
  #textBytes = 0;
  #saving: Promise<void> | null = null;

  constructor(deps: CrawlDeps) {
    this.#deps = deps;
    this.#origins = originsOf(deps.settings.startUrls);
    this.#outsideOf = scopeOf(deps.settings);
    this.#known = new Map(deps.known.map((page) => [page.url, page]));
    this.#pages = deps.pages.map((page) => ({ ...page }));
    this.#byUrl = new Map(this.#pages.map((page) => [page.url, page]));
    this.#isSeeded = deps.isSeeded;
    this.#isLimited = this.#pages.some((page) => this.#isUnread(page));
    this.#requested = this.#pages.filter(isRequested).length;
    this.#listed = this.#pages.length - this.#requested;
    const byNumber = new Map(this.#pages.map((page) => [page.number, page]));
    for (const { number, hash, bytes } of deps.texts) {
      const page = byNumber.get(number);
      if (!page || !isRead(page)) continue;
      this.#owners.set(hash, page);
      this.#textBytes += bytes;
      if (this.#isNew(page)) this.#addedDocuments++;
    }
    for (const page of this.#pages) if (page.verdict === null) this.#queue(page);
    const first = [...this.#waiting.values()].flatMap((queue) => queue.slice(0, visitsAtOnce));
    this.#suspects = new Set(deps.isRepeated ? first : []);
  }

  async run(): Promise<void> {
    await this.#readAllRobots();
    if (!this.#isSeeded) {
      await this.#seed();
      this.#isSeeded = true;
      this.#isProgress = true;
      await this.#save();
    }
    await this.#visitAll();
    this.#checkSomethingRead();
    this.#findGone();
    await this.#save();
  }

  counts(): RunCounts {
    const counts = { ...noCounts };
    for (const page of this.#pages) {
      if (page.verdict !== null) counts[page.verdict]++;
      if (page.verdict !== 'gone' || isRequested(page)) counts.found++;
    }
    return counts;
  }

  async #readAllRobots(): Promise<void> {
    await Promise.all(
      this.#origins.map(async (origin) => {
        const url = `${origin}/robots.txt`;
        const found = await this.#fetchFile(url, { maxBytes: maxRobotsBytes, takesBeginning: true });
        if (Buffer.isBuffer(found)) this.#robots.set(origin, readRobots(url, found.toString('utf8')));
        else if (found.status !== null && found.status >= 400 && found.status < 500) {
          this.#robots.set(origin, allowAll);
        } else throw new RunFailed(`${url} could not be read: ${found.reason}`);
      }),
    );
  }

  #robotsOf(url: string): Robots {
    return this.#robots.get(new URL(url).origin) ?? allowAll;
  }

  /** Not a page: follows redirects at once, within the origins. */
  async #fetchFile(
    first: string,
    options: { maxBytes?: number; takesBeginning?: boolean } = {},
  ): Promise<Buffer | Pick<FetchProblem, 'status' | 'code' | 'reason'>> {
    let url = first;
    for (let hops = 0; hops <= maxRedirects; hops++) {
      const fetched = await this.#deps.client.request(url, {
        delayMs: this.#robots.get(new URL(url).origin)?.delayMs ?? 0,
        ...options,
      });
      if (fetched.kind === 'problem') return fetched;
      if (fetched.kind === 'content') return fetched.bytes;
      const { status } = fetched;
      const next = fetched.kind === 'redirect' && fetched.location && pageAddress(fetched.location, url);
      if (!next) return { status, code: 'http_error', reason: 'a redirect to nowhere' };
      if (!this.#origins.includes(new URL(next).origin)) {
        const reason = `redirects to ${next}, outside of ${this.#origins.join(', ')}`;
        return { status, code: 'outside', reason };
      }
      url = next;
    }
    return { status: null, code: 'http_error', reason: `more than ${maxRedirects} redirects` };
  }

  async #seed(): Promise<void> {
    const { startUrls, sitemapUrls } = this.#deps.settings;
    for (const url of startUrls) this.#add(url, 0, 0, true);
    const named = [...this.#robots.values()].flatMap(({ sitemaps }) => sitemaps);
    const usual = this.#origins.map((origin) => `${origin}/sitemap.xml`);
    const first = sitemapUrls.length > 0 ? sitemapUrls : named.length > 0 ? named : usual;
    const waiting = first.map((url) => pageAddress(url)).filter((url) => url !== null);
    const seen = new Set<string>();
    let left = maxSitemapPages;
    while (waiting.length > 0 && seen.size < maxSitemaps && left > 0) {
      this.#checkTime();
      const url = waiting.shift()!;
      if (seen.has(url) || !this.#origins.includes(new URL(url).origin)) continue;
      seen.add(url);
      const text = await this.#fetchSitemap(url, sitemapUrls.includes(url));
      if (text === null) continue;
      const sitemap = await readSitemap(text, left);
      await this.#inSlices(this.#documentsFirst(sitemap.pages), (loc) => {
        const page = pageAddress(loc, url);
        if (page !== null) this.#add(page, 0, 0);
      });
      left -= sitemap.pages.length;
      for (const loc of sitemap.sitemaps.slice(0, maxSitemaps)) {
        const next = pageAddress(loc, url);
        if (next !== null) waiting.push(next);
      }
    }
  }

  /** One that the settings name and that cannot be read is listed. */
  async #fetchSitemap(url: string, isNamed: boolean): Promise<string | null> {
    const found = await this.#fetchFile(url);
    const bytes = Buffer.isBuffer(found) ? await gunzipped(found, maxPageBytes) : null;
    if (bytes !== null) return bytes.toString('utf8');
    if (isNamed && !this.#byUrl.has(url)) {
      const problem = Buffer.isBuffer(found) ? null : found;
      const { code = 'http_error', reason = 'no sitemap is there' } = problem ?? {};
      const listed = this.#newPage(url, 0, 0);
      this.#settle(listed, {
        verdict: 'failed',
        reasonCode: code,
        reason: `sitemap: ${reason}`,
        httpStatus: problem?.status ?? null,
      });
    }
    return null;
  }

  /** The page at an address, which may be listed as one that is not read. Null: there are too many of those. */
  #add(url: string, depth: number, hops: number, isStart = false): RunPage | null {
    const before = this.#byUrl.get(url);
    if (before) return before;
    // A document is always listed, and so is the first address that is left out because of the limit.
    const isListed = this.#listed < maxListed || this.#isDocument(url);
    if (!isListed && this.#isLimited) return null;
    const refusal = this.#refusalOf(url, depth, isStart);
    if (refusal === null) {
      const page = this.#newPage(url, depth, hops);
      this.#requested++;
      this.#queue(page);
      return page;
    }
    const isLimit = refusal.reasonCode === 'limit' && depth <= this.#deps.settings.maxDepth;
    if (!isListed && !isLimit) return null;
    this.#isLimited ||= isLimit;
    this.#listed++;
    const page = this.#newPage(url, depth, hops);
    this.#settle(page, { verdict: 'skipped', ...refusal });
    return page;
  }

  #refusalOf(
    url: string,
    depth: number,
    isStart: boolean,
  ): { reasonCode: PageReason; reason: string } | null {
    const { settings } = this.#deps;
    // The addresses to begin with are read for their links, wherever they are.
    const outside = isStart ? null : this.#outsideOf(url);
    if (outside !== null) return { reasonCode: 'outside', reason: outside };
    if (!this.#robotsOf(url).isAllowed(url)) {
      return { reasonCode: 'robots', reason: 'robots.txt does not allow it' };
    }
    if (depth > settings.maxDepth) {
      return { reasonCode: 'limit', reason: `more than ${settings.maxDepth} links away from the first page` };
    }
    if (this.#requested >= settings.maxPages) {
      return this.#pageLimit();
    }
    return null;
  }

  #pageLimit(): { reasonCode: PageReason; reason: string } {
    const reason = `the limit of ${this.#deps.settings.maxPages} pages was reached`;
    return { reasonCode: 'limit', reason };
  }

  #isUnread({ reasonCode, depth }: RunPage): boolean {
    return reasonCode === 'limit' && depth <= this.#deps.settings.maxDepth;
  }

  #newPage(url: string, depth: number, hops: number): RunPage {
    const page: RunPage = {
      number: this.#pages.length + 1,
      url,
      depth,
      hops,
      canonical: null,
      ignoresCanonical: false,
      documentId: this.#known.get(url)?.id ?? null,
      verdict: null,
      reasonCode: null,
      reason: null,
      httpStatus: null,
    };
    this.#pages.push(page);
    this.#byUrl.set(url, page);
    this.#dirty.add(page);
    return page;
  }

  #queue(page: RunPage): void {
    const { host } = new URL(page.url);
    const queue = this.#waiting.get(host) ?? [];
    // In the order of their numbers, so that the next attempt begins with the pages that this one was reading.
    queue.splice(queue.findLastIndex(({ number }) => number < page.number) + 1, 0, page);
    this.#waiting.set(host, queue);
  }

  #settle(page: RunPage, outcome: Outcome): void {
    const { verdict, reasonCode = null, reason = null, httpStatus = page.httpStatus } = outcome;
    const { documentId = page.documentId, canonical = page.canonical } = outcome;
    Object.assign(page, { verdict, reasonCode, reason, httpStatus, documentId, canonical });
    this.#dirty.add(page);
  }

  async #visitAll(): Promise<void> {
    const visits = new Map<Promise<void>, string>();
    try {
      for (;;) {
        const atOnce = this.#suspects.size > 0 ? 1 : maxVisitsAtOnce;
        for (const [host, queue] of this.#waiting) {
          const ofHost = [...visits.values()].filter((one) => one === host).length;
          const free = Math.min(visitsAtOnce - ofHost, atOnce - visits.size);
          for (const page of this.#takeNext(queue, free)) {
            const visit = this.#deps.visits.take(() => this.#visit(page)).finally(() => visits.delete(visit));
            visits.set(visit, host);
          }
        }
        if (visits.size === 0) return;
        await Promise.race(visits.keys());
      }
    } catch (error) {
      this.#deps.abort();
      await Promise.allSettled(visits.keys());
      throw error;
    }
  }

  #takeNext(queue: RunPage[], count: number): RunPage[] {
    if (this.#suspects.size === 0) return queue.splice(0, count);
    const place = queue.findIndex((page) => this.#suspects.has(page));
    return place < 0 ? [] : queue.splice(place, count);
  }

  async #visit(page: RunPage): Promise<void> {
    this.#deps.signal.throwIfAborted();
    this.#checkTime();
    const startedAt = performance.now();
    const known = this.#known.get(page.url);
    const etag = known && known.state !== 'gone' && known.hash !== null ? known.etag : null;
    const { delayMs } = this.#robotsOf(page.url);
    const fetched = await this.#deps.client.request(page.url, { delayMs, etag });
    const isBroken = await this.#take(page, fetched, known);
    const isFailed = (page.verdict === 'failed' || isBroken) && !isMissing(page);
    const { reason } = page;
    this.#suspects.delete(page);
    this.#isProgress ||= this.#suspects.size === 0;
    await this.#save();
    this.#checkFailures(isFailed, reason);
    this.#checkSilence(page, fetched, startedAt);
  }

  /** In the order in which their visits end, over all hosts. */
  #checkFailures(isFailed: boolean, reason: string | null): void {
    this.#failuresInRow = isFailed ? this.#failuresInRow + 1 : 0;
    if (this.#failuresInRow < maxFailuresInRow) return;
    throw new RunFailed(`${maxFailuresInRow} pages in a row failed, the last one with: ${reason}`);
  }

  #checkSilence(page: RunPage, fetched: Fetched, startedAt: number): void {
    const { host } = new URL(page.url);
    if (fetched.kind !== 'problem' || !fetched.isHostFailing) {
      this.#silentSince.delete(host);
      return;
    }
    const since = this.#silentSince.get(host) ?? startedAt;
    this.#silentSince.set(host, since);
    const silence = this.#deps.hostSilenceMs ?? hostSilenceMs;
    if (performance.now() - since >= silence) {
      throw new RunFailed(`${host} has sent no page for ${Math.round(silence / 60_000)} minutes`);
    }
  }

  #checkTime(): void {
    if (performance.now() - this.#startedAt < longestRunMs) return;
    throw new RunFailed('the website could not be read within 2 hours: lower its maximum number of pages');
  }

  /** True: the page was sent, and what was sent is broken. */
  async #take(page: RunPage, fetched: Fetched, known: KnownPage | undefined): Promise<boolean> {
    let isBroken = false;
    if (fetched.kind === 'problem') {
      const { status, code, reason } = fetched;
      this.#settle(page, { verdict: 'failed', reasonCode: code, reason, httpStatus: status });
    } else {
      page.httpStatus = fetched.status;
      if (fetched.kind === 'redirect') await this.#takeRedirect(page, fetched.location);
      else if (fetched.kind === 'content') isBroken = await this.#takeContent(page, fetched, known);
      else await this.#takeUnchanged(page, known);
    }
    if (page.verdict !== null && !isRead(page)) this.#reviveThoseThatName(page);
    return isBroken;
  }

  async #takeRedirect(page: RunPage, location: string | null): Promise<void> {
    const skip = (reasonCode: PageReason, reason: string) =>
      this.#settle(page, { verdict: 'skipped', reasonCode, reason });
    const target = location === null ? null : pageAddress(location, page.url);
    if (location === null || target === page.url) {
      this.#settle(page, { verdict: 'failed', reasonCode: 'http_error', reason: 'a redirect to nowhere' });
      return;
    }
    if (target === null) return skip('outside', 'redirects to something that is not a page');
    if (await this.#deps.isPrivate(target)) return skip('private_address', 'redirects to a private network');
    const outside = this.#outsideOf(target);
    if (outside !== null) return skip('outside', `redirects to ${target}, ${outside}`);
    if (page.hops >= maxRedirects) {
      const reason = `more than ${maxRedirects} redirects`;
      this.#settle(page, { verdict: 'failed', reasonCode: 'http_error', reason });
      return;
    }
    this.#add(target, page.depth, page.hops + 1);
    skip('duplicate', `redirects to ${placeOf(target)}`);
  }

  async #takeUnchanged(page: RunPage, known: KnownPage | undefined): Promise<void> {
    if (!known?.hash) {
      this.#settle(page, {
        verdict: 'failed',
        reasonCode: 'http_error',
        reason: 'an answer without content',
      });
      return;
    }
    const links = await this.#deps.linksOf(known.id);
    await this.#follow(page, links);
    const { title, hash, etag } = known;
    this.#takeText(page, { title, text: '', hash, etag, links, language: null }, known);
  }

  async #takeContent(
    page: RunPage,
    fetched: Extract<Fetched, { kind: 'content' }>,
    known: KnownPage | undefined,
  ): Promise<boolean> {
    const skip = (reasonCode: PageReason, reason: string) => {
      this.#settle(page, { verdict: 'skipped', reasonCode, reason });
      return false;
    };
    const format = formatOf(fetched.type, fetched.bytes);
    if (format === null) return skip('no_text', `no text in it: it is ${fetched.type.slice(0, 100)}`);
    const extracted = await this.#extract(page, format, fetched);
    if ('problem' in extracted) {
      const { isBroken, ...outcome } = extracted.problem;
      this.#settle(page, outcome);
      return isBroken;
    }
    const { page: html } = extracted;
    const isNofollow = html?.isNofollow || hasDirective(fetched.robotsTag, 'nofollow');
    const links = isNofollow ? [] : (html?.links ?? []).slice(0, maxLinks);
    await this.#follow(page, links);
    const outside = this.#outsideOf(page.url);
    if (outside !== null) return skip('outside', outside);
    if (html?.isNoindex || hasDirective(fetched.robotsTag, 'noindex')) {
      return skip('noindex', 'the page says noindex');
    }
    const canonical = this.#canonicalOf(page, html?.canonical ?? null);
    if (canonical !== null) {
      page.canonical = canonical;
      return skip('duplicate', `the page names ${placeOf(canonical)} as its address`);
    }
    const text = storable(extracted.text);
    if (text.trim() === '') return skip('no_text', 'no text without JavaScript');
    const title = storable(extracted.title).trim().slice(0, limits.titleLength).toWellFormed();
    this.#takeText(
      page,
      {
        title: title || placeOf(page.url).slice(0, limits.titleLength),
        text,
        hash: createHash('sha256').update(text).digest('base64'),
        etag: fetched.etag,
        links,
        language: extracted.language,
      },
      known,
    );
    return false;
  }

  async #extract(
    page: RunPage,
    format: NonNullable<ReturnType<typeof formatOf>>,
    { bytes, charset }: { bytes: Buffer; charset: string | null },
  ): Promise<Extracted | { problem: Outcome & { isBroken: boolean } }> {
    try {
      return await this.#deps.extraction.extract({
        accountId: this.#deps.accountId,
        format,
        bytes: format === 'pdf' ? bytes : asUtf8(bytes, charset),
        url: page.url,
        fileName: decodeURIComponentOr(new URL(page.url).pathname.split('/').at(-1) ?? ''),
        signal: this.#deps.signal,
      });
    } catch (error) {
      if (!(error instanceof ExtractionProblem)) throw error;
      const isEmptyPage = error.code === 'no_text' && format === 'html';
      const reason = isEmptyPage ? 'no text without JavaScript' : error.message;
      if (error.code === 'too_large' || error.code === 'timeout') {
        return { problem: { verdict: 'failed', reasonCode: error.code, reason, isBroken: true } };
      }
      const isBroken = error.code === 'broken';
      return { problem: { verdict: 'skipped', reasonCode: 'no_text', reason, isBroken } };
    }
  }

  /** Where its text is read instead. Null: here. */
  #canonicalOf(page: RunPage, named: string | null): string | null {
    const canonical = named === null ? null : pageAddress(named);
    if (canonical === null || canonical === page.url || page.ignoresCanonical || page.hops >= maxRedirects) {
      return null;
    }
    if (this.#outsideOf(canonical) !== null) return null;
    const target = this.#add(canonical, page.depth, page.hops + 1);
    // It is not read, or names this one.
    return target === null || (target.verdict !== null && !isRead(target)) ? null : canonical;
  }

  /** Their text was expected there, and is not. */
  #reviveThoseThatName(page: RunPage): void {
    for (const other of this.#pages) {
      if (other.canonical !== page.url || other === page) continue;
      Object.assign(other, { ignoresCanonical: true, canonical: null });
      this.#settle(other, { verdict: null });
      this.#queue(other);
    }
  }

  #takeText(
    page: RunPage,
    read: Omit<RunText, 'number' | 'bytes' | 'text'> & { text: string },
    known: KnownPage | undefined,
  ): void {
    const owner = this.#owners.get(read.hash);
    if (owner && owner !== page) {
      // The address that has a document keeps it.
      const keeps = !this.#isDocument(page.url) || this.#isDocument(owner.url);
      const [kept, dropped] = keeps ? [owner, page] : [page, owner];
      const reason = `same text as ${placeOf(kept.url)}`;
      if (this.#isNew(dropped)) this.#addedDocuments--;
      this.#settle(dropped, { verdict: 'skipped', reasonCode: 'duplicate', reason });
      if (kept === owner) return;
    }
    this.#owners.set(read.hash, page);
    const isKnown = known !== undefined && known.state !== 'gone';
    const isSame = isKnown && known.hash === read.hash && known.title === read.title;
    const text = isSame ? null : read.text;
    const bytes = text === null ? 0 : Buffer.byteLength(text);
    const verdict = !isKnown ? 'added' : isSame ? 'unchanged' : 'changed';
    this.#textBytes += bytes;
    // One that is back has its document.
    if (known === undefined) this.#addedDocuments++;
    this.#deps.checkQuota(this.#addedDocuments, this.#textBytes);
    this.#texts.set(page.number, { ...read, number: page.number, text, bytes });
    this.#settle(page, { verdict });
  }

  #isNew(page: RunPage): boolean {
    return page.verdict === 'added' && !this.#known.has(page.url);
  }

  #isDocument(url: string): boolean {
    const known = this.#known.get(url);
    return known !== undefined && known.state !== 'gone';
  }

  #follow(page: RunPage, links: readonly string[]): Promise<void> {
    return this.#inSlices(this.#documentsFirst(links), (link) => {
      const url = pageAddress(link);
      if (url === null || !this.#origins.includes(new URL(url).origin) || looksLikeFile(url)) return;
      this.#add(url, page.depth + 1, 0);
    });
  }

  /** If not all of them may be read. */
  #documentsFirst(addresses: readonly string[]): readonly string[] {
    if (this.#requested + addresses.length <= this.#deps.settings.maxPages) return addresses;
    const isDocument = (address: string) => this.#isDocument(address);
    return [...addresses.filter(isDocument), ...addresses.filter((address) => !isDocument(address))];
  }

  async #inSlices(addresses: readonly string[], take: (address: string) => void): Promise<void> {
    const pause = createYielder(sliceMs);
    for (const address of addresses) {
      take(address);
      const waiting = pause();
      if (!waiting) continue;
      await waiting;
      this.#deps.signal.throwIfAborted();
    }
  }

  #checkSomethingRead(): void {
    if (this.#pages.some(isRead)) return;
    const reason = this.#pages[0]?.reason ?? 'there are no addresses';
    throw new RunFailed(`no page could be read. ${placeOf(this.#pages[0]!.url)}: ${reason}`);
  }

  /** A page that failed for a moment keeps its document, and so does one that the limit has left out. */
  #findGone(): void {
    for (const known of this.#deps.known) {
      if (known.state !== 'published') continue;
      const page = this.#byUrl.get(known.url);
      if (!page && this.#isLimited) {
        // A page that was not read may name it.
        this.#settle(this.#newPage(known.url, 0, 0), { verdict: 'skipped', ...this.#pageLimit() });
      } else if (!page) {
        const gone = this.#newPage(known.url, 0, 0);
        this.#settle(gone, { verdict: 'gone', reason: 'neither a page nor a sitemap names it any more' });
      } else if ((page.verdict === 'skipped' && !this.#isUnread(page)) || isMissing(page)) {
        const { reasonCode, reason } = page;
        this.#settle(page, { verdict: 'gone', reasonCode, reason });
      }
    }
  }

  /** Callers at the same time share a transaction. */
  #save(): Promise<void> {
    this.#saving ??= this.#saveAll();
    return this.#saving;
  }

  async #saveAll(): Promise<void> {
    try {
      while (this.#dirty.size > 0) {
        const pages = [...this.#dirty].map((page) => ({ ...page }));
        const texts = [...this.#texts.values()];
        const isProgress = this.#isProgress;
        this.#dirty.clear();
        this.#texts.clear();
        this.#isProgress = false;
        const counts = () => this.counts();
        await this.#deps.save({ pages, texts, isSeeded: this.#isSeeded, isProgress, counts });
      }
    } finally {
      // At once: a later caller would otherwise wait for a save without its page.
      this.#saving = null;
    }
  }
}

const isRead = ({ verdict }: RunPage) =>
  verdict === 'added' || verdict === 'changed' || verdict === 'unchanged';

const isMissing = ({ httpStatus }: RunPage) => httpStatus === 404 || httpStatus === 410;

/** Or will be. */
const isRequested = ({ verdict, httpStatus }: RunPage) =>
  verdict === null || verdict === 'failed' || httpStatus !== null;

function formatOf(type: string, bytes: Buffer): 'html' | 'pdf' | 'markdown' | 'text' | null {
  const isPdf = bytes.subarray(0, 1_024).includes('%PDF-');
  switch (type) {
    case 'text/html':
    case 'application/xhtml+xml':
      return 'html';
    case 'application/pdf':
    case 'application/x-pdf':
      return 'pdf';
    case 'text/markdown':
    case 'text/x-markdown':
      return 'markdown';
    case 'text/plain':
      return 'text';
    case '':
    case 'application/octet-stream':
      return isPdf ? 'pdf' : type === '' ? 'html' : null;
    default:
      return null;
  }
}

/** What the response says about its characters counts more than what the page says. */
function asUtf8(bytes: Buffer, charset: string | null): Buffer {
  if (charset === null) return bytes;
  try {
    return Buffer.from(`\ufeff${new TextDecoder(charset).decode(bytes)}`);
  } catch {
    return bytes;
  }
}

function decodeURIComponentOr(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** PostgreSQL cannot store the rest. */
const storable = (text: string) => text.replaceAll('\0', '').toWellFormed();

/** Of `X-Robots-Tag`, for all or for us. */
function hasDirective(header: string, name: 'noindex' | 'nofollow'): boolean {
  return header.split(',').some((part) => {
    const [first = '', second] = part.split(':').map((one) => one.trim());
    const directive = second === undefined ? first : first === 'talkboard' ? second : '';
    return directive === name || directive === 'none';
  });
}
