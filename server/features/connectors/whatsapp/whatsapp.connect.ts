/** Checks the number, subscribes to its business account, and reads the templates of it. */
import { type Connected, type Link, ProviderError, type ProviderTemplate } from '../connectors.provider.ts';
import { listOf, objectOf, textOf, type Values } from '../connectors.values.ts';
import { callGraph, listGraph } from '../meta/meta.graph.ts';
import { whatsappErrors } from './whatsapp.errors.ts';

const pathOf = (id: unknown) => `/${encodeURIComponent(String(id))}`;

export async function checkNumber(link: Link): Promise<{ detail: string }> {
  const { phoneNumberId } = link.settings;
  const number = await callGraph(link, { method: 'GET', path: pathOf(phoneNumberId) }, whatsappErrors);
  const shown = textOf(number.display_phone_number);
  if (!shown) {
    const wrong = `${phoneNumberId} is not the ID of a phone number. Copy the phone number ID from Meta’s console.`;
    throw new ProviderError('credentials', wrong);
  }
  const name = textOf(number.verified_name);
  return { detail: `The access token works for ${shown}${name ? ` (${name})` : ''}.` };
}

/** Without a subscription of the app, Meta delivers nothing. Where the account is not given, somebody else made it. */
export async function connectNumber(link: Link): Promise<Connected> {
  await checkNumber(link);
  const { businessAccountId } = link.settings;
  if (businessAccountId !== undefined) await subscribe(link, String(businessAccountId));
  return { state: 'connected' };
}

async function subscribe(link: Link, businessAccountId: string): Promise<void> {
  try {
    await callGraph(
      link,
      { method: 'POST', path: `${pathOf(businessAccountId)}/subscribed_apps`, json: {} },
      whatsappErrors,
    );
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    // Repeatable, so a lost answer is tried again.
    if (error.errorClass === 'retry' || error.errorClass === 'lost') {
      throw new ProviderError('retry', error.message, error.waitMs);
    }
    const advice = 'Check the business account ID, and that the token has whatsapp_business_management.';
    const message = `The app could not be subscribed to the business account ${businessAccountId}: ${error.message} ${advice}`;
    throw new ProviderError('credentials', message);
  }
}

export async function readTemplates(link: Link): Promise<ProviderTemplate[]> {
  const { businessAccountId } = link.settings;
  if (businessAccountId === undefined) {
    throw new ProviderError(
      'final',
      'Templates need the business account ID in the settings of the channel.',
    );
  }
  const query = { fields: 'name,language,category,status,components', limit: '100' };
  const path = `${pathOf(businessAccountId)}/message_templates`;
  return (await listGraph(link, { path, query }, whatsappErrors)).flatMap((one) => templateOf(one) ?? []);
}

function templateOf({ name, language, category, status, components }: Values): ProviderTemplate | null {
  const known = { name: textOf(name), language: textOf(language) };
  if (known.name === null || known.language === null) return null;
  const body = listOf(components)
    .map(objectOf)
    .find(({ type }) => textOf(type)?.toUpperCase() === 'BODY');
  const text = textOf(body?.text) ?? '';
  return {
    name: known.name,
    language: known.language,
    category: textOf(category) ?? '',
    status: textOf(status) ?? '',
    text,
    parameterCount: new Set(Array.from(text.matchAll(/\{\{\s*(\d+)\s*\}\}/g), ([, index]) => index)).size,
  };
}
