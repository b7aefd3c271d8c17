/** Sitemaps and their indexes, read in slices: a large one must not hold up the process. */
import { Parser } from 'htmlparser2';
import { createYielder } from '../../../search-engine/query/yielder.ts';

export interface Sitemap {
  /** Of pages. */
  pages: string[];
  /** Of further sitemaps. */
  sitemaps: string[];
}

const sliceLength = 64 * 1024;
const sliceMs = 5;

/** `most`: of either. XML entities of a document's own are not expanded. Also a plain list of addresses. */
export async function readSitemap(text: string, most: number): Promise<Sitemap> {
  return /^\s*</.test(text.replace(/^\ufeff/, '')) ? readXml(text, most) : readLines(text, most);
}

function readLines(text: string, most: number): Sitemap {
  const pages = text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => /^https?:/i.test(line));
  return { pages: pages.slice(0, most), sitemaps: [] };
}

async function readXml(text: string, most: number): Promise<Sitemap> {
  const found: Sitemap = { pages: [], sitemaps: [] };
  let inside: keyof Sitemap | null = null;
  let loc: string | null = null;
  const parser = new Parser(
    {
      onopentagname(name) {
        const tag = localName(name);
        if (tag === 'url') inside = 'pages';
        else if (tag === 'sitemap') inside = 'sitemaps';
        else if (tag === 'loc' && inside && !name.startsWith('image:')) loc = '';
      },
      ontext(data) {
        if (loc !== null && loc.length < 10_000) loc += data;
      },
      onclosetag(name) {
        const tag = localName(name);
        if (tag === 'loc' && inside && loc !== null) {
          if (loc.trim() !== '' && found[inside].length < most) found[inside].push(loc.trim());
          loc = null;
        } else if (tag === 'url' || tag === 'sitemap') inside = null;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  const pause = createYielder(sliceMs);
  for (let from = 0; from < text.length; from += sliceLength) {
    if (found.pages.length >= most || found.sitemaps.length >= most) break;
    parser.write(text.slice(from, from + sliceLength));
    const waiting = pause();
    if (waiting) await waiting;
  }
  parser.end();
  return found;
}

const localName = (name: string) => name.toLowerCase().replace(/^sm:|^sitemap:/, '');
