/** Collections of documents, as the help center shows them. */
import type { Static } from 'typebox';
import { limits } from './limits.ts';
import { byLanguage } from './shapes/by-language.ts';
import { Type } from './shapes/type.ts';
import { nullable } from './shapes/values.ts';

export const KnowledgeCollection = Type.Object({
  id: Type.String(),
  name: Type.String(),
  names: Type.Record(Type.String(), Type.String(), { description: 'By language, instead of `name`.' }),
  order: Type.Integer({ description: 'Among those with the same parent, ascending.' }),
  parent: nullable(Type.String({ description: 'The id of the collection that it is in; null: none.' })),
  createdAt: Type.Number(),
  updatedAt: Type.Number(),
});
export type KnowledgeCollection = Static<typeof KnowledgeCollection>;

const properties = {
  name: Type.String({ minLength: 1, maxLength: limits.nameLength }),
  names: byLanguage(
    `The name in other languages, of at most ${limits.nameLength} characters. Replaces all of them; an empty name is none.`,
    { pt: 'Pedidos' },
  ),
  order: Type.Integer({ minimum: limits.order.min, maximum: limits.order.max }),
  parent: nullable(
    Type.String({
      description: `The id of another collection. They nest ${limits.knowledgeCollectionLevels} levels deep.`,
    }),
  ),
};
export const KnowledgeCollectionCreate = Type.Object({
  name: properties.name,
  names: Type.Optional(properties.names),
  order: Type.Optional(properties.order),
  parent: Type.Optional(properties.parent),
});
export type KnowledgeCollectionCreate = Static<typeof KnowledgeCollectionCreate>;
export const KnowledgeCollectionUpdate = Type.Partial(KnowledgeCollectionCreate);
export type KnowledgeCollectionUpdate = Static<typeof KnowledgeCollectionUpdate>;
