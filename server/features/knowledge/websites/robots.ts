/** What robots.txt allows. */
import robotsParser from 'robots-parser';

export const userAgent = 'Talkboard';
/** As the standard asks for at least; what follows is not read. */
export const maxRobotsBytes = 500 * 1024;
const longestDelayMs = 10_000;
/** The parser compares every rule with every address. Rules beyond these limits are ignored. */
const maxRules = 2_000;
const longestRule = 200;
/** Each character after a wildcard costs a walk over the whole address. */
const maxWildcards = 10;
const maxWildcardRules = 100;
const maxWildcardCharacters = 4_000;

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
 * become one, without rules.
 */
function bounded(text: string): string {
  const kept: string[] = [];
  const mayKeep = ruleBudget();
  let names = new Set<string>();
  let isInNames = false;
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)) {
    const [, name, rest] = /^\s*([a-z-]+)\s*:\s*([^#]*)/i.exec(line) ?? [];
    if (name === undefined || rest === undefined) continue;
    const [field, value] = [name.toLowerCase(), rest.trim()];
    if (field === 'user-agent') {
      if (!isInNames) names = new Set();
      isInNames = true;
      const agent = nameOf(value);
      if (!names.has(agent)) kept.push(`user-agent: ${agent}`);
      names.add(agent);
      continue;
    }
    const isOurs = names.has('*') || names.has(userAgent.toLowerCase());
    const isKept = field === 'sitemap' || (isOurs && mayKeep(field, value));
    // An empty rule ends the names, as the ignored line does.
    if (isKept) kept.push(`${field}: ${value}`);
    else if (isInNames) kept.push('disallow:');
    isInNames = false;
  }
  return kept.join('\n');
}

function ruleBudget(): (field: string, value: string) => boolean {
  let rules = 0;
  let wildcardRules = 0;
  let wildcardCharacters = 0;
  return (field, value) => {
    if (field === 'crawl-delay') return true;
    if ((field !== 'allow' && field !== 'disallow') || value.length > longestRule) return false;
    const wildcards = value.split('*').length - 1;
    if (wildcards > 0) {
      if (wildcards > maxWildcards || wildcardRules >= maxWildcardRules) return false;
      if (wildcardCharacters + value.length > maxWildcardCharacters) return false;
      wildcardRules++;
      wildcardCharacters += value.length;
    }
    return ++rules <= maxRules;
  };
}

function nameOf(value: string): string {
  const name = value.split('/')[0]!.trim().toLowerCase();
  return name === '*' || name === userAgent.toLowerCase() ? name : 'others';
}
