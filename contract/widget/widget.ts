/** The chat widget: an administrator's settings, and the small API that the widget calls. */
import type { Static } from 'typebox';
import { HoursId } from '../business-hours.ts';
import { limits } from '../limits.ts';
import { AttachmentRef } from '../messaging/messages.ts';
import { patterns } from '../shapes/patterns.ts';
import { Type } from '../shapes/type.ts';
import { choice, nullable } from '../shapes/values.ts';
import { OptionalHours } from './opening-hours.ts';
import { emailPattern } from './widget-protocol.ts';

export const widgetSides = ['right', 'left'] as const;
export const widgetThemes = ['auto', 'light', 'dark'] as const;
export const widgetLanguages = ['auto', 'en', 'pt', 'es'] as const;

export const askMoments = ['off', 'first_message', 'after_hours'] as const;
export const askedFields = ['off', 'optional', 'required'] as const;
export const aiHours = ['always', 'open', 'closed'] as const;

const described = <const T extends readonly string[]>(values: T, description: string) =>
  Type.Unsafe<T[number]>({ ...choice(values), description });

/** What the widget offers besides the chat itself. */
const service = {
  talkToPerson: Type.Boolean({
    description: 'Shows a button with which a visitor asks for a person. The AI is then paused.',
  }),
  askFor: described(
    askMoments,
    'When visitors are asked for their name and e-mail address. Not those whose identity the site has signed.',
  ),
  askName: described(askedFields, 'Whether the name is asked for.'),
  askEmail: described(askedFields, 'Whether the e-mail address is asked for.'),
  hours: OptionalHours,
  hoursId: HoursId,
  awayMessage: Type.String({ maxLength: 500, description: 'Shown outside the hours.' }),
  aiHours: described(
    aiHours,
    'When the AI answers visitors: always, only during the hours, or only outside of them. Without hours: always.',
  ),
  askRating: Type.Boolean({ description: 'Asks for a rating when a conversation is resolved.' }),
  offerTranscript: Type.Boolean({
    description: 'Visitors may have the conversation sent by e-mail, if the instance can send e-mail.',
  }),
};

const settings = {
  title: Type.String({ maxLength: 60, description: 'Empty: the name of the channel.' }),
  color: Type.String({ pattern: patterns.color, examples: ['#5059d1'] }),
  greeting: Type.String({
    maxLength: 500,
    description: 'The first words in an empty chat. Empty: a greeting in the language of the visitor.',
  }),
  side: choice(widgetSides),
  theme: choice(widgetThemes),
  language: choice(widgetLanguages),
  allowedOrigins: Type.Array(Type.String({ maxLength: 255, examples: ['https://www.example.com'] }), {
    maxItems: 50,
    description: 'Sites that may show the widget, such as `https://www.example.com`. Empty: every site may.',
  }),
  ...service,
};

export const WidgetSettings = Type.Object({
  ...settings,
  hasIdentitySecret: Type.Boolean({
    description: 'Whether signed-in customers can be identified by a signature.',
  }),
  scriptUrl: Type.String({
    description: 'For the script element of a site: `/widget.js?channel=` and the id of the channel.',
  }),
  isMailConfigured: Type.Boolean({ description: 'Whether this instance can send e-mail (SMTP_URL).' }),
});
export type WidgetSettings = Static<typeof WidgetSettings>;
export const WidgetSettingsUpdate = Type.Partial(Type.Object(settings));
export type WidgetSettingsUpdate = Static<typeof WidgetSettingsUpdate>;
export const WidgetIdentitySecret = Type.Object({
  identitySecret: Type.String({ description: 'Signs the identity of a customer; shown only once.' }),
});

export const VisitorStart = Type.Object({
  channel: Type.String({
    minLength: 1,
    maxLength: limits.nameLength,
    description: 'The id of a web channel, or its identifier where this channel was the first to use it.',
  }),
  token: Type.Optional(Type.String({ maxLength: 1_024, description: 'Of an earlier visit.' })),
  name: Type.Optional(
    Type.String({ maxLength: limits.nameLength, description: 'The name the customer gave.' }),
  ),
  user: Type.Optional(
    Type.String({
      maxLength: 2_048,
      description: 'JSON `{ id, name?, email?, expiresAt? }` of a signed-in customer.',
    }),
  ),
  signature: Type.Optional(
    Type.String({ maxLength: 128, description: 'HMAC-SHA256 of `user` with the identity secret, in hex.' }),
  ),
});
export type VisitorStart = Static<typeof VisitorStart>;
export const VisitorStarted = Type.Object({
  token: Type.String(),
  expiresAt: Type.Number(),
  isKnown: Type.Boolean({ description: 'Whether the signature is valid.' }),
  name: nullable(Type.String({ description: 'The name that the visitor or the site gave.' })),
  email: nullable(Type.String({ description: 'The e-mail address that the visitor or the site gave.' })),
});
export type VisitorStarted = Static<typeof VisitorStarted>;

export const VisitorSend = Type.Object({
  clientId: Type.String({ pattern: patterns.visitorClientId }),
  content: Type.Optional(Type.String({ maxLength: limits.messageLength })),
  attachments: Type.Optional(Type.Array(AttachmentRef, { maxItems: limits.attachmentsPerMessage })),
  wantsPerson: Type.Optional(
    Type.Boolean({
      description: 'The visitor asks for a person with this message; the AI does not answer it.',
    }),
  ),
});
export type VisitorSend = Static<typeof VisitorSend>;
export const VisitorSent = Type.Object({ id: Type.String(), position: Type.Integer(), at: Type.Number() });
export type VisitorSent = Static<typeof VisitorSent>;

export const VisitorHistoryQuery = Type.Object({
  nextToken: Type.Optional(Type.String({ maxLength: 1_024 })),
});
export const VisitorArticlesSearch = Type.Object({
  q: Type.String({ maxLength: 200 }),
  language: Type.Optional(Type.String({ maxLength: 20 })),
});
export const VisitorArticles = Type.Object({
  articles: Type.Array(Type.Object({ title: Type.String(), url: Type.String(), excerpt: Type.String() })),
});
export const VisitorReceipt = Type.Object({
  position: Type.Integer({ minimum: 1, description: 'Applies to every message up to this one.' }),
  status: choice(['delivered', 'read']),
});
export type VisitorReceipt = Static<typeof VisitorReceipt>;
export const VisitorReaction = Type.Object({
  emoji: nullable(Type.String({ minLength: 1, maxLength: 64 })),
});

const VisitorEmail = Type.String({ maxLength: 254, pattern: emailPattern, examples: ['ada@example.com'] });
export const VisitorDetails = Type.Object({
  name: Type.Optional(nullable(Type.String({ maxLength: limits.nameLength }))),
  email: Type.Optional(nullable(VisitorEmail)),
});
export type VisitorDetails = Static<typeof VisitorDetails>;
export const VisitorRating = Type.Object({
  score: Type.Integer({ minimum: 1, maximum: 5 }),
  comment: Type.Optional(Type.String({ maxLength: 1_000 })),
});
export type VisitorRating = Static<typeof VisitorRating>;
export const VisitorRatingAnswer = Type.Object({
  score: nullable(Type.Integer()),
  comment: Type.String(),
});
