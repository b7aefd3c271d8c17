import type { TSchema } from 'typebox';
import { Type } from './type.ts';
import { nullable } from './values.ts';

/** The server reduces larger values to the maximum, so there is no upper bound here. */
export const pageQuery = (page: { default: number; max: number }) => ({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `Items per page: ${page.default} by default, at most ${page.max}; a larger value counts as ${page.max}.`,
    }),
  ),
  nextToken: Type.Optional(
    Type.String({ description: 'The token of the previous page; it belongs to the same query.' }),
  ),
});

export const pageOf = <T extends TSchema>(item: T) =>
  Type.Object({ items: Type.Array(item), nextToken: nullable(Type.String()) });

export function pageSize(asked: number | undefined, page: { default: number; max: number }): number {
  return Math.min(asked ?? page.default, page.max);
}
