/** Checks the settings of a website, fills in the defaults, and keeps the values of its headers apart. */
import { isDeepStrictEqual } from 'node:util';
import {
  hiddenHeader,
  type WebsiteSettings,
  type WebsiteSettingsInput,
} from '../../../../contract/knowledge.ts';
import { limits } from '../../../../contract/limits.ts';
import { badRequest } from '../../../platform/http/errors.ts';
import { type Headers, hideHeaders, readHeaders } from '../../../platform/outbound/configured-headers.ts';
import { checkOutboundUrl, type OutboundAllow } from '../../../platform/outbound/outbound-address.ts';
import { sealedFor } from '../../../platform/secrets/sealed-columns.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import { originsOf, pageAddress } from './page-addresses.ts';

/** As they are stored: `settings` has hidden values, `headers` the sealed ones. */
export interface StoredSettings {
  settings: WebsiteSettings;
  headers: string | null;
}

const { website } = limits;

const defaults: Omit<WebsiteSettings, 'startUrls'> = {
  sitemapUrls: [],
  include: [],
  exclude: [],
  maxPages: website.pages.default,
  maxDepth: website.depth.default,
  schedule: 'never',
  publish: 'automatic',
  headers: {},
};

/** Resolves the addresses, so it runs before the transaction is opened. */
export async function checkAddresses(
  input: WebsiteSettingsInput | undefined,
  allow: OutboundAllow,
): Promise<void> {
  const { startUrls = [], sitemapUrls = [] } = input ?? {};
  const named = [
    ...startUrls.map((url, at) => ({ name: `settings.startUrls[${at}]`, url })),
    ...sitemapUrls.map((url, at) => ({ name: `settings.sitemapUrls[${at}]`, url })),
  ];
  const problems = await Promise.all(
    named.map(async ({ name, url }) => {
      const problem = await checkOutboundUrl(url, allow);
      return problem && `${name} ${problem}`;
    }),
  );
  const first = problems.find(Boolean);
  if (first) throw badRequest(first);
}

/** What is left out stays as it was, or is the default. */
export function mergeSettings(
  secrets: Secrets,
  sourceId: string,
  input: WebsiteSettingsInput,
  before: StoredSettings | null,
): StoredSettings {
  const given = { ...defaults, ...before?.settings, ...input };
  const { startUrls } = given;
  if (startUrls === undefined) throw badRequest('settings.startUrls is required');
  const addresses = {
    startUrls: pageAddresses('settings.startUrls', startUrls),
    sitemapUrls: pageAddresses('settings.sitemapUrls', given.sitemapUrls),
  };
  const origins = originsOf(addresses.startUrls);
  const foreign = addresses.sitemapUrls.findIndex((url) => !origins.includes(new URL(url).origin));
  if (foreign >= 0) {
    throw badRequest(
      `settings.sitemapUrls[${foreign}] must have the scheme, host and port of one of startUrls`,
    );
  }
  const kept = before && sameOrigins(origins, originsOf(before.settings.startUrls)) ? before.headers : null;
  const known = openHeaders(secrets, sourceId, kept);
  const headers = input.headers ? readHeaders(input.headers, known, headerRules) : known;
  const names = Object.keys(headers);
  return {
    settings: {
      ...addresses,
      include: given.include,
      exclude: given.exclude,
      maxPages: given.maxPages,
      maxDepth: given.maxDepth,
      schedule: given.schedule,
      publish: given.publish,
      headers: hideHeaders(names),
    },
    headers:
      names.length === 0 ? null : secrets.seal(JSON.stringify(headers), sealedFor.knowledgeSource(sourceId)),
  };
}

export function openHeaders(secrets: Secrets, sourceId: string, sealed: string | null): Headers {
  return sealed === null ? {} : JSON.parse(secrets.open(sealed, sealedFor.knowledgeSource(sourceId)));
}

/** Whether a run would read something else. */
export function readsOtherwise(
  input: WebsiteSettingsInput,
  before: StoredSettings,
  after: StoredSettings,
): boolean {
  const { schedule: _was, publish: _published, ...read } = before.settings;
  const { schedule: _is, publish: _publishes, ...reads } = after.settings;
  const hasNewHeader = Object.values(input.headers ?? {}).some((value) => value !== hiddenHeader);
  return hasNewHeader || !isDeepStrictEqual(read, reads);
}

const sameOrigins = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length && some.every((origin) => others.includes(origin));

function pageAddresses(name: string, urls: readonly string[]): string[] {
  const read = urls.map((url, at) => {
    const address = pageAddress(url);
    if (address === null) throw badRequest(`${name}[${at}] must be a valid http or https address`);
    return address;
  });
  return [...new Set(read)];
}

const headerRules = {
  name: 'settings.headers',
  // Reading sets these itself.
  reserved: new Set(['accept', 'accept-encoding', 'if-none-match', 'user-agent']),
  maxHeaders: website.headers,
  maxLength: website.headerLength,
};
