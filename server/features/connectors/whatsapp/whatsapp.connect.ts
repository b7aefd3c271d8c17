/** Checks the number, and subscribes to its business account. */
import { type Connected, type Link, ProviderError } from '../connectors.provider.ts';
import { textOf } from '../connectors.values.ts';
import { callGraph } from '../meta/meta.graph.ts';
import { whatsappErrors } from './whatsapp.errors.ts';

export const pathOf = (id: unknown) => `/${encodeURIComponent(String(id))}`;

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

/** Without a subscription of the app, Meta delivers nothing. Connectors of earlier versions may not have the account. */
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
