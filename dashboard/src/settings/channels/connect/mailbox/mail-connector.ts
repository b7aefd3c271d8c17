/** The fields of a mailbox, and the servers of large providers. */
import type { FieldName, FieldValues, KindField } from '../connector-field.ts';

const wholeNumber = /^\d{1,5}$/;

export const mailFields: readonly KindField[] = [
  { name: 'address', placeholder: 'support@example.com' },
  { name: 'imap.password', isCredential: true },
  { name: 'imap.host', placeholder: 'imap.example.com' },
  { name: 'smtp.host', placeholder: 'smtp.example.com' },
  { name: 'fromName', isOptional: true },
  { name: 'signature', isOptional: true, isLong: true },
  { name: 'imap.port', isAdvanced: true, isOptional: true, placeholder: '993', form: wholeNumber },
  { name: 'imap.tls', isAdvanced: true, choices: ['tls', 'starttls'] },
  { name: 'smtp.port', isAdvanced: true, isOptional: true, placeholder: '465', form: wholeNumber },
  { name: 'smtp.tls', isAdvanced: true, choices: ['tls', 'starttls'] },
  { name: 'imap.user', isCredential: true, isAdvanced: true, isOptional: true, isCopied: true },
  { name: 'smtp.user', isCredential: true, isAdvanced: true, isOptional: true, isCopied: true },
  { name: 'smtp.password', isCredential: true, isAdvanced: true, isOptional: true, isCopied: true },
  { name: 'authservId', isAdvanced: true, isOptional: true, placeholder: 'mx.example.com' },
  { name: 'repliesPer10Minutes', isAdvanced: true, isOptional: true, placeholder: '5', form: wholeNumber },
  { name: 'repliesPerDay', isAdvanced: true, isOptional: true, placeholder: '20', form: wholeNumber },
];

/** Nearly every mailbox has one name and one password: the address, and the password for receiving. */
export function withMailDefaults(values: FieldValues, isStored: boolean): FieldValues {
  const or = (value: string | undefined, other: string | undefined) => (value?.trim() ? value : other);
  const user = or(values['imap.user'], isStored ? '' : values.address);
  return {
    ...values,
    'imap.user': user,
    'smtp.user': or(values['smtp.user'], user),
    'smtp.password': or(values['smtp.password'], values['imap.password']),
  };
}

const encryptionOf: { [port: string]: 'tls' | 'starttls' } = {
  '143': 'starttls',
  '587': 'starttls',
  '465': 'tls',
  '993': 'tls',
  '': 'tls',
};

/** The encryption follows a well-known port, until it was chosen by hand. */
export function followPort(
  values: FieldValues,
  changed: FieldName,
  chosen: ReadonlySet<FieldName>,
): FieldValues {
  if (changed !== 'imap.port' && changed !== 'smtp.port') return values;
  const encryption = encryptionOf[(values[changed] ?? '').trim()];
  const name = changed === 'imap.port' ? 'imap.tls' : 'smtp.tls';
  return encryption === undefined || chosen.has(name) ? values : { ...values, [name]: encryption };
}

export const mailPresets = {
  gmail: server('imap.gmail.com', 'smtp.gmail.com', '465'),
  outlook: server('outlook.office365.com', 'smtp.office365.com', '587'),
  fastmail: server('imap.fastmail.com', 'smtp.fastmail.com', '465'),
};
export type MailPreset = keyof typeof mailPresets;

/** Which of them the form has; undefined: another server. */
export const presetOf = (values: FieldValues): MailPreset | undefined =>
  (Object.keys(mailPresets) as MailPreset[]).find(
    (name) => mailPresets[name]['imap.host'] === values['imap.host'],
  );

const links: { [preset in MailPreset]: { href: string; label: string } } = {
  gmail: { href: 'https://myaccount.google.com/apppasswords', label: 'myaccount.google.com/apppasswords' },
  outlook: {
    href: 'https://learn.microsoft.com/exchange/clients-and-mobile-in-exchange-online/deprecation-of-basic-authentication-exchange-online',
    label: 'learn.microsoft.com',
  },
  fastmail: { href: 'https://app.fastmail.com/settings/security/apps', label: 'app.fastmail.com' },
};

export function mailLinkOf(values: FieldValues): { href: string; label: string } | undefined {
  const preset = presetOf(values);
  return preset && links[preset];
}

function server(imap: string, smtp: string, port: '465' | '587'): FieldValues {
  return {
    'imap.host': imap,
    'imap.port': '993',
    'imap.tls': 'tls',
    'smtp.host': smtp,
    'smtp.port': port,
    'smtp.tls': port === '465' ? 'tls' : 'starttls',
  };
}
