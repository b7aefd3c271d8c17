/**
 * Why something was rejected, independent of the English message: for clients that show it in their reader's
 * language. `limit` is what is allowed, `count` what was given, `options` the valid values, `text` what was not
 * understood.
 */
import type { Static } from 'typebox';
import { Type } from './shapes/type.ts';
import { choice } from './shapes/values.ts';

const reasonKinds = [
  'tooLong',
  'tooMany',
  'text',
  'option',
  'number',
  'boolean',
  'date',
  'time',
  'email',
  'phone',
  'url',
  'notUtf8',
  'unstorable',
  'fieldGone',
  'unknownUser',
  'titleRequired',
  'tooManyCells',
  'quoteOpen',
  'quoteFollowed',
  'quoteInside',
  'rowTooLarge',
  'tooManyBroken',
  'boardGone',
  'starterGone',
  'mayNotWrite',
  'internal',
] as const;

export const Reason = Type.Object(
  {
    kind: choice(reasonKinds),
    limit: Type.Optional(Type.Integer()),
    count: Type.Optional(Type.Integer()),
    options: Type.Optional(Type.Array(Type.String())),
    text: Type.Optional(Type.String()),
  },
  { description: 'The same as the message, for clients that show it in another language.' },
);
export type Reason = Static<typeof Reason>;
