/** Checks a template that is to be sent against the kept list, and fills its parameters in. */
import { limits } from '../../../../contract/limits.ts';
import type { Reader } from '../../../platform/db/db.ts';
import { badRequest, conflict } from '../../../platform/http/errors.ts';
import type { MessageTemplate } from '../../messages/messages.ts';
import type { ProviderTemplate } from '../connectors.provider.ts';
import type { Registry } from '../connectors.registry.ts';
import { findConnector } from '../connectors.sql.ts';
import { findTemplate } from './connectors.templates.sql.ts';
import { readTemplatesAgain, type TemplatesDeps } from './connectors.templates.ts';

/** Before the transaction that sends it: the provider may have to be asked. */
export async function prepareTemplate(
  deps: TemplatesDeps,
  accountId: string,
  channelId: string,
  template: MessageTemplate,
): Promise<void> {
  const found = await findTemplate(deps.db, accountId, channelId, template);
  if (problemOf(found, template) !== null) await readTemplatesAgain(deps, accountId, channelId);
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
  const provider = providers.get(connector.kind);
  if (!provider?.templates) throw badRequest(`channels of the kind ${connector.kind} have no templates`);
  const found = await findTemplate(db, accountId, channelId, template);
  const problem = problemOf(found, template);
  if (!found || problem !== null) throw badRequest(problem ?? '');
  const { parameters } = template;
  for (const [index, value] of parameters.entries()) {
    const wrong = value.trim() === '' ? 'must not be blank' : provider.parameterProblem?.(value);
    if (wrong) throw badRequest(`parameters[${index}] ${wrong}`);
  }
  const content = found.text.replace(/\{\{\s*(\d+)\s*\}\}/g, (place, number) => {
    return parameters[Number(number) - 1] ?? place;
  });
  if (content.length > limits.messageLength) {
    throw badRequest(`parameters: the text must have at most ${limits.messageLength} characters`);
  }
  return content;
}

/** Why the kept list does not allow it; null: it does. */
function problemOf(found: ProviderTemplate | null, { name, language, parameters }: MessageTemplate) {
  const title = `${name.slice(0, 100)} (${language.slice(0, 20)})`;
  if (!found) return `name: the template ${title} does not exist on this channel`;
  const { status, unsupported, parameterCount } = found;
  if (status.toUpperCase() !== 'APPROVED') {
    return `name: the template ${title} is not approved, its status is ${status}`;
  }
  if (unsupported) return `name: the template ${title} cannot be sent from here: ${unsupported}`;
  if (parameters.length === parameterCount) return null;
  return `parameters must have ${parameterCount} values for the template ${title}, not ${parameters.length}`;
}
