/** The settings of a mailbox, and the connection to its servers by the guarded way out. */

import { isMailAddress } from '../../../../contract/messaging/mail.ts';
import { Type } from '../../../../contract/shapes/type.ts';
import { isIpAddress } from '../../../platform/outbound/outbound-address.ts';
import { type Link, ProviderError, type Settings } from '../connectors.provider.ts';

const server = (port: number) =>
  Type.Object({
    host: Type.String({ minLength: 1, maxLength: 253 }),
    port: Type.Integer({ minimum: 1, maximum: 65_535, default: port }),
    tls: Type.Boolean({ default: true }),
  });

export const mailboxSettings = Type.Object({
  address: Type.String({ minLength: 3, maxLength: 255 }),
  fromName: Type.Optional(Type.String({ maxLength: 255 })),
  signature: Type.Optional(Type.String({ maxLength: 10_000 })),
  authservId: Type.Optional(Type.String({ minLength: 1, maxLength: 253 })),
  repliesPer10Minutes: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
  repliesPerDay: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
  imap: server(993),
  smtp: server(465),
});

const login = Type.Object({
  user: Type.String({ minLength: 1, maxLength: 255 }),
  password: Type.String({ minLength: 1, maxLength: 1_024 }),
});
export const mailboxCredentials = Type.Object({ imap: login, smtp: login });

interface ServerSettings {
  host: string;
  port: number;
  tls: boolean;
}

export interface MailboxSettings {
  address: string;
  fromName?: string;
  signature?: string;
  /** By which the receiving server names itself in Authentication-Results. */
  authservId?: string;
  imap: ServerSettings;
  smtp: ServerSettings;
}

export const settingsOf = (link: Pick<Link, 'settings'>) => link.settings as unknown as MailboxSettings;

export function checkMailbox(settings: Settings): string | null {
  const { address, fromName, authservId, imap, smtp } = settings as unknown as MailboxSettings;
  if (!isMailAddress(address)) return 'connector.address must be an e-mail address';
  if (/\p{Cc}/u.test(fromName ?? '')) return 'connector.fromName must be one line of text';
  if (/[\s;()\p{Cc}]/u.test(authservId ?? '')) {
    return 'connector.authservId must be one word, as in the header Authentication-Results';
  }
  for (const [name, { host }] of Object.entries({ imap, smtp })) {
    if (!isHost(host)) return `connector.${name}.host must be the name or the address of a server`;
  }
  return null;
}

const isHost = (text: string) =>
  isIpAddress(text) || /^[a-z0-9_](?:[a-z0-9._-]{0,251}[a-z0-9])?\.?$/i.test(text);

export interface ServerAddress {
  host: string;
  port: number;
  isSecure: boolean;
  servername?: string;
  /** An unencrypted connection is an error, except to a server that the operator of the service has allowed. */
  requiresTls: boolean;
  user: string;
  password: string;
}

export async function serverOf(link: Link, name: 'imap' | 'smtp'): Promise<ServerAddress> {
  const { host, port, tls } = settingsOf(link)[name];
  if (!link.resolve) throw new ProviderError('retry', 'There is no way out to mail servers.');
  const { address, isAllowed } = await link.resolve(host, port);
  return {
    host: address,
    port,
    isSecure: tls,
    ...(!isIpAddress(host) && { servername: host }),
    requiresTls: !isAllowed,
    user: link.credentials[`${name}.user`]!,
    password: link.credentials[`${name}.password`]!,
  };
}
