/** The public site with the articles of an account. */
import type { Static } from 'typebox';
import { Language } from './knowledge.ts';
import { limits } from './limits.ts';
import { byLanguage } from './shapes/by-language.ts';
import { patterns } from './shapes/patterns.ts';
import { Type } from './shapes/type.ts';
import { nullable } from './shapes/values.ts';

export const HelpCenter = Type.Object({
  enabled: Type.Boolean(),
  slug: nullable(Type.String({ description: 'The site is at `/help/{slug}`; null: none was chosen.' })),
  name: Type.String(),
  color: Type.String(),
  logoFileKey: nullable(Type.String()),
  languages: Type.Array(Type.String(), { description: 'The first one is the default.' }),
  homeText: Type.String({ description: 'Markdown above the collections; may be empty.' }),
  homeTexts: Type.Record(Type.String(), Type.String(), {
    description: 'By language, instead of `homeText`.',
  }),
  contactChannelId: nullable(
    Type.String({ description: 'The website channel whose chat is shown; null: the oldest one.' }),
  ),
});
export type HelpCenter = Static<typeof HelpCenter>;

export const HelpCenterUpdate = Type.Partial(
  Type.Object({
    enabled: Type.Boolean({ description: 'Needs a slug.' }),
    slug: Type.String({
      pattern: patterns.slug,
      minLength: limits.helpSlugLength.min,
      maxLength: limits.helpSlugLength.max,
      description: `Unique in the instance (409). It stays with the account that has used it, which may use at most ${limits.helpSlugs} (409).`,
      examples: ['harbour-roastery'],
    }),
    name: Type.String({ minLength: 1, maxLength: limits.nameLength }),
    color: Type.String({ pattern: patterns.color, examples: ['#5059d1'] }),
    logoFileKey: nullable(
      Type.String({
        description: 'A JPEG, PNG, GIF or WebP image, uploaded by the caller as an attachment; null: none.',
      }),
    ),
    languages: Type.Array(Language, { minItems: 1, maxItems: limits.helpLanguages, uniqueItems: true }),
    homeText: Type.String({
      maxLength: limits.helpHomeLength,
      description: 'Markdown, for languages without a text of their own.',
    }),
    homeTexts: byLanguage(
      `Markdown of at most ${limits.helpHomeLength} characters for each language. Replaces all of them; an empty text is none.`,
      { pt: 'Bem-vindo.' },
    ),
    contactChannelId: nullable(
      Type.String({
        description:
          'A website channel: the contact button opens its chat. A channel that is disabled has none. null: the oldest website channel that is enabled.',
      }),
    ),
  }),
);
export type HelpCenterUpdate = Static<typeof HelpCenterUpdate>;

export const ArticleFeedback = Type.Object({ helpful: Type.Boolean() });
export type ArticleFeedback = Static<typeof ArticleFeedback>;
