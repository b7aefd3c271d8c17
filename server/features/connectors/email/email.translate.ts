/** Mails as items of the frame. */
import type { Inbound, Link } from '../connectors.provider.ts';
import type { MailBody } from './email.body.ts';
import { settingsOf } from './email.settings.ts';

export function translateMail(link: Link, text: string): Inbound[] {
  const { providerMsgId, at, text: content, mail, media, ignored, bounce } = JSON.parse(text) as MailBody;
  const address = mail.from!.address;
  const customer = {
    id: address,
    identifiers: [{ kind: 'email', value: address } as const],
    name: mail.from!.name,
  };
  const drop = (reason: string): Inbound[] => [
    { type: 'ignored', key: providerMsgId, customer, summary: mail.subject, reason },
  ];
  if (bounce) {
    if (bounce.idHash === null) return drop(`a report about an unknown message. ${bounce.reason}`);
    const { idHash, failed = [], reason } = bounce;
    const status = { type: 'status', providerMsgId: idHash, status: 'failed', ourId: null } as const;
    if (failed.length === 0) return [{ ...status, reason }];
    return failed.map((one) => ({ ...status, reason: one.reason, recipient: one.address.toLowerCase() }));
  }
  if (ignored !== null) return drop(ignored);
  if (address === settingsOf(link).address.toLowerCase()) return drop('it was sent from this address');
  return [
    {
      type: 'message',
      key: providerMsgId,
      providerMsgId,
      customer,
      at,
      // The order of arrival: clocks of senders are often wrong.
      order: at,
      text: content,
      media,
      quoted: null,
      isEcho: false,
      mail,
    },
  ];
}
