/** Two shapes that TypeBox spells with anyOf, which is slow to serialise and vague in its errors. */
import type { Static, TSchema } from 'typebox';
import { Type } from './type.ts';

export const choice = <const T extends readonly string[]>(
  values: T,
  options: { description?: string } = {},
) => Type.Unsafe<T[number]>({ ...options, type: 'string', enum: [...values] });

export const nullable = <T extends TSchema>(schema: T) => {
  const { type, ...rest } = schema as unknown as { type: string; enum?: unknown[] };
  const values = rest.enum ? { enum: [...rest.enum, null] } : {};
  return Type.Unsafe<Static<T> | null>({ ...rest, ...values, type: [type, 'null'] });
};
