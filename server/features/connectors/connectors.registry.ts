/** The list of providers. A new kind is added here, and nowhere else in this folder. */
import type { ConnectorKind } from '../../../contract/connectors.ts';
import type { Provider } from './connectors.provider.ts';
import { email } from './email/email.ts';
import { evolution } from './evolution/evolution.ts';
import { messenger } from './messenger/messenger.ts';
import { telegram } from './telegram/telegram.ts';
import { twilio } from './twilio/twilio.ts';
import { whatsappCloud } from './whatsapp/whatsapp.ts';

const all: readonly Provider[] = [telegram, twilio, evolution, whatsappCloud, messenger, email];

export type Registry = Map<ConnectorKind, Provider>;

/** A map of its own for each service: a test may put a provider of its own in. */
export function createRegistry(): Registry {
  return new Map(all.map((provider) => [provider.kind, provider]));
}
