/**
 * Templates: texts that the provider has approved. They are kept, so that sending one needs no call, and read again from
 * the provider when the channel connects, by a job, when a list is asked for and the kept one is some minutes old, and
 * when a template is sent that the kept list does not allow.
 */
import { limits } from '../../../../contract/limits.ts';
import type { Template } from '../../../../contract/messaging/templates.ts';
import { pageSize } from '../../../../contract/shapes/paging.ts';
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db, Tx } from '../../../platform/db/db.ts';
import { cutPage, type Page, type PageTokens } from '../../../platform/http/page-token.ts';
import { backoffMs } from '../../../platform/jobs/backoff.ts';
import { jobKind } from '../../../platform/jobs/job-kinds.ts';
import {
  endlessAttempts,
  enqueue,
  expediteJob,
  type JobHandler,
  JobPostponed,
} from '../../../platform/jobs/jobs.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { Links, OpenLink } from '../connectors.links.ts';
import { ProviderError, type ProviderTemplate } from '../connectors.provider.ts';
import {
  claimTemplatesRetry,
  findTemplatesTime,
  markTemplatesRead,
  replaceTemplates,
  selectTemplates,
} from './connectors.templates.sql.ts';

export const templatesJobKind = jobKind('connector-templates');

export interface TemplatesDeps {
  db: Db;
  clock: Clock;
  links: Links;
  logger: Logger;
}

const freshForMs = 3 * 60_000;
const refreshEveryMs = 30 * 60_000;
/** Also how often at most the provider is asked again because of templates that it does not have. */
const retryAfterMs = 5_000;

/** Throws ProviderError. */
async function readTemplates({ db, clock, links }: TemplatesDeps, opened: OpenLink): Promise<void> {
  const { provider, link, version } = opened;
  const { accountId, channelId } = link;
  const readAt = clock.now();
  let templates: ProviderTemplate[];
  try {
    templates = await provider.templates!(link);
  } catch (error) {
    if (error instanceof ProviderError) await links.fail(link, error);
    throw error;
  }
  await db.transaction(async (tx) => {
    if (!(await markTemplatesRead(tx, accountId, { channelId, version }, readAt))) return;
    await replaceTemplates(tx, accountId, channelId, templates.map(storable));
  });
}

/** A text of the provider may have what the database cannot store. */
function storable(template: ProviderTemplate): ProviderTemplate {
  const clean = (text: string) => text.replaceAll('\0', '').toWellFormed();
  const { name, language, category, status, text, unsupported } = template;
  return {
    ...template,
    name: clean(name),
    language: clean(language),
    category: clean(category),
    status: clean(status),
    text: clean(text),
    ...(unsupported && { unsupported: clean(unsupported) }),
  };
}

/** One job for each connected channel. It ends when the channel is disconnected or has no templates. */
export async function keepTemplates(tx: Tx, accountId: string, channelId: string): Promise<void> {
  const job = { accountId, kind: templatesJobKind, dedupeKey: channelId };
  await enqueue(tx, { ...job, payload: { channelId }, maxAttempts: endlessAttempts });
  await expediteJob(tx, { ...job, delayMs: 0 });
}

export function templatesHandler(deps: TemplatesDeps): JobHandler {
  const { links, logger } = deps;
  return async ({ accountId, payload, attempt }) => {
    const { channelId } = payload as { channelId: string };
    const opened = await links.open(accountId, channelId);
    if (!opened?.isConnected || !opened.provider.templates) return;
    try {
      await readTemplates(deps, opened);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      if (error.errorClass === 'credentials') return;
      logger.warn({ channelId, reason: opened.redact(error.message) }, 'reading templates failed; retrying');
      throw new JobPostponed(error.waitMs ?? backoffMs(attempt));
    }
    throw new JobPostponed(refreshEveryMs);
  };
}

/** A provider that cannot be reached is no error: the templates of the last time are listed. */
export async function listTemplates(
  deps: TemplatesDeps,
  accountId: string,
  tokens: PageTokens,
  channelId: string,
  query: { limit?: number; nextToken?: string },
): Promise<Page<Template>> {
  const { db, clock, links } = deps;
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['templates', accountId, channelId];
  const cursor = query.nextToken === undefined ? null : tokens.read(query.nextToken, scope);
  const opened = await links.open(accountId, channelId);
  if (cursor === null && opened?.isConnected && opened.provider.templates) {
    const readAt = await findTemplatesTime(db, accountId, channelId);
    if (readAt === null || readAt + freshForMs <= clock.now()) {
      await tryReading(deps, opened);
    }
  }
  const after = cursor && { name: String(cursor[0]), language: String(cursor[1]) };
  const rows = await selectTemplates(db, accountId, channelId, after, size + 1);
  return cutPage(rows.map(listed), size, (last) => tokens.issue([last.name, last.language], scope));
}

const listed = ({ placements: _, unsupported, ...template }: ProviderTemplate): Template => ({
  ...template,
  ...(unsupported && { unsupported }),
});

async function tryReading(deps: TemplatesDeps, opened: OpenLink): Promise<void> {
  try {
    await readTemplates(deps, opened);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const { channelId } = opened.link;
    deps.logger.warn({ channelId, reason: opened.redact(error.message) }, 'reading templates failed');
  }
}

/** The kept list does not allow a template: it may be new, or approved since. */
export async function readTemplatesAgain(
  deps: TemplatesDeps,
  accountId: string,
  channelId: string,
): Promise<void> {
  const { db, clock, links } = deps;
  const opened = await links.open(accountId, channelId);
  if (!opened?.isConnected || !opened.provider.templates) return;
  const age = { now: clock.now(), olderThanMs: retryAfterMs };
  if (await claimTemplatesRetry(db, accountId, channelId, age)) await tryReading(deps, opened);
}
