/** The block list. */
import type { Static } from 'typebox';
import { limits } from '../limits.ts';
import { Type } from '../shapes/type.ts';
import { nullable } from '../shapes/values.ts';

export const BlockBody = Type.Object({
  identifierType: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  reason: Type.Optional(Type.String({ maxLength: limits.descriptionLength })),
});
export const BlockedContact = Type.Object({
  identifierValue: Type.String(),
  identifierType: Type.String(),
  reason: Type.String(),
  createdAt: Type.Number(),
  createdBy: Type.String(),
  droppedCount: Type.Integer(),
  lastDroppedAt: nullable(Type.Number()),
});
export type BlockedContact = Static<typeof BlockedContact>;
export const BlockAnswer = Type.Object({
  identifierValue: Type.String(),
  identifierType: Type.String(),
  reason: Type.String(),
  createdAt: Type.Number(),
  createdBy: Type.String(),
  alreadyBlocked: Type.Boolean(),
});
export const UnblockQuery = Type.Object({
  identifierType: Type.Optional(
    Type.String({ description: 'web or chatbot: the entry for a visitor or a chat with this id.' }),
  ),
});
export const UnblockAnswer = Type.Object({
  identifierValue: Type.String(),
  unblocked: Type.Boolean(),
  message: Type.String(),
});
