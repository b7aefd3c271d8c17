/** The kinds of connectors: what the form of each asks for. A new kind is an entry here and its texts. */
import { Mail, MessageCircle, MessageSquareText, MessagesSquare, QrCode, Send } from 'lucide-react';
import type { ReactNode } from 'react';
import { randomId } from '../../../../../browser/random-id.ts';
import type { ConnectorKind } from '../../../../../contract/connectors.ts';
import type { ChannelType } from '../../../../../contract/limits.ts';
import type { FieldName, FieldValues, KindField } from './connector-field.ts';
import { mailFields, mailLinkOf, withMailDefaults } from './mailbox/mail-connector.ts';
import { nested, storedValue } from './mailbox/nested-settings.ts';

export type { FieldName, FieldValues, KindField } from './connector-field.ts';

export interface Kind {
  kind: ConnectorKind;
  channelType: ChannelType;
  /** Other types that it fits too. */
  otherTypes?: readonly ChannelType[];
  icon: ReactNode;
  fields: readonly KindField[];
  /** Where the provider's console or help is. */
  link?: { href: string; label: string };
  /** The inbound address must be entered at the provider. */
  needsAddress?: true;
  addressHint?: 'twilio' | 'whatsapp_cloud' | 'messenger';
}

const icon = 'size-4';

/** Of an app at Meta: the same for each of its products. */
const metaFields: readonly KindField[] = [
  { name: 'accessToken', isCredential: true },
  { name: 'appSecret', isCredential: true },
  { name: 'verifyToken', isCredential: true, isShared: true, initial: () => randomId().replaceAll('-', '') },
  { name: 'graphVersion', isAdvanced: true, isOptional: true, placeholder: 'v25.0' },
  { name: 'apiBase', isAdvanced: true, isOptional: true, placeholder: 'https://graph.facebook.com' },
];
const metaLink = { href: 'https://developers.facebook.com/apps', label: 'developers.facebook.com/apps' };

export const kinds: readonly Kind[] = [
  {
    kind: 'telegram',
    channelType: 'chatbot',
    icon: <Send className={icon} />,
    link: { href: 'https://t.me/BotFather', label: 't.me/BotFather' },
    fields: [
      {
        name: 'botToken',
        isCredential: true,
        placeholder: '123456789:AAE…',
        form: /^\d+:[\w-]{30,}$/,
      },
      { name: 'mode', choices: ['polling', 'webhook'], isAdvanced: true },
      { name: 'apiBase', isAdvanced: true, isOptional: true, placeholder: 'https://api.telegram.org' },
    ],
  },
  {
    kind: 'twilio',
    channelType: 'sms',
    icon: <MessageSquareText className={icon} />,
    link: { href: 'https://console.twilio.com', label: 'console.twilio.com' },
    needsAddress: true,
    addressHint: 'twilio',
    fields: [
      { name: 'accountSid' },
      { name: 'authToken', isCredential: true },
      { name: 'from', isOptional: true, placeholder: '+15550001111' },
      { name: 'messagingServiceSid', isAdvanced: true, isOptional: true },
      { name: 'apiBase', isAdvanced: true, isOptional: true, placeholder: 'https://api.twilio.com' },
    ],
  },
  {
    kind: 'evolution',
    channelType: 'chatapp_no',
    icon: <QrCode className={icon} />,
    link: { href: 'https://doc.evolution-api.com', label: 'doc.evolution-api.com' },
    fields: [
      { name: 'apiBase', placeholder: 'https://evolution.example.com' },
      { name: 'apiKey', isCredential: true },
      { name: 'instanceName', isAdvanced: true, initial: () => `talkboard-${randomId().slice(0, 6)}` },
    ],
  },
  {
    kind: 'whatsapp_cloud',
    channelType: 'chatapp',
    otherTypes: ['chatapp_byot'],
    icon: <MessageCircle className={icon} />,
    link: metaLink,
    needsAddress: true,
    addressHint: 'whatsapp_cloud',
    fields: [
      { name: 'phoneNumberId', placeholder: '106540352242922' },
      { name: 'businessAccountId', placeholder: '102290129340398' },
      ...metaFields,
    ],
  },
  {
    kind: 'messenger',
    channelType: 'chatapp',
    icon: <MessagesSquare className={icon} />,
    link: metaLink,
    needsAddress: true,
    addressHint: 'messenger',
    fields: [
      { name: 'platform', choices: ['page', 'instagram'] },
      { name: 'pageId', placeholder: '104001234567890' },
      ...metaFields,
    ],
  },
  {
    kind: 'email',
    channelType: 'email',
    icon: <Mail className={icon} />,
    fields: mailFields,
  },
];

export const kindOf = (kind: string): Kind | undefined => kinds.find((one) => one.kind === kind);
export const kindsForType = (type: ChannelType): readonly Kind[] =>
  kinds.filter(({ channelType, otherTypes = [] }) => [channelType, ...otherTypes].includes(type));

/** A setting that decides who receives what customers write: it needs the right to manage webhooks. */
export const isAddress = (name: FieldName) => /^apiBase$|^(?:imap|smtp)\.(?:host|port|tls)$/.test(name);
/** Kinds without an address of their own; the others only for people who may set one. */
export const isOffered = ({ fields }: Kind, mayAddress: boolean) =>
  mayAddress || !fields.some(({ name, isAdvanced }) => isAddress(name) && !isAdvanced);

/** Of a mailbox it depends on its provider; undefined: there is none. */
export const linkOf = ({ kind, link }: Kind, values: FieldValues) =>
  kind === 'email' ? mailLinkOf(values) : link;

/** The steps of every guide. */
export const steps = ['1', '2', '3'] as const;

export const initialValues = ({ fields }: Kind): FieldValues =>
  Object.fromEntries(fields.map(({ name, choices, initial }) => [name, initial?.() ?? choices?.[0] ?? '']));

/** Empty optional settings are left out, so that the service applies its defaults. */
export function connectorBody({ kind, fields }: Kind, given: FieldValues, isStored = false) {
  const values = kind === 'email' ? withMailDefaults(given, isStored) : given;
  const filled = fields.map((field) => ({ ...field, value: (values[field.name] ?? '').trim() }));
  const pick = (isCredential: boolean) =>
    nested(
      filled
        .filter((field) => (field.isCredential ?? false) === isCredential && field.value !== '')
        .map(({ name, value }) => [name, storedValue(name, value)]),
    );
  return { kind, ...pick(false), credentials: pick(true) };
}

/**
 * Everything required is filled in; SMS needs a number or a messaging service. `stored`: of an existing connector, which may
 * lack what has become required since.
 */
export function isComplete({ kind, fields }: Kind, values: FieldValues, stored?: FieldValues): boolean {
  const has = (name: FieldName) => (values[name] ?? '').trim() !== '';
  const required = fields.filter(
    ({ name, isOptional, isCredential }) => !isOptional && !(stored && (isCredential || !stored[name])),
  );
  if (kind === 'twilio' && !has('from') && !has('messagingServiceSid')) return false;
  return required.every(({ name }) => has(name));
}
