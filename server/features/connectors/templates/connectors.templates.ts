/**
 * Templates: texts that the provider has approved. They are kept, so that sending one needs no call, and read again from
 * the provider when the channel connects, by a job, and when a list is asked for and the kept one is some minutes old.
 */
import { limits } from '../../../../contract/limits.ts';
import { pageSize } from '../../../../contract/shapes/paging.ts';
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db, Reader, Tx } from '../../../platform/db/db.ts';
import { badRequest, conflict } from '../../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../../platform/http/page-token.ts';
import {
  endlessAttempts,
  enqueue,
  expediteJob,
  type JobHandler,
  JobPostponed,
} from '../../../platform/jobs/jobs.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { MessageTemplate } from '../../messages/messages.ts';
import type { Links, OpenLink } from '../connectors.links.ts';
import { ProviderError, type ProviderTemplate } from '../connectors.provider.ts';
import type { Registry } from '../connectors.registry.ts';
import { findConnector } from '../connectors.sql.ts';
import { backoffMs } from '../connectors.state.ts';
import {
  findTemplate,
  findTemplatesTime,
  markTemplatesRead,
  replaceTemplates,
  selectTemplates,
} from './connectors.templates.sql.ts';

export const templatesJobKind = 'connector-templates';

interface TemplatesDeps {
  db: Db;
  clock: Clock;
  links: Links;
  logger: Logger;
}

const freshForMs = 3 * 60_000;
const refreshEveryMs = 30 * 60_000;

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
  const { name, language, category, status, text, parameterCount } = template;
  return {
    name: clean(name),
    language: clean(language),
    category: clean(category),
    status: clean(status),
    text: clean(text),
    parameterCount,
  };
}

/** One job for each channel that is connected. It ends when it is not any more, or has no templates. */
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
): Promise<Page<ProviderTemplate>> {
  const { db, clock, links, logger } = deps;
  const size = pageSize(query.limit, limits.listPage);
  const scope = ['templates', accountId, channelId];
  const cursor = query.nextToken === undefined ? null : tokens.read(query.nextToken, scope);
  const opened = await links.open(accountId, channelId);
  if (cursor === null && opened?.isConnected && opened.provider.templates) {
    const readAt = await findTemplatesTime(db, accountId, channelId);
    if (readAt === null || readAt + freshForMs <= clock.now()) {
      await readTemplates(deps, opened).catch((error) => {
        if (!(error instanceof ProviderError)) throw error;
        logger.warn({ channelId, reason: opened.redact(error.message) }, 'reading templates failed');
      });
    }
  }
  const after = cursor && { name: String(cursor[0]), language: String(cursor[1]) };
  const rows = await selectTemplates(db, accountId, channelId, after, size + 1);
  return cutPage(rows, size, (last) => tokens.issue([last.name, last.language], scope));
}

/** The text that the customer will read. Throws what the API answers: nothing has been sent. */
export async function fillTemplate(
  db: Reader,
  accountId: string,
  providers: Registry,
  channelId: string,
  template: MessageTemplate,
): Promise<string> {
  const connector = await findConnector(db, accountId, channelId);
  if (!connector) throw conflict('the channel has no connector: templates are sent by its provider');
  if (!providers.get(connector.kind)?.templates) {
    throw badRequest(`channels of the kind ${connector.kind} have no templates`);
  }
  const { name, language, parameters } = template;
  const found = await findTemplate(db, accountId, channelId, template);
  const title = `${name.slice(0, 100)} (${language.slice(0, 20)})`;
  if (!found) throw badRequest(`name: the template ${title} does not exist on this channel`);
  if (found.status.toUpperCase() !== 'APPROVED') {
    throw badRequest(`name: the template ${title} is not approved, its status is ${found.status}`);
  }
  if (parameters.length !== found.parameterCount) {
    throw badRequest(
      `parameters must have ${found.parameterCount} values for the template ${title}, not ${parameters.length}`,
    );
  }
  const blank = parameters.findIndex((value) => value.trim() === '');
  if (blank >= 0) throw badRequest(`parameters[${blank}] must not be blank`);
  const content = found.text.replace(/\{\{\s*(\d+)\s*\}\}/g, (place, number) => {
    return parameters[Number(number) - 1] ?? place;
  });
  if (content.length > limits.messageLength) {
    throw badRequest(`parameters: the text must have at most ${limits.messageLength} characters`);
  }
  return content;
}
