/** One field of the form of a connector. */
type MailFieldName =
  | 'address'
  | 'fromName'
  | 'signature'
  | 'authservId'
  | 'repliesPer10Minutes'
  | 'repliesPerDay'
  | `${'imap' | 'smtp'}.${'host' | 'port' | 'tls' | 'user' | 'password'}`;

export type FieldName =
  | 'botToken'
  | 'mode'
  | 'accountSid'
  | 'authToken'
  | 'from'
  | 'messagingServiceSid'
  | 'apiBase'
  | 'apiKey'
  | 'instanceName'
  | 'phoneNumberId'
  | 'businessAccountId'
  | 'pageId'
  | 'platform'
  | 'graphVersion'
  | 'accessToken'
  | 'appSecret'
  | 'verifyToken'
  | MailFieldName;

export interface KindField {
  name: FieldName;
  isCredential?: true;
  /** A credential that has to be copied to the provider: it is shown while it is entered. */
  isShared?: true;
  /** Under "More": it has a default that fits nearly always. */
  isAdvanced?: true;
  isOptional?: true;
  /** One of these; the first is the default. */
  choices?: readonly ('polling' | 'webhook' | 'page' | 'instagram' | 'tls' | 'starttls')[];
  placeholder?: string;
  /** What is obviously something else is not sent. */
  form?: RegExp;
  /** A text of several lines. */
  isLong?: true;
  /** Empty: taken from another field, also in a change. */
  isCopied?: true;
  /** What a new connector begins with. */
  initial?(): string;
}

export type FieldValues = { [name in FieldName]?: string };
