/** What robots.txt allows. */
import robotsParser from 'robots-parser';

export const userAgent = 'Talkboard';
/** As the standard asks for at least; what follows is not read. */
export const maxRobotsBytes = 500 * 1024;
const longestDelayMs = 10_000;
/** Each wildcard of a rule costs a walk over the whole address. */
const mostWildcards = 10;
const mostWildcardRules = 1_000;

export interface Robots {
  isAllowed(url: string): boolean;
  /** Between two requests; 0: it names none. */
  delayMs: number;
  sitemaps: string[];
}

export const allowAll: Robots = { isAllowed: () => true, delayMs: 0, sitemaps: [] };

interface Parsed {
  isAllowed(url: string, agent: string): boolean | undefined;
  getCrawlDelay(agent: string): number | undefined;
  getSitemaps(): string[];
}
/** A CommonJS module, whose types say otherwise. */
const parse = robotsParser as unknown as (url: string, text: string) => Parsed;

/** `url`: of the file itself. */
export function readRobots(url: string, text: string): Robots {
  const parsed = parse(url, bounded(text));
  const seconds = Number(parsed.getCrawlDelay(userAgent) ?? 0);
  return {
    isAllowed: (page) => parsed.isAllowed(page, userAgent) !== false,
    delayMs: seconds > 0 ? Math.min(seconds * 1_000, longestDelayMs) : 0,
    sitemaps: parsed.getSitemaps(),
  };
}

/**
 * The parser copies each rule for each name of its group, and a hostile file has thousands of both. So all names of others
 * become one.
 */
function bounded(text: string): string {
  const kept: string[] = [];
  let names: Set<string> | null = null;
  let wildcardRules = 0;
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)) {
    const [, field, value] = /^\s*([a-z-]+)\s*:\s*([^#]*)/i.exec(line) ?? [];
    if (field === undefined || value === undefined) continue;
    if (field.toLowerCase() === 'user-agent') {
      const name = nameOf(value);
      names ??= new Set();
      if (!names.has(name)) kept.push(`user-agent: ${name}`);
      names.add(name);
      continue;
    }
    names = null;
    const wildcards = value.split('*').length - 1;
    if (wildcards > 0 && (wildcards > mostWildcards || ++wildcardRules > mostWildcardRules)) continue;
    kept.push(`${field}: ${value}`);
  }
  return kept.join('\n');
}

function nameOf(value: string): string {
  const name = value.split('/')[0]!.trim().toLowerCase();
  return name === '*' || name === userAgent.toLowerCase() ? name : 'others';
}
