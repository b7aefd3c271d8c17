/** Labels of an account, for conversations and cards. */
import type { Static } from 'typebox';
import { limits } from './limits.ts';
import { Type } from './shapes/type.ts';
import { choice } from './shapes/values.ts';

/** The hues of the dashboard's palette. */
export const labelColors = ['red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple', 'pink'] as const;
export type LabelColor = (typeof labelColors)[number];

const Name = Type.String({ minLength: 1, maxLength: limits.labelNameLength });
const Color = Type.Unsafe<LabelColor>({ type: 'string', enum: [...labelColors] });
const Description = Type.String({ maxLength: limits.labelDescriptionLength });

export const Label = Type.Object({
  id: Type.String(),
  name: Type.String(),
  color: choice(labelColors),
  description: Type.String({ description: 'When to use it; may be empty.' }),
  createdAt: Type.Number(),
  updatedAt: Type.Number(),
});
export type Label = Static<typeof Label>;

export const LabelCreate = Type.Object({
  name: Name,
  color: Type.Optional(Color),
  description: Type.Optional(Description),
});
export type LabelCreate = Static<typeof LabelCreate>;
export const LabelUpdate = Type.Partial(LabelCreate);
export type LabelUpdate = Static<typeof LabelUpdate>;

export const LabelUsage = Type.Object(
  { sessions: Type.Integer(), records: Type.Integer() },
  { description: `Counted up to ${limits.countedLabelled}: a larger number is returned as this one.` },
);
export type LabelUsage = Static<typeof LabelUsage>;

export const LabelIds = Type.Array(Type.String(), { maxItems: limits.labelsPerItem, uniqueItems: true });

/** A change of the labels of a conversation or a card. */
export const labelChange = {
  labelIds: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: limits.labelsPerItem,
      uniqueItems: true,
      description: 'Replaces all labels.',
    }),
  ),
  addLabelIds: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: limits.labelsPerItem,
      uniqueItems: true,
      description: 'Adds these labels; the others stay. Not together with labelIds.',
    }),
  ),
  removeLabelIds: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: limits.labelsPerItem,
      uniqueItems: true,
      description: 'Removes these labels; ids that it does not have are ignored. Not together with labelIds.',
    }),
  ),
};
export interface LabelChange {
  labelIds?: string[];
  addLabelIds?: string[];
  removeLabelIds?: string[];
}
