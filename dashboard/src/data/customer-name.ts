import type { Session } from '../../../contract/messages.ts';
import { t } from '../texts/texts.ts';

/** Made by a machine, and for one: nobody knows a customer by it. */
const isMachineMade = (id: string) =>
  /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(id) || (/^[\w-]{20,}$/.test(id) && /\d/.test(id));

/** The name that people know the customer by. */
export function customerName(session: Pick<Session, 'sessionName' | 'externalUserId' | 'sessionId'>): string {
  const name = session.sessionName?.trim();
  if (name) return name;
  const id = session.externalUserId?.trim() || session.sessionId;
  return isMachineMade(id) ? t('ui.visitor', { code: id.slice(-4).toUpperCase() }) : id;
}
