/** Which addresses a website source may read. */
import type { WebsiteSettings } from '../../../../contract/knowledge.ts';
import { limits } from '../../../../contract/limits.ts';
import { readHttpUrl } from '../../../platform/outbound/outbound-address.ts';

type Scope = Pick<WebsiteSettings, 'startUrls' | 'include' | 'exclude'>;

export const originsOf = (urls: readonly string[]): string[] => [
  ...new Set(urls.map((url) => new URL(url).origin)),
];

/** The address of a page in one spelling: without a fragment. Null: it cannot be read. */
export function pageAddress(text: string, base?: string): string | null {
  const absolute = base === undefined ? text : URL.parse(text, base)?.href;
  if (absolute === undefined) return null;
  const { url } = readHttpUrl(absolute);
  if (!url) return null;
  url.hash = '';
  return url.href.length <= limits.website.addressLength ? url.href : null;
}

/** For people: without the host. */
export function placeOf(address: string): string {
  const { pathname, search } = new URL(address);
  return pathname + search;
}

/** Says of an address why it is outside. Null: it may be read. A run asks for each link, so the scope is read once. */
export function scopeOf({ startUrls, include, exclude }: Scope): (address: string) => string | null {
  const origins = originsOf(startUrls);
  const included = include.map(prefixOf);
  const excluded = exclude.map(prefixOf);
  return (address) => {
    const { origin, pathname } = new URL(address);
    if (!origins.includes(origin)) return `outside of ${origins.join(', ')}`;
    // Some servers decode slashes and some do not: both readings have to be allowed.
    const decoded = decodedPath(pathname);
    const paths = encodedSlash.test(pathname) ? [decoded, pathname] : [decoded];
    if (included.length > 0 && !paths.every((path) => included.some((prefix) => isBelow(prefix, path)))) {
      return `outside of ${include.join(', ')}`;
    }
    const found = excluded.find((prefix) => paths.some((path) => isBelow(prefix, path)));
    return found === undefined ? null : `inside of ${found.name}, which is excluded`;
  };
}

const encodedSlash = /%(?:25)*(?:2f|5c)/i;

interface Prefix {
  name: string;
  path: string;
  start: string;
}

function prefixOf(name: string): Prefix {
  const path = decodedPath(name);
  return { name, path, start: path.endsWith('/') ? path : `${path}/` };
}

/** `/help` has `/help` and `/help/a`, but not `/helpdesk`. */
const isBelow = (prefix: Prefix, path: string): boolean =>
  path === prefix.path || path.startsWith(prefix.start);

const longestNesting = 5;

/** `/a/%2e%2e%2Fb` is `/b`, also if it is encoded several times. */
function decodedPath(path: string): string {
  let decoded = path;
  for (let times = 0; times < longestNesting; times++) {
    const next = decodeOnce(decoded);
    if (next === decoded) break;
    decoded = next;
  }
  return withoutDots(decoded.replaceAll('\\', '/'));
}

function decodeOnce(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function withoutDots(path: string): string {
  const parts: string[] = [];
  const all = path.split('/').slice(1);
  for (const [place, part] of all.entries()) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
    if (place === all.length - 1 && (part === '.' || part === '..')) parts.push('');
  }
  return `/${parts.join('/')}`;
}

/** Links to these are not pages. */
const fileForm =
  /\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|css|m?js|json|xml|rss|atom|woff2?|ttf|otf|eot|mp[34]|m4[av]|mov|avi|webm|og[gv]|wav|zip|gz|tgz|bz2|7z|rar|tar|exe|dmg|apk|iso|docx?|xlsx?|pptx?|csv|ics)$/i;

export const looksLikeFile = (address: string): boolean => fileForm.test(new URL(address).pathname);
