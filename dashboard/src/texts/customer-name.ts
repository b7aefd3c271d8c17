/** What customers and their cards are called, the same in every view and in the reader's language. */
import type { Session } from '../../../contract/messaging/sessions.ts';
import { shownPhone } from './phone.ts';
import { t } from './texts.ts';

const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/** Generated IDs mean nothing to people. */
const isMachineMade = (id: string) => uuid.test(id) || (/^[\w-]{20,}$/.test(id) && /\d/.test(id));
const visitor = (id: string) => t('ui.visitor', { code: id.slice(-4).toUpperCase() });
/** As the service names visitors, in the account's language. */
const visitorName = /^(?:Visitor|Visitante) ([0-9A-F]{4})$/;

/** Of a card, or of a notification about a conversation. Only an id or a number is replaced: titles are people's own. */
export function shownTitle(title: string): string {
  const code = visitorName.exec(title)?.[1];
  return code || uuid.test(title) ? visitor(code ?? title) : shownPhone(title);
}

/** The name that people know the customer by. */
export function customerName(session: Pick<Session, 'sessionName' | 'externalUserId' | 'sessionId'>): string {
  const name = session.sessionName?.trim();
  if (name) return shownTitle(name);
  const id = session.externalUserId?.trim() || session.sessionId;
  return isMachineMade(id) ? visitor(id) : shownPhone(id);
}

/** What the colour of the customer's avatar depends on: the same in the inbox as on the page of the contact. */
export const avatarId = (session: Pick<Session, 'contactId' | 'externalUserId' | 'sessionId'>): string =>
  session.contactId ?? session.externalUserId ?? session.sessionId;
