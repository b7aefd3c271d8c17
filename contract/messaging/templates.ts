/** Templates: texts that a channel's provider has approved, and that may be sent at any time. */
import type { Static } from 'typebox';
import { limits } from '../limits.ts';
import { pageOf } from '../shapes/paging.ts';
import { Type } from '../shapes/type.ts';
import { sendLater } from './scheduled.ts';

const Template = Type.Object({
  name: Type.String(),
  language: Type.String({ description: 'As the provider writes it, such as en_US.' }),
  category: Type.String({ description: 'As the provider tells it, such as MARKETING or UTILITY.' }),
  status: Type.String({
    description: 'As the provider tells it, such as APPROVED or PENDING. Only approved ones can be sent.',
  }),
  text: Type.String({
    description:
      '{{1}}, {{2}} … stand for the parameters. A header and buttons that have parameters are lines of it.',
  }),
  parameterCount: Type.Integer({ minimum: 0 }),
  unsupported: Type.Optional(
    Type.String({
      description:
        'Why it cannot be sent from here, such as “its header needs more than text (image)”. Absent: it can.',
    }),
  ),
});
export type Template = Static<typeof Template>;
export const TemplatesPage = pageOf(Template);

export const TemplateSend = Type.Object({
  name: Type.String({ minLength: 1, maxLength: limits.nameLength, examples: ['order_update'] }),
  language: Type.String({ minLength: 1, maxLength: 50, examples: ['en_US'] }),
  parameters: Type.Optional(
    Type.Array(Type.String({ maxLength: limits.templateParameterLength }), {
      maxItems: limits.templateParameters,
      description:
        'The values of {{1}}, {{2}} … of its text in the list, as many as the template has. Default: none.',
      examples: [['4711']],
    }),
  ),
  pauseAi: Type.Optional(Type.Boolean({ default: false, description: 'Also pauses the AI.' })),
  ...sendLater,
});
export type TemplateSend = Static<typeof TemplateSend>;
