/** E-mail: what a message that came or goes as mail has besides its text. */
import type { Static } from 'typebox';
import { limits } from '../limits.ts';
import { Type } from '../shapes/type.ts';
import { choice, nullable } from '../shapes/values.ts';

/** What a header takes: no spaces, no invisible characters, no list, one at sign. */
export const isMailAddress = (text: string) =>
  /^[^\s\p{Cc}\p{Cf}\p{Cs}@<>(),;:"\\]{1,128}@[^\s\p{Cc}\p{Cf}\p{Cs}@<>(),;:"\\]{1,200}$/u.test(text);

/**
 * How a frame shows the HTML of a mail: no script runs and no form is sent, and links open pages of their own. It has the
 * service's origin, so that the dashboard can measure its content. Never add `allow-scripts`: together they remove the
 * sandbox.
 */
export const mailSandbox = 'allow-same-origin allow-popups allow-popups-to-escape-sandbox';

export const MailAddress = Type.Object({
  name: nullable(Type.String()),
  address: Type.String(),
});
export type MailAddress = Static<typeof MailAddress>;

const headers = {
  subject: Type.String({ description: 'Empty if it has none.' }),
  from: Type.Unsafe<MailAddress | null>({ ...MailAddress, type: ['object', 'null'] }),
  to: Type.Array(MailAddress),
  cc: Type.Array(MailAddress),
};

/** `data.mail` of a message. */
export const MessageMail = Type.Object({
  ...headers,
  hasHtml: Type.Boolean({ description: 'GET …/mail has the HTML part as it came.' }),
  hasQuoted: Type.Boolean({ description: 'Quoted history was folded away: GET …/mail has it.' }),
  replyTo: Type.Optional(
    Type.Array(MailAddress, {
      description: 'Its `Reply-To`, which is not the customer’s: answers go there only if `mail.to` says so.',
    }),
  ),
  answersTo: Type.Optional(
    Type.Array(MailAddress, {
      description:
        'Of a mail that came: where a reply goes that has no `mail.to`. Its sender or its `Reply-To`; the customer if `isOther`.',
    }),
  ),
  isOther: Type.Optional(
    Type.Boolean({ description: 'Its sender is not the customer of the conversation.' }),
  ),
  isForged: Type.Optional(
    Type.Boolean({ description: 'The receiving server says that its sender did not send it (DMARC).' }),
  ),
  forwardOf: Type.Optional(Type.String({ description: 'The message that was forwarded.' })),
  note: Type.Optional(Type.String({ description: 'What was written above the forwarded message.' })),
});
export type MessageMail = Static<typeof MessageMail>;

export const MailContent = Type.Object({
  ...headers,
  date: nullable(Type.Number({ description: 'Of the mail’s own header, unix epoch milliseconds.' })),
  html: nullable(
    Type.String({
      description: 'The HTML part as it came. It is not sanitised: never show it without doing so.',
    }),
  ),
  quotedText: nullable(Type.String({ description: 'The quoted history, as plain text.' })),
});
export type MailContent = Static<typeof MailContent>;

export const MailViewQuery = Type.Object({
  remoteImages: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Load pictures from other hosts, which learn that it was read.',
    }),
  ),
  theme: Type.Optional(choice(['light', 'dark'])),
});

export const MailView = Type.Object({
  url: Type.String({ description: 'Path of the sanitised HTML, for a sandboxed frame. It needs no token.' }),
  expiresAt: Type.Number({ description: 'Unix epoch milliseconds.' }),
  blockedImages: Type.Integer({ description: 'Pictures of other hosts that were left out.' }),
  isCut: Type.Boolean({ description: 'Only the beginning is shown, because the mail is too large.' }),
});
export type MailView = Static<typeof MailView>;

const Address = Type.String({ minLength: 3, maxLength: limits.nameLength, examples: ['ben@example.com'] });

export const MailInput = Type.Object(
  {
    to: Type.Optional(
      Type.Unsafe<string | string[]>({
        ...Address,
        type: ['string', 'array'],
        items: Address,
        minItems: 1,
        maxItems: limits.mailRecipients,
        description: 'One address or several. Default: the customer, or who wrote the answered mail.',
      }),
    ),
    cc: Type.Optional(Type.Array(Address, { maxItems: limits.mailRecipients })),
    subject: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: limits.mailSubjectLength,
        description: 'Default: that of the thread, with `Re:` in front.',
      }),
    ),
  },
  { description: 'Only on channels of the type email.' },
);
export type MailInput = Static<typeof MailInput>;

export const ForwardBody = Type.Object({
  to: Type.Array(Address, { minItems: 1, maxItems: limits.mailRecipients }),
  note: Type.Optional(
    Type.String({ maxLength: limits.messageLength, description: 'Stands above the forwarded message.' }),
  ),
});
export type ForwardBody = Static<typeof ForwardBody>;

export const Forwarded = Type.Object({
  sessionId: Type.String(),
  message: Type.Object({
    id: Type.String({ description: 'The note that records the forwarding and carries its status.' }),
    role: Type.String(),
    content: Type.String(),
    timestamp: Type.Number(),
    attachments: Type.Array(Type.Unknown()),
  }),
});
export type Forwarded = Static<typeof Forwarded>;
