/** A conversation by e-mail. */
import type { Static } from 'typebox';
import { languages } from '../limits.ts';
import { Type } from '../shapes/type.ts';
import { choice } from '../shapes/values.ts';
import { emailPattern } from '../widget/widget-protocol.ts';

export const MailAnswer = Type.Object({ isConfigured: Type.Boolean() });
export const TranscriptBody = Type.Object({
  email: Type.String({ maxLength: 254, pattern: emailPattern, examples: ['ada@example.com'] }),
  language: Type.Optional(
    Type.Unsafe<(typeof languages)[number]>({
      ...choice(languages),
      description: 'Of the words around the messages; the account’s when omitted.',
    }),
  ),
});
export type TranscriptBody = Static<typeof TranscriptBody>;
export const TranscriptAnswer = Type.Object({ sessionId: Type.String(), email: Type.String() });
